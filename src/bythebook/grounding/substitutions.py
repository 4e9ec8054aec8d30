"""One thing put in the place of another: the words around it are the book's, the thing is not.

"Reliable delivery resends messages, while best-effort delivery sends each once" has all words of
"Reliable delivery sends each message once". So each clause of a claim is laid beside the half of a
sentence that is likest to it. Where both have other words between the same neighbours, and the
claim's come from elsewhere in the passage, one was put in the place of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bythebook.grounding.reading import PRONOUNS, Clause, Reading, Word, read
from bythebook.grounding.roles import VERBS
from bythebook.grounding.wording import is_light, kin_of, pole_of, stem_of

# Where one half of a sentence ends and another begins, about something else.
_HALVES = re.compile(
    r"; |: |, (?:and|or|but|so|yet|not)\b|,? \b(?:while|whereas|although|though|but|because|since"
    r"|so that)\b",
    re.IGNORECASE,
)
# A clause of a claim must have this share of its words in one half to be laid beside it.
_ALIKE = 0.5
# How many words of a half an "it" behind it may stand for.
_TOPIC = 4
# Between two neighbours, more words than these are another phrase and not another thing.
_WIDEST = 3


@dataclass(frozen=True)
class _Half:
    words: tuple[Word, ...]  # those with content
    names: frozenset[str]  # what they count as, and what its "it" may stand for
    others: frozenset[str]  # the same of its words of grammar and of its "it" alone


def substituted(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each thing of a claim that stands where the book has another."""
    halves = [half for sentence in source.sentences for half in _halves(sentence)]
    reasons = []
    for clause in _clauses(claim):
        found = [list(_exchanged(clause, half)) for half in _likest(clause, halves)]
        if found and all(found):
            here, there = found[0][0]
            reasons.append(f"{here!r} stands where the passage has {there!r}")
    return reasons


def _halves(sentence: Clause) -> Iterator[_Half]:
    cuts = [found.start() for found in _HALVES.finditer(sentence.text)]
    topic = sentence.carried  # what an "it" may stand for
    for start, end in pairwise((0, *cuts, len(sentence.text))):
        words = read(sentence.text[start:end].strip(" ,;:")).words
        content = tuple(word for word in words if word.is_content)
        points_back = any(word.lower in PRONOUNS for word in words[:3]) or _has_no_subject(words)
        if content:
            others = _names(words) - _names(content) | (topic if points_back else frozenset())
            yield _Half(content, _names(content) | others, others)
        first = _names(content[:_TOPIC])
        topic = topic | first if points_back else first


def _has_no_subject(words: Sequence[Word]) -> bool:
    """Tell whether a half goes on about the same thing: "but stops when ..."."""
    opening = [word for word in words[:4] if word.lower not in _OPENINGS][:1]
    return (
        len(words) > 1
        and words[0].lower in _OPENINGS
        and any(word.token in VERBS or word.lower in _AUXILIARY for word in opening)
    )


_OPENINGS = frozenset("and or but so yet then also thereby hence therefore not because".split())
_AUXILIARY = frozenset("is are was were can may must will has have does do should could".split())


def _clauses(claim: Reading) -> Iterator[tuple[Word, ...]]:
    """Yield the words with content of each clause; an "it" is read as what came before."""
    for sentence in claim.sentences:
        cuts = [found.start() for found in _HALVES.finditer(sentence.text)]
        subject: tuple[Word, ...] = ()
        for start, end in pairwise((0, *cuts, len(sentence.text))):
            words = read(sentence.text[start:end].strip(" ,;:")).words
            content = tuple(word for word in words if word.is_content)
            if words and any(word.lower in ("it", "they") for word in words[:2]):
                content = subject + content
            subject = subject or content[:2]
            is_comparison = any(word.lower == "than" for word in words)
            if len(content) > 1 and not is_comparison:  # a comparison has its own rule
                yield content


def _names(words: Sequence[Word]) -> frozenset[str]:
    return frozenset(form for word in words for form in (word.token, stem_of(word.lower)))


def _likest(clause: Sequence[Word], halves: Sequence[_Half]) -> list[_Half]:
    shared = [sum(_is_among(word, half.names) for word in clause) for half in halves]
    best = max(shared, default=0)
    if best < _ALIKE * len(clause):
        return []
    return [half for half, count in zip(halves, shared, strict=True) if count == best]


def _is_among(word: Word, names: frozenset[str]) -> bool:
    return not kin_of(word.lower).isdisjoint(names)


def _exchanged(clause: Sequence[Word], half: _Half) -> Iterator[tuple[str, str]]:
    """Yield each pair of words that stand for each other and do not mean the same."""
    pairs = _aligned(clause, half.words)
    ends = [(-1, -1), *pairs, (len(clause), len(half.words))]
    for (left, start), (right, end) in pairwise(ends):
        here, there = clause[left + 1 : right], half.words[start + 1 : end]
        is_edge = left < 0 or right == len(clause)
        if not here or not there or (len(there) > _WIDEST and not is_edge):
            continue
        said, names = _names(clause), half.names
        if left < 0:
            # What it is said of cannot be a word that stands for itself farther on.
            said, names = _rest(clause, [at for at, _ in pairs]), half.others
            names = names | _rest(half.words, [at for _, at in pairs])
        foreign = [word for word in here if _is_thing(word) and not _is_among(word, names)]
        missing = [word for word in there if _is_thing(word) and not _is_among(word, said)]
        if foreign and missing:
            yield foreign[0].lower, missing[0].lower
        yield from _turned(here, there)
    yield from _other_subject(clause, half, ends)


def _rest(words: Sequence[Word], aligned: Sequence[int]) -> frozenset[str]:
    return _names([word for number, word in enumerate(words) if number not in aligned])


def _other_subject(
    clause: Sequence[Word], half: _Half, ends: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, str]]:
    """Yield "the diffusion policy" for "the policy trained so": the head is shared, no more."""
    if len(ends) < 4 or ends[1] != (1, 0):
        return
    first, after = clause[0], half.words[1 : ends[2][1]]
    missing = [word for word in after if _is_thing(word) and not _is_among(word, _names(clause))]
    if missing and ends[2][0] == 2 and not _is_among(first, half.names) and _is_thing(first):
        yield first.lower, missing[0].lower


def _turned(here: Sequence[Word], there: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """Yield opposites in the same place: "a slow sensor that drifts" for a fast one."""
    for word in here:
        pole = pole_of(word.lower)
        for other in there:
            if pole and pole_of(other.lower) == (pole[0], -pole[1]):
                yield word.lower, other.lower


def _is_thing(word: Word) -> bool:
    # Numbers are compared by value, elsewhere.
    return not (is_light(word.lower) or word.is_unit or word.lower[0].isdigit())


def _is_same(one: Word, other: Word) -> bool:
    left, right = pole_of(one.lower), pole_of(other.lower)
    if left and right:
        return left == right
    return _is_among(one, frozenset((other.token, stem_of(other.lower))))


def _aligned(left: Sequence[Word], right: Sequence[Word]) -> list[tuple[int, int]]:
    """Return which words of two texts are the same, in order: the longest such row."""
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    same = [[_is_same(one, other) for other in right] for one in left]
    for row in range(len(left) - 1, -1, -1):
        for column in range(len(right) - 1, -1, -1):
            best[row][column] = max(
                best[row + 1][column],
                best[row][column + 1],
                best[row + 1][column + 1] + 1 if same[row][column] else 0,
            )
    pairs = []
    row = column = 0
    while row < len(left) and column < len(right):
        if same[row][column] and best[row][column] == best[row + 1][column + 1] + 1:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row + 1][column] >= best[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs
