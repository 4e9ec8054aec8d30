"""A text as the rules of the gate read it: sentences, clauses, and words with what they count as.

This is no parser. A clause ends at a comma, a semicolon or a word such as "while" or "because";
that is enough to tell which words of a sentence belong together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from bythebook.grounding.phrases import plain_phrases
from bythebook.grounding.quantities import UNITS, plain_numbers
from bythebook.grounding.wording import is_small, pole_of, stem_of, token
from bythebook.sentences import split_sentences

# Words a sentence may open with that say nothing.
_OPENER = re.compile(
    r"^(?:additionally|furthermore|moreover|therefore|overall|finally|similarly|specifically|next"
    r"|in (?:summary|short|addition|conclusion)|consequently|thus|also),\s+",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?:\d+(?:[.,]\d+)*|[^\W\d_]+\d*|[^\W_]+)", re.UNICODE)
_NAME_WITH_NUMBER = re.compile(r"([a-z]{2,})(\d+)")
PRONOUNS = frozenset("it they this these those its their them others".split())
_BREAK = re.compile(
    r"[;:,()]\s|\s[-–—]\s|\b(?:while|whereas|but|because|since|although|though|unless|if|when"
    r"|which|so(?! (?:much|many|few|little|far|long)\b))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Word:
    """One word: as it stands, what it counts as, and where it is."""

    text: str
    lower: str
    token: str
    is_content: bool
    is_unit: bool


@dataclass(frozen=True)
class Clause:
    """Words that belong together."""

    text: str
    words: tuple[Word, ...]
    sentence: int
    carried: frozenset[str] = frozenset()  # what its "it" may stand for

    @cached_property
    def tokens(self) -> frozenset[str]:
        """What the words that carry meaning count as."""
        return frozenset(word.token for word in self.words if word.is_content)

    @cached_property
    def marks(self) -> frozenset[str]:
        """The same with their signs."""
        return marks_of(self.words)

    @cached_property
    def lowers(self) -> frozenset[str]:
        """The words as they stand."""
        return frozenset(word.lower for word in self.words)


@dataclass(frozen=True)
class Reading:
    """A whole text."""

    text: str
    sentences: tuple[Clause, ...]
    clauses: tuple[Clause, ...]

    @cached_property
    def tokens(self) -> frozenset[str]:
        """What the words of the text that carry meaning count as."""
        return frozenset(token for sentence in self.sentences for token in sentence.tokens)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """All words in order."""
        return tuple(word for sentence in self.sentences for word in sentence.words)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The plainest reading of all words, the small ones too: "needs" may be "takes"."""
        return frozenset(form for word in self.words for form in forms_of(word))


@lru_cache(maxsize=4_096)
def read(text: str) -> Reading:
    """Return a text as the rules read it."""
    text = _OPENER.sub("", text.replace("’", "'"))
    sentences: list[Clause] = []
    clauses: list[Clause] = []
    for number, (start, end) in enumerate(split_sentences(text)):
        # Sentence by sentence, since a sentence comes back in several spans of its passage.
        sentence = plain_phrases(plain_numbers(text[start:end]))
        before = _topic(sentences[-1]) if sentences else frozenset()
        sentences.append(_clause(sentence, number, before))
        said = [_clause(clause, number, before) for clause in _parts(sentence)]
        # What an "it" stands for may also have opened its own sentence.
        known = before | _topic(said[0]) if said else before
        clauses += said[:1]
        clauses += [_clause(clause.text, number, known) for clause in said[1:]]
    return Reading(" ".join(s.text for s in sentences), tuple(sentences), tuple(clauses))


def _clause(text: str, sentence: int, before: frozenset[str]) -> Clause:
    words = _words(text)
    points_back = any(word.lower in PRONOUNS for word in words[:3])
    return Clause(text, words, sentence, before if points_back else frozenset())


def _topic(sentence: Clause) -> frozenset[str]:
    """Return the first words of a sentence, which the next one may call "it"."""
    first = [word.token for word in sentence.words if word.is_content][:4]
    return frozenset(first) | sentence.carried


@lru_cache(maxsize=8_192)
def _parts(sentence: str) -> tuple[str, ...]:
    """Return the clauses of a sentence; the word that opens a clause belongs to it."""
    cuts = [0, *(found.start() for found in _BREAK.finditer(sentence)), len(sentence)]
    parts = [sentence[start:end] for start, end in pairwise(cuts)]
    return tuple(part for part in parts if _WORD.search(part))


@lru_cache(maxsize=8_192)
def _words(text: str) -> tuple[Word, ...]:
    words: list[Word] = []
    for match in _WORD.finditer(text):
        lower = match[0].lower()
        named = _NAME_WITH_NUMBER.fullmatch(lower)
        for part in named.groups() if named else (lower,):
            after_number = bool(words) and words[-1].lower[0].isdigit()
            is_unit = after_number and part in UNITS
            is_content = not is_small(part) or _is_name(match[0])
            words.append(Word(match[0], part, token(part), is_content, is_unit))
    return tuple(words)


def _is_name(text: str) -> bool:
    """Tell whether a word in capitals is a name, such as GET or CAN, and no NOT or MUST."""
    return text.isupper() and len(text) > 1 and text.lower() in _NAMES


# Words of grammar that are names when they stand in capitals.
_NAMES = frozenset("get can it us am do own has as so over via per".split())


def forms_of(word: Word) -> tuple[str, ...]:
    """Return what a word of the book stands as: its stem, and its dimension if it has one.

    Not its token: a synonym of the claim's word is enough, a synonym of a synonym is too far.
    """
    plain = stem_of(word.lower)
    return (plain, word.token) if word.token[0] == "±" else (plain,)


def nearest(clause: Clause, others: Sequence[Clause]) -> list[Clause]:
    """Return the clauses that share most words with a clause, all of them when it is a tie."""
    # Of clauses that share as many, those are nearer that share them themselves and by sign: what
    # an "it" may stand for is a guess, and private is not public.
    shared = [
        (len(clause.tokens & (other.tokens | other.carried)), len(clause.marks & other.marks))
        for other in others
    ]
    best = max(shared, default=(0, 0))
    return [other for other, count in zip(others, shared, strict=True) if count == best and best[0]]


def marks_of(words: Sequence[Word]) -> frozenset[str]:
    """Return what the words that carry meaning count as, with their signs."""
    return frozenset(mark_of(word) for word in words if word.is_content and not word.is_unit)


def mark_of(word: Word) -> str:
    """Return what a word counts as, with its sign: the small model is not the large one."""
    pole = pole_of(word.lower)
    return word.token if pole is None else f"{'+' if pole[1] > 0 else '-'}{pole[0]}"
