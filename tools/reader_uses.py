"""Measure what the trained reader does for the order of passages and the choice of sentences.

    python tools/reader_uses.py QUESTIONS.jsonl[,MORE.jsonl]:INDEX [...]

Each question is read once. Then its sentences are put in order again with other weights for what
the reader says: of the passage as a whole, and of the sentence. Counted for the answerable
questions: whether the first passage stands on a gold page, whether the first sentence is a gold
one, and whether one of the first three is. A weight of 0 is the order without the reader.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bythebook import open_book
from bythebook.evaluation.cases import Case, Form, read_cases
from bythebook.evaluation.matching import touches
from bythebook.relevance import ScoredUnit
from bythebook.types import Query

WEIGHTS = (0.0, 0.1, 0.25, 0.5, 1.0)
FIRST = 3


@dataclass(frozen=True)
class Read:
    """An answerable question and its sentences, with what the reader says of their passages."""

    case: Case
    units: Sequence[ScoredUnit]
    passage: dict[str, float]

    def order(self, for_passage: float, for_sentence: float) -> list[ScoredUnit]:
        """Return the sentences, best first, with these weights for what the reader says."""

        def strength(scored: ScoredUnit) -> float:
            said = for_passage * self.passage[scored.unit.passage.chunk.id]
            return replace(scored, answer=0.0).score + said + for_sentence * scored.answer

        return sorted(self.units, key=strength, reverse=True)

    def is_on_page(self, scored: ScoredUnit) -> bool:
        """Tell whether a sentence stands on a page that answers."""
        path = scored.unit.passage.chunk.page_path
        return any(page.endswith(path) or path.endswith(page) for page in self.case.gold_pages)

    def is_gold(self, scored: ScoredUnit) -> bool:
        """Tell whether a sentence is one that answers."""
        return any(touches(scored.unit.text, gold.text) for gold in self.case.gold)


async def read_all(questions: Sequence[Path], index: Path) -> list[Read]:
    """Return the answerable questions of one book, read."""
    assistant = open_book(index)
    read = []
    for case in read_cases(questions):
        if not case.answerable or case.form is not Form.SINGLE:
            continue
        findings = await assistant.examine(Query(text=case.question))
        said: dict[str, float] = defaultdict(float)
        for scored in findings.scored:
            said[scored.unit.passage.chunk.id] += scored.answer
        if findings.scored:
            read.append(Read(case, findings.scored, said))
    assistant.close()
    return read


def count(read: Sequence[Read], for_passage: float, for_sentence: float) -> str:
    """Return the three figures of some questions as the cells of a table."""
    orders = [(one, one.order(for_passage, for_sentence)) for one in read]
    page = sum(one.is_on_page(order[0]) for one, order in orders)
    known = [(one, order) for one, order in orders if one.case.gold]
    first = sum(one.is_gold(order[0]) for one, order in known)
    among = sum(any(map(one.is_gold, order[:FIRST])) for one, order in known)
    return f"| {page} of {len(orders)} | {first} of {len(known)} | {among} of {len(known)} |"


def main() -> None:
    """Print a table for each set of questions, and one for all."""
    read: list[Read] = []
    for argument in sys.argv[1:]:
        files, _, index = argument.rpartition(":")
        read += asyncio.run(read_all([Path(file) for file in files.split(",")], Path(index)))
    print("| passage | sentence | first page right | first sentence right | among three |")
    print("| --- | --- | --- | --- | --- |")
    for for_passage, for_sentence in itertools.product(WEIGHTS, WEIGHTS):
        print(f"| {for_passage} | {for_sentence} {count(read, for_passage, for_sentence)}")


if __name__ == "__main__":
    main()
