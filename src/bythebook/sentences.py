"""Finding where sentences begin and end, by rule, with exact offsets.

A wrong cut shows a reader half a sentence, so the rules prefer too few cuts to too many.
"""

from __future__ import annotations

import re

Span = tuple[int, int]

# A sentence may end at . ! ? (with closing quotes or brackets behind it) before white space.
_CANDIDATE = re.compile(r"(?<![.!?])[.!?]+[\"'”’)\]]*(?=\s)")

_ABBREVIATIONS = frozenset(
    """
    e.g i.e eg ie etc vs cf al fig figs eq eqs sec ch chap no nos vol pp p dr mr mrs ms prof
    st jr sr inc ltd co corp dept approx est min max avg ver rev jan feb mar apr jun jul aug
    sep sept oct nov dec a.m p.m u.s u.k
    """.split()
)

# What may begin a new sentence: a capital, a digit, an opening quote or bracket, a symbol. A small
# letter may not, except in the names that code is made of (`rclpy` starts a sentence as it is).
_OPENING = re.compile(r"[\s]+[\"'“‘(\[]*[^\sa-z]")
_CODE_LIKE_OPENING = re.compile(r"\s+[a-z][a-z0-9]*(?:[_0-9/:(]|[.-]\w)")


# A unit that looks like an abbreviation or an initial, behind its number.
_AFTER_NUMBER = re.compile(r"\d\s(?:ms|min|[A-Za-z])$|\dms$")

_POINTS_AHEAD = re.compile(
    r":$|\b(following|as follows|below|these steps|steps are|in this order)\b[^.]*[.:]?$",
    re.IGNORECASE,
)


def points_ahead(text: str) -> bool:
    """Tell whether a text ends by announcing what comes next, as "these are the steps:" does."""
    return _POINTS_AHEAD.search(text) is not None


def split_sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the spans of the sentences in `text[start:end]`, without the space around them."""
    end = len(text) if end is None else end
    spans: list[Span] = []
    begin = start
    for candidate in _CANDIDATE.finditer(text, start, end):
        if _is_boundary(text, candidate, end):
            _append(spans, text, begin, candidate.end())
            begin = candidate.end()
    _append(spans, text, begin, end)
    return spans


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def _is_boundary(text: str, candidate: re.Match[str], end: int) -> bool:
    behind = candidate.end()
    if text.startswith("\n\n", behind):
        return True
    opens = _OPENING.match(text, behind, end) or _CODE_LIKE_OPENING.match(text, behind, end)
    if opens is None:
        return False
    mark = candidate.group()
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    return not _ends_in_abbreviation(text, candidate.start())


def _ends_in_abbreviation(text: str, dot: int) -> bool:
    word_start = dot
    while (
        word_start > 0 and not text[word_start - 1].isspace() and text[word_start - 1] not in "(["
    ):
        word_start -= 1
    if _AFTER_NUMBER.search(text[max(0, word_start - 2) : dot]):
        return False  # "20 ms. The" ends, "Ms. Smith" does not
    word = text[word_start:dot]
    if len(word) == 1 and word.isupper():
        return word != "I"  # an initial, as in "J. Smith"
    if word.isdigit() and _begins_line(text, word_start):
        return True  # "1. First do this": a number of a list, not a sentence
    return word.lower() in _ABBREVIATIONS


def _begins_line(text: str, position: int) -> bool:
    return position == 0 or text[position - 1] == "\n"
