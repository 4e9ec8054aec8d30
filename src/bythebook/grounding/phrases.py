"""Phrases of several words, written one way, before a text is taken apart into words.

What is said in two words on one side may be said in one on the other: "gives rise to" and "causes".
All phrases are sought in one pass over the text, since the gate reads every sentence it is shown.
"""

from __future__ import annotations

import re
from functools import lru_cache

Rules = tuple[tuple[str, str], ...]

_SHORT: Rules = (
    (r"can['’]t|cannot|can not", "can not"),
    (r"won['’]t", "will not"),
    (r"(\w+)n['’]t", r"\1 not"),
    (r"un([a-z]{5,}able)", r"not \1"),
)
# Where two could begin at the same word, the first of the list is taken.
_PHRASES: Rules = (
    (r"(?:is|are|was|were) able to", "can"),
    (r"(?:have|has|had|needs?|(?:is|are) (?:required|obliged|forced)) to|ought to", "must"),
    (r"need not", "not must"),
    (
        r"rather than|instead of|(?:and|but) not(?= (?:through|by|with|in|on|from|via|a|the)\b)",
        "instead",
    ),
    (r"as soon as|(?<!at )once(?= (?!per|an?|every|in|more|again)\w)|whenever|in case", "when"),
    (r"in order to|so as to", "to"),
    (r"at least|a minimum of|no (?:less|fewer) than", "atleast"),
    (r"at most|up to(?= \d)|a maximum of|no more than", "atmost"),
    (r"(?:more|greater|larger|higher) than(?= \d)|over(?= \d)|above(?= \d)", "overnumber"),
    (
        r"(?:less|fewer|smaller|lower) than(?= \d)|under(?= \d)|below(?= \d)|beneath(?= \d)",
        "undernumber",
    ),
    (r"the (?:vast )?majority of", "most"),
    (r"a (?:large )?number of|a lot of|lots of", "many"),
    (r"(?:add|build|pile)(s|ed|ing)? up|built up", "accumulate"),
    (r"slow(s|ed|ing)? down", "decelerate"),
    (r"speed(s|ing)? up|sped up", "accelerate"),
    (r"mov(e|es|ed|ing) forward", "advance"),
    (r"look(s|ed|ing)? up", "lookup"),
    (r"set(s|ting)? up", "setup"),
    (r"shut(s|ting)? down", "shutdown"),
    (r"due to|owing to|as a result of|because of", "because"),
    (r"as well as", "and"),
    (r"each other|one another", "eachother"),
    (r"(?:every|each) one of|each of", "each of"),
    (r"(?:a single|one) time(?= ?(?:and|but|or)\b|[.,;]|$)", "once"),
    (r"tak(?:e|es|ing) care of|(?:is|are) (?:in charge of|responsible for)", "does"),
    (r"do(?:es)? away with", "has no"),
    (
        r"(?:gets?|do|does|manages?) (?:by |along )?without(?: an?| the| any)?(?= \w)",
        "needs no",
    ),
    (r"swap(s|ped|ping)? out", "replace"),
    (r"(?:comes?|came) at the (?:cost|price|expense) of", "costs"),
    (r"at the (?:cost|price|expense) of", "but costs"),
    (r"no longer", "not"),
    (r"unless", "if not"),
    (r"re(buil[dt]\w*|compil\w*|train\w*|comput\w*|calculat\w*|test\w*)", r"\1 again"),
    (r"unlike", "whereas"),
    (r"gives? rise to|brings? about|results? in|resulting in|leads? to|leading to", "causes"),
    (r"mak(?:e|es|ing) it possible (?:to|for)", "allows"),
    (r"calls? for", "needs"),
    (r"mak(?:e|es|ing) use of", "uses"),
    (r"(?:work|figure)(?:s|ed|ing)? out", "determine"),
    (r"goes wrong|go wrong", "fails"),
    (r"bring(?:s|ing)? together", "combines"),
    (r"right away|straight away|at once", "immediately"),
    (r"at the same time|in parallel|concurrently", "simultaneously"),
    (r"(?:with|as) time(?: passes| goes by)?", "over time"),
    (r"in advance|ahead of time", "beforehand"),
    (r"(?:as|so) long as", "if"),
    (r"keep(?:s|ing)?(?= \w+ing\b)|continue(?:s)? to(?= \w)", ""),
    (r"(?:have|has) no knowledge of|(?:is|are) not aware of", "do not know"),
    (r"(?:do|does|did) not (?:need|require|involve)", "is without"),
    (
        r"(?:is|are) an? (?:good|great|natural|better) (?:fit|match) for"
        r"|(?:is|are) (?:well )?(?:suited|suitable|appropriate) (?:to|for)",
        "suit",
    ),
    (r"counts? as", "is"),
    (r"(?:preferred|preferable|favou?red) (?:to|over)", "better than"),
    (r"at a (?:rate|speed|frequency) of(?= \d)", "at"),
    (r"for the first time", "first"),
    (r"strip(?:s|ped|ping)? (?:away|off)", "remove"),
    (r"(?:is|are) found in", "are in"),
    (r"(?:arriv|com)(?:e|es|ing) (?:at|up with)|ends? up (?:with|at)", "gives"),
    (r"beats?|outperforms?", "is better than"),
    (
        r"(?:its|their|the|a) (?:weakness|strength|drawback|downside|advantage|benefit) is that",
        "",
    ),
    (
        r"(?:the|a|one) (?:drawback|weakness|catch|downside|problem|trouble|idea|point) (?:of|with)"
        r" (.+?) is that",
        r"\1: ",
    ),
    (r"(?:is|are) (?:of )?no help", "not help"),
    (r"(?:referred to|known) as", "called"),
    (r"mak(?:e|es|ing) sure", "ensure"),
    (r"carr(?:y|ies|ied|ying) out", "perform"),
    (r"tak(?:e|es|ing) place", "happen"),
    (r"tak(?:e|es|ing) up", "occupy"),
    (r"(?:go|goes|going|went) up", "increase"),
    (r"(?:go|goes|going|went|come|comes|came) down", "decrease"),
    (r"after (?:that|this|which)|afterwards|subsequently", "then"),
    (r"(?:by|in) contrast|on the other hand|on the contrary|in other words", "however"),
    (r"which is why|that is why", "so"),
    (r"nothing but|none but|no other than|nothing (?:else|other) than", "only"),
    (r"under no circumstances|at no time", "never"),
    (r"at all times|all the time|in (?:all|every) cases?", "always"),
    (r"looks? like|looked like|looking like", "resemble"),
    (r"keeps? on|goes on|go on", "continue"),
    (r"tends? to", "usually"),
    (r"(?:is|are) (?:bound|certain|sure|guaranteed) to", "always"),
    (r"fails? to|unable to", "not"),
)


