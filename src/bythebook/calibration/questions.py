"""Questions made from the book itself: some that it answers, some that it does not.

What answers is known by construction. Headings, definitions, table rows and steps give questions
that the book answers. It does not answer them when the passages that do are hidden, when two
things are mixed up, when something is asked that no book says of the thing, or when the question
belongs to another book.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources

from bythebook.definitions import STATES, definition_strength
from bythebook.focus import Focus
from bythebook.lexicon import Lexicon
from bythebook.questions import analyse
from bythebook.relevance import is_quotable
from bythebook.terms import QUESTION_WORDS, STOP_WORDS, question_terms, stem_set, stems
from bythebook.types import BlockKind, Chunk, Passage
from bythebook.units import Unit, units_of

# How many of each kind: enough for a curve, few enough for seconds.
_MOST = {
    "definition": 30,
    "row": 20,
    "steps": 15,
    "heading": 20,
    "removed": 40,
    "swapped": 15,
    "unsaid": 20,
    "off_topic": 15,
}

_DEFINES = re.compile(
    r"^(?:(?:In|For|On) [^,.]{2,40}, )?(?P<article>An? |The )?(?P<name>[A-Za-z][\w+/-]*"
    r"(?: [\w+/-]+){0,3}?)(?: \([^)]{2,30}\))? (?:is|are) (?:an?|the|one) "
)
_NOT_A_NAME = re.compile(
    r"\b(?:this|that|these|those|it|there|here|which|what|one|first|next|result|goal|idea|reason"
    r"|problem|question|point|example|following|other|another|key|main|most|all|each|every)\b",
    re.IGNORECASE,
)
_DOING = re.compile(r"^(?:how to )?(?P<verb>[A-Z][a-z]+ing)\b(?P<rest>.+)$|^How to (?P<what>.+)$")
_PLAIN_HEADING = re.compile(r"^[\w ,'’()/+-]{8,60}$")
_LABELS = re.compile(
    r"^(?:summary|introduction|overview|conclusion|exercises?|references|further reading|notes?"
    r"|appendix|contents|glossary|next steps|review|key (?:points|terms|takeaways)|in short|quiz"
    r"|what you (?:will|have) .*|where to .*|learning .*|objectives?|prerequisites?)\b",
    re.IGNORECASE,
)

# What books seldom say of the things they explain, and the words that would say it.
_SELDOM_SAID = (
    ("Who invented {name}?", "invent creat develop introduc propos author origin design"),
    ("When was {name} first released?", "releas publish launch introduc version sinc histori"),
    ("How much does {name} cost?", "cost price dollar usd cheap expens free euro"),
    ("Where is {name} manufactured?", "manufactur made factori produc built"),
    ("Which companies use {name}?", "compani industri custom deploy adopt"),
    ("What are the health risks of {name}?", "health risk danger safeti hazard injuri"),
)


@dataclass(frozen=True)
class Probe:
    """A question whose answer is known: the chunks that answer, none when nothing does.

    `hidden` are chunks that retrieval must not see, so that the question has no answer.
    """

    text: str
    kind: str
    answers: frozenset[str] = frozenset()
    hidden: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def is_answerable(self) -> bool:
        """Whether the book, as far as it may be seen, answers."""
        return bool(self.answers)


def make_probes(
    chunks: Sequence[Chunk], lexicon: Lexicon, is_everyday: Callable[[str], bool]
) -> list[Probe]:
    """Return the questions for a book, the same for the same book."""
    book = _Book(chunks, lexicon, is_everyday)
    definitions = _some(book.definitions())
    rows = _some(book.rows())
    steps = _some(book.steps())
    headings = _some(book.headings())
    return [
        *definitions,
        *rows,
        *steps,
        *headings,
        *_some(_hide(probe) for probe in [*definitions, *rows]),
        *_some(book.swapped()),
        *_some(book.unsaid(definitions)),
        *_some(book.off_topic()),
    ]


def _some(probes: Iterable[Probe]) -> list[Probe]:
    """Return as many as are needed, chosen evenly and always the same."""
    unique = {probe.text.lower(): probe for probe in probes}
    chosen = sorted(unique.values(), key=lambda probe: _number(probe.text))
    return chosen[: _MOST[chosen[0].kind]] if chosen else []


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _hide(probe: Probe) -> Probe:
    return replace(probe, kind="removed", answers=frozenset(), hidden=probe.answers | probe.hidden)


@dataclass(frozen=True)
class _Row:
    chunk_id: str
    thing: str
    columns: dict[str, str]


class _Book:
    """The chunks of a book, read for what can be asked about them."""

    def __init__(
        self, chunks: Sequence[Chunk], lexicon: Lexicon, is_everyday: Callable[[str], bool]
    ) -> None:
        self._chunks = sorted(chunks, key=lambda chunk: (chunk.page_path, chunk.index))
        self._lexicon = lexicon
        self._is_everyday = is_everyday
        self._stems = {chunk.id: stem_set(f"{chunk.context} {chunk.text}") for chunk in chunks}
        self._units = {
            chunk.id: units_of(Passage(chunk=chunk, score=1.0, rank=1)) for chunk in self._chunks
        }

    def definitions(self) -> Iterator[Probe]:
        for unit in self._quotable():
            found = _DEFINES.match(unit.text) if unit.kind is BlockKind.PARAGRAPH else None
            name = found["name"].strip() if found else ""
            if not found or _NOT_A_NAME.search(name) or not _is_telling(name):
                continue
            article = (found["article"] or "").lower()
            text = _VARIANTS[_number(name) % len(_VARIANTS)].format(f"{article}{_lower(name)}")
            focus = self._focus(text)
            if definition_strength(focus, unit) < STATES:
                continue
            answers, mentions = set(), set()
            for chunk_id, there in self._units.items():
                if not focus.is_subject(self._stems[chunk_id]):
                    continue
                if any(definition_strength(focus, other) for other in there):
                    answers.add(chunk_id)
                elif focus.is_subject(stem_set(" ".join(self._chunk(chunk_id).heading_path[-1:]))):
                    mentions.add(chunk_id)  # its own section may well explain it in other words
            yield Probe(text, "definition", frozenset(answers), frozenset(mentions))

    def rows(self) -> Iterator[Probe]:
        for row in self._rows():
            for column in row.columns:
                if _number(row.thing + column) % 3:
                    continue
                wanted = stem_set(f"{row.thing} {column}")
                says = frozenset(c for c, there in self._stems.items() if wanted <= there)
                thing = frozenset(stems(row.thing))
                near = frozenset(
                    c for c, there in self._stems.items() if thing <= there and self._has_table(c)
                )
                text = f"What is the {_lower(column)} of {row.thing}?"
                yield Probe(text, "row", says | {row.chunk_id}, near)

    def steps(self) -> Iterator[Probe]:
        for heading, chunk_ids in self._sections():
            found = _DOING.match(heading)
            if not found or _LABELS.match(heading):
                continue
            what = found["what"] or f"{_infinitive(found['verb'])}{found['rest']}"
            if _is_telling(what):
                yield Probe(f"How do I {_lower(what)}?", "steps", frozenset(chunk_ids))

    def headings(self) -> Iterator[Probe]:
        for heading, chunk_ids in self._sections():
            is_label = _LABELS.match(heading) or _DOING.match(heading)
            if is_label or not _PLAIN_HEADING.match(heading) or len(question_terms(heading)) < 2:
                continue
            says = _ABOUT[_number(heading) % len(_ABOUT)]
            yield Probe(says.format(_lower(heading)), "heading", frozenset(chunk_ids))

    def swapped(self) -> Iterator[Probe]:
        """Ask for the column of one table of a thing that stands in another."""
        rows = list(self._rows())
        for number, row in enumerate(rows):
            for other in rows[number + 1 :: 7]:
                columns = [c for c in other.columns if c not in row.columns]
                if other.chunk_id == row.chunk_id or not columns:
                    continue
                column = columns[0]
                wanted = stem_set(f"{row.thing} {column}")
                if not any(wanted <= there for there in self._stems.values()):
                    yield Probe(f"What is the {_lower(column)} of {row.thing}?", "swapped")

    def unsaid(self, definitions: Sequence[Probe]) -> Iterator[Probe]:
        """Ask of a thing what no passage that names it says."""
        for probe in definitions:
            subject = analyse(probe.text).subject
            named = frozenset(stems(subject))
            for pattern, words in _SELDOM_SAID:
                text = pattern.format(name=subject)
                says = set(words.split())
                there = (self._stems[c] for c in self._stems)
                if not any(named <= found and says & found for found in there):
                    yield Probe(text, "unsaid")

    def off_topic(self) -> Iterator[Probe]:
        """Ask what belongs to another book; words this book does not have show that it does."""
        for text in _elsewhere():
            terms = question_terms(text)
            unknown = [term for term in terms if not self._lexicon.knows(term)]
            if 2 * len(unknown) >= len(terms):
                yield Probe(text, "off_topic")

    def _focus(self, text: str) -> Focus:
        return Focus(analyse(text), self._lexicon, self._is_everyday)

    def _chunk(self, chunk_id: str) -> Chunk:
        return self._units[chunk_id][0].passage.chunk

    def _quotable(self) -> Iterator[Unit]:
        for units in self._units.values():
            yield from (unit for unit in units if is_quotable(unit, units))

    def _has_table(self, chunk_id: str) -> bool:
        return any(unit.kind is BlockKind.TABLE_ROW for unit in self._units[chunk_id])

    def _rows(self) -> Iterator[_Row]:
        for unit in self._quotable():
            if unit.kind is not BlockKind.TABLE_ROW or not unit.header:
                continue
            cells = [cell.strip() for cell in unit.text.split(" | ")]
            names = [name.strip() for name in unit.header.split(" | ")]
            if len(cells) != len(names) or not _is_short(cells[0]) or not _is_telling(cells[0]):
                continue
            columns = {
                name: cell
                for name, cell in zip(names[1:], cells[1:], strict=True)
                if cell and _is_short(name) and stems(name) and not _NO_COLUMN.search(name)
            }
            if columns:
                yield _Row(unit.passage.chunk.id, cells[0], columns)

    def _sections(self) -> list[tuple[str, list[str]]]:
        sections: dict[str, list[str]] = defaultdict(list)
        for chunk in self._chunks:
            for heading in chunk.heading_path:
                sections[heading].append(chunk.id)
        return list(sections.items())


# "Runs on", "What it shows": no noun to put behind "the".
_NO_COLUMN = re.compile(
    r"^(?:what|how|why|when|where|who|which|is|are|can|does)\b|\b(?:on|to|of|in|for|by|with|from)$|\?",
    re.IGNORECASE,
)

_VARIANTS = ("What is {}?", "What is meant by {}?", "What exactly is {}?", "Define {}.")
_ABOUT = ("What does the book say about {}?", "Tell me about {}.", "Explain {}.")


def _is_telling(name: str) -> bool:
    content = [w for w in name.lower().split() if w not in STOP_WORDS and w not in QUESTION_WORDS]
    return any(re.search(r"[a-z]{3}|[A-Z]{2}", word) for word in content)


def _is_short(text: str) -> bool:
    return 1 < len(text) <= 40 and len(text.split()) <= 5


def _lower(text: str) -> str:
    """Return a heading as running text: small letters, abbreviations and product names kept."""
    words = text.split(" ")
    return " ".join(w.lower() if w[1:].islower() or len(w) == 1 else w for w in words)


def _infinitive(gerund: str) -> str:
    stem = gerund[:-3].lower()
    if stem == "us" or stem.endswith(("dg", "nc", "rg", "ng", "lv", "rv", "tiliz", "tilis")):
        return f"{stem}e"
    if stem.endswith("oll") and len(stem) > 4:
        return stem[:-1]  # controlling
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]  # running, setting
    takes_e = re.search(r"(?:[^aeiou]|^)[aeiou][bcdgklmnprstuvz]$", stem) and len(stem) > 2
    return f"{stem}e" if takes_e and not stem.endswith(("en", "er", "it", "ow")) else stem


@lru_cache(maxsize=1)
def _elsewhere() -> tuple[str, ...]:
    text = resources.files(__package__).joinpath("elsewhere.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))
