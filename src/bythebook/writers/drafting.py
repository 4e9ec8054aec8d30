"""Reading what a model writes: sentences, list items and code blocks, as they come.

A model's citation marks are taken off and kept as hints. They are never shown: the numbers a reader
sees are given out by grounding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from bythebook.sentences import split_sentences
from bythebook.types import DraftSentence, Passage

_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+#.-]*)[^`]*$")
_ITEM = re.compile(r"^\s*(?P<marker>[-*•+]|\d{1,3}[.)])\s+(?P<text>.*)$")
_HEADING = re.compile(r"^\s{0,3}#{1,6}(?:\s|$)")

# [1], [1, 2], [1-3], [^1], 【1】, [Passage 1] and document 003's [Source: Page Title]. Not in
# inline code, and not behind a single letter or a name with an underscore, where [1] is an index.
_MARK = (
    r"(?:\[\^?(?:(?:passages?|sources?)\s+)?\d+(?:\s*[,–-]\s*\d+)*\]|【\d+[^】]*】"
    r"|\[source:[^\]\n]*\])"
)
_MARKS = re.compile(
    rf"(?P<code>`[^`\n]+`|\b(?:[a-z]|\w*_\w*)\[\d+\])|\s*(?P<mark>{_MARK})", re.IGNORECASE
)
_NUMBERS = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")

# "It is so. [1]" belongs to the sentence before it, so the mark goes in front of the full stop.
_MARK_BEHIND_STOP = re.compile(rf"(?P<stop>[.!?]+)(?P<marks>(?:\s*{_MARK})+)", re.IGNORECASE)
# While a draft is still coming, what may turn out to be such a mark is left for later.
_MAYBE_MARKS = re.compile(r"(?:\s*(?:\[[^\]\n]*\]?|【[^】\n]*】?))+\s*$")
_OPEN_MARK = re.compile(r"\s*[\[【][^\]】\n]*$")

# "According to [1], it is so": without its mark the phrase would hang in the air.
_ATTRIBUTION = re.compile(
    r"\b(?:according to|as (?:stated|described|mentioned|noted|said) in|based on|in)\s+"
    rf"(?:the\s+)?(?:passages?\s+)?{_MARK}(?:\s*(?:and|,)\s*{_MARK})*\s*,?\s*",
    re.IGNORECASE,
)

_STRONG = re.compile(r"(?P<code>`[^`\n]+`)|\*\*(?P<strong>[^*\n]+)\*\*")
_LINK = re.compile(r"(?P<code>`[^`\n]+`)|!?\[(?P<words>[^\]\n]*)\]\([^)\n]*\)")

_THINKING = "<think>", "</think>"
_FULL_STOP = re.compile(r"[.!?…:][\"'”’)\]`*]*$")


@dataclass
class _Piece:
    layout: Literal["prose", "item", "code"]
    text: str
    marker: str = ""
    language: str = ""
    fence: str = ""  # what opened a code block, and must close it


class DraftReader:
    """Turns the pieces of a stream into sentences, each as soon as it cannot change any more.

    `passages` may grow while the reader is at work, as it does when the model searches.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._given = 0
        self.text = ""

    def feed(self, piece: str) -> list[DraftSentence]:
        """Return the sentences that this piece has completed."""
        self.text += piece
        if not any(character.isspace() for character in piece):
            return []
        settled = _MAYBE_MARKS.sub("", self.text)
        return self._next(split_draft(settled, self._passages)[:-1])

    def finish(self, was_cut_off: bool = False) -> list[DraftSentence]:
        """Return the rest; of a draft that was cut off, only what is complete."""
        text = _OPEN_MARK.sub("", self.text) if was_cut_off else self.text
        sentences = split_draft(text, self._passages)
        if was_cut_off and sentences and not _is_whole(sentences[-1], text):
            sentences = sentences[:-1]
        return self._next(sentences)

    def _next(self, sentences: list[DraftSentence]) -> list[DraftSentence]:
        new = sentences[self._given :]
        self._given = max(self._given, len(sentences))
        return new


