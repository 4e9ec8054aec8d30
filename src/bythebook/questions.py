"""What a question asks for: its kind, what it is about, and the words that tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from bythebook.terms import STOP_WORDS, question_terms, stem, words


class QuestionKind(StrEnum):
    """The shape an answer should have."""

    DEFINITION = "definition"
    HOW_TO = "how_to"
    COMPARISON = "comparison"
    QUANTITY = "quantity"
    REASON = "reason"
    COMMAND = "command"
    LIST = "list"
    GENERAL = "general"


# Tried in order; the first that matches decides.
_KINDS = (
    (
        QuestionKind.COMPARISON,
        r"\b(compare[ds]?|comparison|differ(s|ence|ences|ent)?|versus|vs|distinguish(es)?)\b"
        r"|\b(better|worse|faster|slower|farther|further|more|less|larger|smaller)\b.*\b(than|or)\b"
        r"|\brather than\b|\binstead of\b|\badvantages? .* over\b",
    ),
    (QuestionKind.REASON, r"\bwhy\b|\breasons?\b|\bwhat (causes?|caused)\b|\bhow come\b"),
    (
        QuestionKind.COMMAND,
        r"\b(which|what) (command|commands|code|flag|option|function|syntax|tag|element)\b"
        r"|\bwhat (do|should|must) (i|we|you) (write|type|run|enter|call|put)\b"
        r"|\bshow me\b.*\b(code|example|command)\b|\bcommand (to|for|line)\b",
    ),
    (
        QuestionKind.QUANTITY,
        r"\bhow (many|much|long|fast|far|often|large|big|heavy|high|tall|deep|wide|old)\b"
        r"|\bwhat (is|are|was) the (rate|speed|frequency|price|cost|size|range|number|maximum"
        r"|minimum|weight|mass|latency|bandwidth|resolution|value|percentage)\b"
        r"|\b(at|in|on) (what|which) (rate|frequency|speed|year|temperature)\b|^when (was|did)\b",
    ),
    (
        QuestionKind.HOW_TO,
        r"\bhow (do|does|can|could|should|would|to|must|might|is|are)\b"
        r"|\bhow (i|we|you) (can|do)\b|\b(what|which) (are the )?steps\b",
    ),
    (
        QuestionKind.LIST,
        r"^\W*(?:please )?(?:list|name|enumerate)\b|\bwhat (?:are|were) the\b"
        r"|\b(?:which|what) (?:kinds?|types?|parts?|steps|rules|policies|states) \b",
    ),
    (
        QuestionKind.DEFINITION,
        r"^\s*(so |and |ok |please )?(what|who)( exactly)?('s| is| was|( are| were)(?! the\b))\b"
        r"|^\s*(please )?(define|explain|describe)\b|\b(definition|meaning) of\b"
        r"|\bwhat (do|does|did) .* (mean|stand for|do)\b",
    ),
)
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)

# The thing to be defined stands behind "what is", or between "what does" and "mean". What follows
# it ("in USD", "when a robot walks") belongs to the question, but not to the name of the thing.
_DEFINED = re.compile(
    r"\b(?:what|who)\s+(?:does|do|did)\s+(?P<meant>.+?)\s+(?:mean|stand\s+for|do)\b"
    r"|\b(?:(?:what|who)(?:\s+exactly)?(?:'s|\s+is|\s+are|\s+was|\s+were)(?:\s+exactly)?"
    r"|define|explain|describe)\s+"
    r"(?:meant\s+by\s+|the\s+(?:meaning|definition)\s+of\s+|me\s+)?(?P<named>.+)",
    re.IGNORECASE,
)
_BEHIND_THE_NAME = re.compile(
    r"\s+(?:in|for|of|to|on|used|when|and\s+(?:how|why|what|when|where)|according|within|by|from"
    r"|that|which|good|useful|responsible)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE_THE_NAME = re.compile(r"^(?:the|an?|term|concept|word|idea|of)\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Question:
    """A question taken apart."""

    text: str
    kind: QuestionKind
    terms: dict[str, str]  # stem -> the reader's own word
    subject: str = ""  # of a definition: the thing to be defined


def analyse(text: str) -> Question:
    """Take a question apart, by rule."""
    kind = next((k for k, pattern in _COMPILED if pattern.search(text)), QuestionKind.GENERAL)
    subject = _subject(text) if kind is QuestionKind.DEFINITION else ""
    # Within the name of a thing every word counts: the "best" of "best effort" is no question word.
    terms = {stem(word): word for word in words(subject) if word not in STOP_WORDS}
    return Question(text, kind, terms | question_terms(text, not terms), subject)


_GIST = re.compile(
    r"^\W*(?:please\s+|can you\s+|could you\s+)*(?:explain|summari[sz]e|describe|simplify"
    r"|what\s+(?:does|is|do|are)|what's|tell me about)\s*"
    r"(?:this|that|these|those|it|the)?\s*(?:selection|selected text|text|passage|paragraph"
    r"|sentence|part|section)?\s*(?:mean|say|about|to me|please|here)*\W*$",
    re.IGNORECASE,
)


def asks_for_gist(text: str) -> bool:
    """Tell whether a question on marked text asks for nothing but that text: "Explain this"."""
    return _GIST.match(text) is not None


def _subject(text: str) -> str:
    found = _DEFINED.search(text)
    if found is None:
        return ""
    named = found["meant"] or found["named"]
    named = _BEHIND_THE_NAME.sub("", named.strip(" ?.!"))
    while (shorter := _BEFORE_THE_NAME.sub("", named)) != named:
        named = shorter
    return named.strip(" ?.!\"'“”‘’")
