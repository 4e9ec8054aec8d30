"""Recognising the sentence that says what a thing is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bythebook.focus import Focus
from bythebook.terms import stem_set
from bythebook.types import BlockKind
from bythebook.units import Unit

# What may stand before the name: nothing, an article, whose it is, a short adverbial ("In ROS 2, a
# node is", "Fundamentally, macros are").
_OPENING = re.compile(
    r"^\W*(?:(?:in|on|for|with|at) [^,.]{2,40},\s*|\w+ly,\s*)?"
    r"(?:(?:the|an?|every|each|definition:|\w+['’]s)\s+)*",
    re.IGNORECASE,
)
_BETWEEN = r"^\W{0,2}(?:\([^)]*\)\s*)?(?:,[^,]{1,40},)?\s*"
_SAYS_WHAT_IT_IS = re.compile(
    _BETWEEN + r"(?:is|are|was|were|refers? to|means?|describes?|denotes?|stands? for|represents?"
    r"|defines?|consists? of|:|–|—|=)(?:\s|$)",
    re.IGNORECASE,
)
_APPOSITION = re.compile(
    r"^[\"'”’*`]?\s*(?:\([^)]*\)\s*)?(?:,|–|—|:)\s*(?:an?|the|which is)\s", re.IGNORECASE
)
_NAMES_IT = re.compile(
    r"\b(?:called|known as|termed|named|referred to as)\W+(?:an?\s+|the\s+)?$", re.IGNORECASE
)
# "Smart pointers are usually implemented using structs" tells something about the thing, but not
# what it is.
_TELLS_ABOUT_IT = re.compile(
    _BETWEEN + r"(?:is|are|was|were)\s+(?:\w+ed (?:by|so|to|in|on|as|from|with|that|when|if|using)"
    r"|\w+ly|often|also|not|used|made|available|found|more|less|very|specific|useful|important"
    r"|common|safe|unsafe|in|on|at|for|from|to|with)\b",
    re.IGNORECASE,
)
# "Isaac Sim is running." does not even do that.
_TELLS_A_STATE = re.compile(
    _BETWEEN + r"(?:is|are|was|were)\s+(?:so |very )?(?:\w+\W*$|(?:different|similar)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S+")

STATES = 1.0  # "X is a ...", or a mention that also says what X is short for
MENTIONS = 0.6  # "... uses X, a ..." or "... is called X"


def definition_strength(focus: Focus, unit: Unit) -> float:
    """Return how plainly a unit defines the subject of the question, 0 when it does not."""
    if unit.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM) or not focus.question.subject:
        return 0.0
    text = unit.text
    if not focus.is_subject(stem_set(text)):
        return 0.0
    opening = _OPENING.match(text)
    first_places = {0, opening.end() if opening else 0}
    best = 0.0
    for start, end in _mentions(focus, text):
        best = max(best, _strength(text, start, end, start in first_places))
    if unit.block.marker[:1].isdigit():
        best = min(best, MENTIONS)  # a numbered step tells what happens, not what a thing is
    return STATES if best and focus.spells_out_subject(stem_set(text)) else best


def _mentions(focus: Focus, text: str) -> Iterator[tuple[int, int]]:
    """Yield the places where a text names the subject."""
    width = focus.longest_name() + 1
    places = [(m.start(), m.end()) for m in _WORD.finditer(text)]
    for first, (start, word_end) in enumerate(places):
        # It must begin with the name: "This enum is" speaks of one enum, not of what an enum is.
        if not focus.is_part_of_subject(stem_set(text[start:word_end])):
            continue
        for _, end in places[first : first + width]:
            if focus.is_subject(stem_set(text[start:end])):
                yield start, end - 1 if text[end - 1] in ",:" else end
                break


def _strength(text: str, start: int, end: int, is_first: bool) -> float:
    behind = text[end:]
    if is_first and _SAYS_WHAT_IT_IS.match(behind):
        if _TELLS_A_STATE.match(behind):
            return 0.0
        return MENTIONS if _TELLS_ABOUT_IT.match(behind) else STATES
    if _APPOSITION.match(behind):
        return MENTIONS
    return MENTIONS if _NAMES_IT.search(text[:start]) else 0.0
