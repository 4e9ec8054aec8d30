"""Prints the table of docs/evaluation.md: what is answered with the reader and without it.

    python tools/with_and_without.py "NAME|QUESTIONS.jsonl[,MORE.jsonl]|INDEX" [...]

The indexes should be calibrated, as `bythebook index` leaves them. Behind each line stands the
calibration error; the last two lines are sums over all sets.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bythebook.assembly import open_assistant
from bythebook.evaluation import Report, evaluate, read_cases
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


def main() -> None:
    """Ask everything twice."""
    sums = {reader: [(0, 0)] * len(FIGURES) for reader in READERS}
    for argument in sys.argv[1:]:
        name, files, index = argument.split("|")
        for reader in READERS:
            report = ask(files, index, reader)
            counted = cells(report)
            error = report.metric("calibration_error").value or 0.0
            print(line(name if reader == READERS[0] else "", reader, counted, f" {error:.3f}"))
            sums[reader] = [
                (n + m, of + all_) for (n, of), (m, all_) in zip(counted, sums[reader], strict=True)
            ]
    for reader, counted in sums.items():
        print(line("all" if reader == READERS[0] else "", reader, counted))


if __name__ == "__main__":
    main()