class _Pass:
    """Replaces many phrases in one pass; `\1` in a replacement is the phrase's own first group."""

    def __init__(self, rules: Rules) -> None:
        self._plain: dict[int, str] = {}
        group = 1
        for pattern, plain in rules:
            self._plain[group] = plain
            group += 1 + re.compile(pattern).groups
        # Without IGNORECASE: the engine then skips most places by their first letter.
        self._pattern = re.compile(rf"\b(?:{'|'.join(f'({pattern})' for pattern, _ in rules)})\b")

    def replace(self, text: str) -> str:
        return self._pattern.sub(self._replaced, text)

    def _replaced(self, found: re.Match[str]) -> str:
        group = found.lastindex or 0
        plain = self._plain[group]
        return plain.replace(r"\1", found[group + 1] or "") if r"\1" in plain else plain


_PASSES = (_Pass(_SHORT), _Pass(_PHRASES))
# A phrase may open a sentence; a name that does so keeps its capital.
_OPENING = re.compile(
    r"^(?:A|After|Afterwards|All|An|And|Are|As|At|Because|Beneath|Below|But|By|Can|Cannot|Due|Each"
    r"|Every|For|In|Instead|Is|Its|Keep|Lots|Make|More|Most|No|None|Not|Nothing|On|Once|One|Over"
    r"|Owing|Rather|Right|So|Straight|Subsequently|That|The|Their|Under|Unless|Unlike|Up|Whenever|Which"
    r"|With|Bringing|Carrying|Keeping|Look|Looking|Making|Set|Setting|Shutting|Slowing|Speeding"
    r"|Taking|Working)\b"
)


@lru_cache(maxsize=8_192)
def plain_phrases(text: str) -> str:
    """Return a text with phrases of several words written one way."""
    text = _OPENING.sub(lambda found: found[0].lower(), text)
    for each in _PASSES:
        text = each.replace(text)
    return text
