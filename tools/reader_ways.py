"""Measure ways to let the reader read a book: at once or in parts, under which headings, how much.

    python -m tools.reader_ways QUESTIONS.jsonl[,MORE.jsonl]:INDEX [...]

Each question is asked once. Then what was read for it is read again in other ways. Printed is how
well the reader's number alone ranks the questions whose draft cites a page that answers above all
others (AUC, the mean of the books), by the best of the passages read and by the first of them.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bythebook import open_book
from bythebook.readers import minilm, passages
from bythebook.readers.passages import Place
from bythebook.types import Passage, Query
from tools.fit_answerability import cites
from tools.mined_from_books import area

MOST = 3


@dataclass(frozen=True)
class Asked:
    """A question, where its best sentences stand, and whether the draft is right."""

    question: str
    places: Sequence[Place]
    is_right: bool


async def ask_all(questions: Sequence[Path], index: Path) -> list[Asked]:
    """Return the questions on one book for which something was found."""
    book = open_book(index)
    asked = []
    for line in (line for file in questions for line in file.read_text("utf-8").splitlines()):
        one = json.loads(line)
        if "question" not in one or "selected_text" in one:
            continue
        found = await book.examine(Query(text=one["question"]))
        places: dict[str, Place] = {}
        for scored in found.scored:
            passage = scored.unit.passage
            place = Place(passage, scored.unit.start, passage.score)
            places.setdefault(passage.chunk.id, place)
        right = bool(one["answerable"] and cites(found, one["gold_pages"]))
        if places:
            asked.append(Asked(one["question"], list(places.values())[:MOST], right))
    book.close()
    return asked


def last_heading(passage: Passage) -> str:
    """Return the last heading above a passage alone."""
    path = passage.chunk.heading_path
    return f"{path[-1]}\n" if path else ""


def figures(books: Sequence[Sequence[Asked]]) -> tuple[float, float]:
    """Return the mean AUC by the best of the passages and by the first."""
    reader = minilm.MiniLMReader()
    by_best, by_first = [], []
    for book in books:
        said = []
        for one in book:
            texts = [passages._extract(place)[0] for place in one.places]
            near = [place.closeness or 0.0 for place in one.places]
            said.append([r.probability for r in reader.read(one.question, texts, near)])
        right = [one.is_right for one in book]
        by_best.append(area([max(numbers) for numbers in said], right))
        by_first.append(area([numbers[0] for numbers in said], right))
    return float(np.mean(by_best)), float(np.mean(by_first))


def main() -> None:
    """Print the table."""
    books = []
    for argument in sys.argv[1:]:
        files, _, index = argument.rpartition(":")
        books.append(asyncio.run(ask_all([Path(f) for f in files.split(",")], Path(index))))
    headings = {"page and headings": passages._heading, "last heading": last_heading}
    lengths = {"at once": (128, 80), "in parts of 80": (80, 80)}
    stretches = (420, 700)
    print("| under | how | characters | best of three | first |\n| --- | --- | --- | --- | --- |")
    ways = itertools.product(headings.items(), lengths.items(), stretches)
    for (under, heading), (how, (at_once, part)), stretch in ways:
        passages._heading, passages._STRETCH = heading, stretch
        minilm._AT_ONCE, minilm._PART = at_once, part
        best, first = figures(books)
        print(f"| {under} | {how} | {stretch} | {best:.3f} | {first:.3f} |", flush=True)


if __name__ == "__main__":
    main()