def split_draft(text: str, passages: Sequence[Passage]) -> list[DraftSentence]:
    """Return the sentences of a whole draft; marks that name no passage are ignored."""
    return [
        sentence
        for piece in _pieces(_without_thinking(text))
        for sentence in _sentences(piece, passages)
    ]


def _is_whole(sentence: DraftSentence, text: str) -> bool:
    if sentence.layout == "code":
        return _FENCE.match(text.rstrip().rpartition("\n")[2]) is not None
    return _FULL_STOP.search(_MAYBE_MARKS.sub("", text).rstrip()) is not None


def _without_thinking(text: str) -> str:
    """Leave out what a reasoning model says to itself, when its server passes it on."""
    begin, end = _THINKING
    if not text.lstrip().startswith(begin):
        return text
    return text.partition(end)[2]


def _pieces(text: str) -> Iterator[_Piece]:
    piece: _Piece | None = None
    for line in text.split("\n"):
        if piece and piece.layout == "code":
            if _closes(line, piece.fence):
                yield piece
                piece = None
            else:
                piece.text += f"{line}\n"
            continue
        begun = _begin(line)
        says_nothing = not line.strip() or _HEADING.match(line) is not None
        if piece and (begun or says_nothing):
            yield piece
            piece = None
        if begun:
            piece = begun
        elif not says_nothing:
            piece = piece or _Piece("prose", "")
            piece.text += f"\n{line.strip()}" if piece.text else line.strip()
    if piece:
        yield piece


def _begin(line: str) -> _Piece | None:
    """Return the code block or list item that a line begins."""
    if fence := _FENCE.match(line):
        return _Piece("code", "", language=fence["language"], fence=fence["fence"])
    if item := _ITEM.match(line):
        return _Piece("item", item["text"], marker=item["marker"])
    return None


def _closes(line: str, fence: str) -> bool:
    closing = line.strip()
    return closing.startswith(fence) and not closing.strip(fence[0])


def _sentences(piece: _Piece, passages: Sequence[Passage]) -> Iterator[DraftSentence]:
    if piece.layout == "code":
        if piece.text.strip():
            yield DraftSentence(text=piece.text.strip("\n"), layout="code", language=piece.language)
        return
    text = _MARK_BEHIND_STOP.sub(r"\g<marks>\g<stop>", piece.text)
    marker = piece.marker
    for start, end in split_sentences(text):
        words, cites = _take_marks_off(text[start:end], passages)
        if any(character.isalnum() for character in words):
            yield DraftSentence(text=words, cites=cites, layout=piece.layout, marker=marker)
            marker = ""  # an item's further sentences go on behind the first


def _take_marks_off(sentence: str, passages: Sequence[Passage]) -> tuple[str, tuple[str, ...]]:
    marks = [found["mark"] for found in _MARKS.finditer(sentence) if found["mark"]]
    numbers = [number for mark in marks if ":" not in mark for number in _numbers(mark)]
    cites = [passages[number - 1].chunk.id for number in numbers if 0 < number <= len(passages)]
    plain = _ATTRIBUTION.sub("", sentence)
    plain = _MARKS.sub(lambda found: found["code"] or "", plain)
    plain = _LINK.sub(lambda found: found["code"] or found["words"], plain)
    plain = _STRONG.sub(lambda found: found["code"] or found["strong"], plain).strip()
    if plain != sentence and sentence[:1].isupper():
        plain = plain[:1].upper() + plain[1:]
    return plain, tuple(dict.fromkeys(cites))


def _numbers(mark: str) -> Iterator[int]:
    """Yield the numbers of a mark, a range spelled out; a huge one is nonsense and cut short."""
    for first, last in _NUMBERS.findall(mark):
        if len(first) <= 3 and len(last) <= 3:
            yield from range(int(first), int(last or first) + 1)
