"""Prints the table of docs/evaluation.md: what is answered with the reader and without it.

    python tools/with_and_without.py "NAME|QUESTIONS.jsonl[,MORE.jsonl]|INDEX" [...]

The indexes should be calibrated, as `bythebook index` leaves them. Behind each line stands the
calibration error; then come sums over all sets. The last line asks more of an answer, the same of
every set, until the reader refuses as many needlessly as are refused without it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from bythebook.assembly import open_assistant
from bythebook.evaluation import Report, Row, evaluate, read_cases
from bythebook.settings import load_settings

FIGURES = ("right_page", "false_refusals", "false_answers", "gold_cited")
READERS = ("none", "minilm")


def ask(files: str, index: str, reader: str) -> Report:
    """Return how the questions of some files come out."""
    cases = read_cases([Path(file) for file in files.split(",")])
    assistant = open_assistant(load_settings(index=Path(index), reader=reader))
    try:
        return asyncio.run(evaluate(assistant, cases))
    finally:
        assistant.close()


def cells(report: Report) -> list[tuple[int, int]]:
    """Return of each figure how many there are, and of how many."""
    found = [report.metric(name) for name in FIGURES]
    return [(m.hits or 0, m.of) for m in found]


def line(name: str, reader: str, counted: list[tuple[int, int]], rest: str = "") -> str:
    """Return one line of the table."""
    told = " | ".join(f"{n} of {of}" if of else "-" for n, of in counted)
    return f"| {name} | {reader} | {told} |{rest}"


def strength(row: Row) -> float:
    """Return what spoke for an answer less what spoke against it, up to a constant.

    What was answered without weighing anything stays answered wherever the bar is.
    """
    return sum(signal.weight for signal in row.signals) if row.signals else float("inf")


def beside_at(rows: Sequence[Row], refusals: int) -> int:
    """Return how many are answered beside the point if the bar lets through all but `refusals`.

    Only answers are judged anew: what was refused for another reason stays refused.
    """
    refused = sum(row.answerable and not row.answered for row in rows)
    answers = sorted((row for row in rows if row.answered), key=strength)
    for place, row in enumerate(answers):
        if row.answerable and refused == refusals:
            return sum(not kept.answerable for kept in answers[place:])
        refused += row.answerable
    return 0


def main() -> None:
    """Ask everything twice."""
    rows: dict[str, list[Row]] = {reader: [] for reader in READERS}
    sums = {reader: [(0, 0)] * len(FIGURES) for reader in READERS}
    for argument in sys.argv[1:]:
        name, files, index = argument.split("|")
        for reader in READERS:
            report = ask(files, index, reader)
            rows[reader] += report.rows
            counted = cells(report)
            error = report.metric("calibration_error").value or 0.0
            print(line(name if reader == READERS[0] else "", reader, counted, f" {error:.3f}"))
            sums[reader] = [
                (n + m, of + all_) for (n, of), (m, all_) in zip(counted, sums[reader], strict=True)
            ]
    for reader, counted in sums.items():
        print(line("all" if reader == READERS[0] else "", reader, counted))
    without = sum(row.answerable and not row.answered for row in rows[READERS[0]])
    beside = beside_at(rows[READERS[1]], without)
    print(f"with the reader at {without} refused: {beside} answered beside the point")


if __name__ == "__main__":
    main()
