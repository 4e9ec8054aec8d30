"""Measure the reader on passages mined from books: they rank high for a question and do not answer.

    python tools/mined_from_books.py BOOK:QUESTIONS.jsonl[,MORE.jsonl] [...]

Each pair is a folder of Markdown and questions on it with gold sentences. A question of it is
searched for as the product searches. A passage that holds one of its gold sentences answers; one on
a page that does not answer is a mined negative; a passage beside a gold sentence is left out, since
it may answer too. Shown for each book, and over all: how often a passage that answers is said to be
likelier than a mined one (AUC, with the interval of questions drawn again), the same among the
passages of one question, and the same for the cosine by which they were found.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bythebook import open_book
from bythebook.assembly import make_embedder, make_source
from bythebook.evaluation.cases import Case, Form, read_cases
from bythebook.evaluation.matching import holds
from bythebook.indexing import Indexer
from bythebook.readers.minilm import MiniLMReader
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.types import Chunk, Query

DEPTH = 8
ROUNDS = 500


@dataclass(frozen=True)
class Read:
    """A passage of one question: whether it answers, and what is said of it."""

    question: str
    answers: bool
    probability: float
    cosine: float


def area(said: Sequence[float], answers: Sequence[bool]) -> float:
    """Return the area under the ROC curve; equal numbers count half."""
    numbers, is_answer = np.array(said), np.array(answers)
    gaps = numbers[is_answer][:, None] - numbers[~is_answer]
    return float((gaps > 0).mean() + (gaps == 0).mean() / 2) if gaps.size else float("nan")


def truth(case: Case, chunk: Chunk) -> bool | None:
    """Tell whether a passage answers, or None when nobody said."""
    if any(holds(chunk.text, gold.text) for gold in case.gold):
        return True
    pages = case.gold_pages
    path = chunk.page_path
    return None if any(page.endswith(path) or path.endswith(page) for page in pages) else False


async def read_book(book: Path, questions: Sequence[Path]) -> list[Read]:
    """Return what the reader says of the passages found for the questions on a book."""
    reader = MiniLMReader()
    read: list[Read] = []
    with tempfile.TemporaryDirectory() as folder:
        shelf = FolderShelf(Path(folder) / "index")
        Indexer(make_embedder(load_settings())).index(make_source(book), shelf)
        assistant = open_book(shelf.folder)
        for case in read_cases(questions):
            if not case.answerable or case.form is not Form.SINGLE or not case.gold:
                continue
            found = await assistant.search(Query(text=case.question, top_k=DEPTH))
            known = [(hit, truth(case, hit.chunk)) for hit in found.hits]
            kept = [(hit, answers) for hit, answers in known if answers is not None]
            texts = ["\n".join([*hit.chunk.heading_path[-1:], hit.chunk.text]) for hit, _ in kept]
            for (hit, answers), reading in zip(
                kept, reader.read(case.question, texts), strict=True
            ):
                read.append(Read(case.question, answers, reading.probability, hit.score))
        assistant.close()
    return read


def by_question(read: Sequence[Read]) -> Iterator[list[Read]]:
    """Yield the passages of each question that has some of both kinds."""
    groups: dict[str, list[Read]] = {}
    for one in read:
        groups.setdefault(one.question, []).append(one)
    return (group for group in groups.values() if {one.answers for one in group} == {True, False})


def row(name: str, read: Sequence[Read]) -> str:
    """Return a line of the table."""
    groups = list(by_question(read))
    chance = np.random.default_rng(1)
    drawn = []
    for _ in range(ROUNDS):
        some = [one for at in chance.integers(0, len(groups), len(groups)) for one in groups[at]]
        drawn.append(area([one.probability for one in some], [one.answers for one in some]))
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    answers = [one.answers for one in read]
    within = np.mean([area([o.probability for o in g], [o.answers for o in g]) for g in groups])
    cosine = area([one.cosine for one in read], answers)
    return (
        f"| {name} | {len(groups)} | {sum(answers)} | {len(answers) - sum(answers)} "
        f"| {area([one.probability for one in read], answers):.3f} ({low:.3f} to {high:.3f}) "
        f"| {within:.3f} | {cosine:.3f} |"
    )


def main() -> None:
    """Print the table."""
    every: list[Read] = []
    print("| book | questions | answer | mined | AUC | in one question | by cosine |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for argument in sys.argv[1:]:
        book, _, files = argument.partition(":")
        read = asyncio.run(read_book(Path(book), [Path(file) for file in files.split(",")]))
        print(row(Path(book).name, read), flush=True)
        # The same question may be asked of two books.
        every += [Read(f"{book} {o.question}", o.answers, o.probability, o.cosine) for o in read]
    print(row("all", every))


if __name__ == "__main__":
    main()
