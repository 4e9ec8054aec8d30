"""Phrases of several words, written one way, before a text is taken apart into words.

What is said in two words on one side may be said in one on the other: "gives rise to" and "causes".
All phrases are sought in one pass over the text, since the gate reads every sentence it is shown.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bythebook.terms import STOP_WORDS

Rules = tuple[tuple[str, str], ...]

_SHORT: Rules = (
    (r"can['’]t|cannot|can not", "can not"),
    (r"won['’]t", "will not"),
    (r"(\w+)n['’]t", r"\1 not"),
    (r"un([a-z]{4,}able)", r"not \1"),
    # "Unchanged" denies one word and no more of the sentence: "non changed".
    (r"un(?!it|if|iq|iv|der)([a-z]{3,}(?:ed|en)|used)", r"non \1"),
    (r"(?:is|are|was|were) not (?:as|so) (\w+) as", r"is less \1 than"),
    (r"(?:do|does|did) not (\w+) (?:as|so) (\w+) as", r"\1 less \2 than"),
    (
        r"(?:keep|stop|prevent|protect)(?:s|ed|ing)? ((?:[\w-]+ ){1,4}?)from (?:being |getting )?"
        r"(?=\w+(?:ed|ing|en)\b)",
        r"makes \1not ",
    ),
)
# Where two could begin at the same word, the first of the list is taken.
_PHRASES: Rules = (
    (r"(?:is|are|was|were) able to", "can"),
    (r"(?:have|has|had|needs?|(?:is|are) (?:required|obliged|forced)) to", "must"),
    (
        r"ought to|(?:it is )?(?:best|advisable|recommended|sensible|wise|a good idea) to"
        r"|had better",
        "should",
    ),
    (r"(?:is|are) capable of|(?:has|have) the ability to|it is possible to", "can"),
    (r"(?:is|are) (?:allowed|permitted|free) to", "may"),
    (r"in general|as a rule|in most cases|most of the time", "usually"),
    (r"from time to time|now and then|every so often", "sometimes"),
    (r"(?:every|each) time", "when"),
    (r"provided that|in the event (?:of|that)|on condition that", "if"),
    (r"despite|in spite of|even though|even if", "although"),
    (r"given that|seeing that|for the reason that", "because"),
    (r"prior to", "before"),
    (r"by means of|with the (?:help|aid) of", "with"),
    (r"in the course of|in the middle of", "during"),
    (r"in one go|all at once|in a single step", "immediately"),
    (r"(?:any more|anymore|any longer)", ""),
    (r"that is,", ""),
    (r"for (?:example|instance)", "such as"),
    (r"(?:stay|remain|stand)(?:s|ed|ing)? (?:still|motionless)", "does not move"),
    (r"lack(?:s|ed|ing)?(?= (?!of)\w)", "has no"),
    (r"free (?:of|from)(?= \w)", "without"),
    (r"(?:has|have|with) an? (?:rate|speed|frequency) of(?= \d)", "runs at"),
    (r"com(?:e|es|ing) back|came back", "return"),
    (r"g(?:et|ets|etting) rid of|got rid of", "remove"),
    (r"(?:cut|bring)(?:s|ting|ing)? down(?: on)?", "reduce"),
    (r"look(?:s|ed|ing)? for", "search"),
    (r"hand(?:s|ed|ing)? over", "pass"),
    (r"put(?:s|ting)? together", "assemble"),
    (r"break(?:s|ing)? down", "fail"),
    (r"find(?:s|ing)? out", "find"),
    (r"set(?:s|ting)? off", "trigger"),
    (r"a (?:great|good) deal of", "much"),
    (r"quite a few", "many"),
    (r"at any (?:one |given )?(?:time|moment|instant|point)", "at a time"),
    (r"(\d+(?:\.\d+)?(?: [a-zA-Z%°/]+)?) or (?:more|above|higher)", r"atleast \1"),
    (r"(\d+(?:\.\d+)?(?: [a-zA-Z%°/]+)?) or (?:less|fewer|below|lower)", r"atmost \1"),
    (r"tak(?:e|es|en|ing) ([\w ]{0,20}?)into account", r"consider \1"),
    (r"tak(?:es?|ing) (?:much |far )?longer", "is slower"),
    (r"tak(?:es?|ing) less time", "is faster"),
    (r"(?:is|are) (?:of )?no use", "is useless"),
    (r"(?:(?:is|are) )?(?:missing|absent) from", "not in"),
    (r"mak(?:e|es|ing) up for", "compensate"),
    (r"for the sake of", "for"),
    (r"(?:has|have) no (?:effect|influence|impact|bearing) on", "does not affect"),
    (r"(?:has|have) (?:an?|some) (?:effect|influence|impact|bearing) on", "affects"),
    (r"weighs? more", "is heavier"),
    (r"weighs? less", "is lighter"),
    (r"once (?:more|again)", "again"),
    (r"start(s|ed|ing)? (?:again|anew)", r"restart\1"),
    (r"(?:is|are|be) independent of", "not depend on"),
    (r"there (?:may|must) be no", "must not have"),
    (r"back and forth", ""),
    (r"at all(?! times)", ""),
    (r"twice as (?:large|big|high|many|much|great)", "double"),
    (r"(?:is|are|as) (?:a )?part of", "in"),
    (r"whether or not|(?:no matter|regardless of) whether", "although"),
    (r"as (?:if|though) (?:it|they) were", "as"),
    (r"costs? (?:very |only )?little|do(?:es)? not cost much", "is cheap"),
    (r"need not", "not must"),
    (
        r"rather than|instead of|(?:and|but) not(?= (?:through|by|with|in|on|from|via|a|the)\b)",
        "instead",
    ),
    (r"as soon as|(?<!at )once(?= (?!per|an?|every|in|more|again)\w)|whenever|in case", "when"),
    (r"in order to|so as to", "to"),
    (r"at least|a minimum of|no (?:less|fewer) than", "atleast"),
    (r"at most|up to(?= \d)|as (?:much|many) as(?= \d)|a maximum of|no more than", "atmost"),
    (
        r"(?:more|greater|larger|higher|longer) than(?= \d)|above(?= \d)"
        r"|exceed(?:s|ed|ing)?(?= \d)",
        "overnumber",
    ),
    (
        r"(?:less|fewer|smaller|lower|shorter) than(?= \d)|under(?= \d)|below(?= \d)"
        r"|beneath(?= \d)",
        "undernumber",
    ),
    (r"the (?:vast )?majority of", "most"),
    (r"a (?:large )?number of|a lot of|lots of", "many"),
    (r"(?:add|build|pile)(s|ed|ing)? up(?! to \d)|built up", "accumulate"),
    (r"slow(s)? down", r"decelerate\1"),
    (r"slow(ed|ing) down", r"decelerat\1"),
    (r"speed(s)? up", r"accelerate\1"),
    (r"speed(ing) up", r"accelerat\1"),
    (r"sped up", "accelerated"),
    (r"mov(e|es|ed|ing) forward", "advance"),
    (r"look(s|ed|ing)? up", "lookup"),
    (r"set(s|ting)? up", "setup"),
    (r"shut(s|ting)? down", "shutdown"),
    (r"due to|owing to|as a result of|because of", "because"),
    (r"as well as", "and"),
    (r"each other|one another", "eachother"),
    (r"(?:every|each) one of|each of", "each of"),
    (r"(?:a single|one) time(?= ?(?:and|but|or|yet|per|before|after)\b|[.,;]|$)", "once"),
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
        r"(?:is|are) an? (?:good|great|natural|better) (?:fit|match)(?: for)?"
        r"|(?:is|are) (?:well )?(?:suited|suitable|appropriate) (?:to|for)",
        "suit",
    ),
    (r"counts? as", "is"),
    (r"(?:preferred|preferable|favou?red) (?:to|over)", "better than"),
    (r"at a (?:rate|speed|frequency) of(?= \d| at least| at most| about)", "at"),
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
    (r"(?:keeps?|goes|go) on(?= (?:to |\w+ing\b)|[.,;]|$)", "continue"),
    (r"tends? to", "usually"),
    (r"(?:is|are) (?:bound|certain|sure|guaranteed) to", "always"),
    (r"fails? to|unable to", "not"),
)


_OWN_GROUP = re.compile(r"\\([1-9])")


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
        return _OWN_GROUP.sub(lambda own: found[group + int(own[1])] or "", plain)


_PASSES = (_Pass(_SHORT), _Pass(_PHRASES))
# A phrase may open a sentence, also with a word of grammar; a name that does so keeps its capital.
_OPENING = re.compile(
    r"^(?:Afterwards|Beneath|Bringing|Carrying|Despite|Due|Instead|Keep|Keeping|Look|Looking|Lots"
    r"|Make|Making|Nothing|None|Owing|Preventing|Prior|Provided|Right|Set|Setting|Shutting|Slowing"
    r"|Speeding|Stopping|Straight|Subsequently|Taking|Unless|Unlike|Whenever|Working"
    r"|Un[a-z]{3,}(?:ed|en))\b"
)


@lru_cache(maxsize=8_192)
def plain_phrases(text: str) -> str:
    """Return a text with phrases of several words written one way."""
    first = text.partition(" ")[0]
    if first.istitle() and first.lower() in STOP_WORDS:
        text = text[:1].lower() + text[1:]
    text = _OPENING.sub(lambda found: found[0].lower(), text)
    for each in _PASSES:
        text = each.replace(text)
    return text
