"""Measure the sentence gate on public pairs: balanced accuracy, a second opinion.

    python tools/gate.py [FOLDER] [--reader none]

Each file has lines with `claim`, `evidence` and `label` ("supported" or not). At most 400 of a file
are drawn, with a fixed seed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

from bythebook.assembly import make_reader
from bythebook.checking import check_pair
from bythebook.readers.base import Reader
from bythebook.settings import load_settings

_FOLDER = Path(__file__).parents[2] / "shared" / "data" / "grounding"
_SAMPLE = 400
_SEED = 20_250


def main() -> None:
    """Print a row of the table for each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, nargs="?", default=_FOLDER)
    parser.add_argument("--reader", choices=["minilm", "none"], default="minilm")
    arguments = parser.parse_args()
    folder, reader = arguments.folder, make_reader(load_settings(reader=arguments.reader))
    files = sorted(folder.glob("*.jsonl.gz"))
    if not files:
        print(f"no *.jsonl.gz in {folder}")
        return
    print("| pairs | supported / not | true kept | false removed | balanced accuracy |")
    print("| --- | --- | --- | --- | --- |")
    for file in files:
        print(row(file.name.removesuffix(".jsonl.gz"), sample(file), reader))


def sample(file: Path) -> list[dict[str, Any]]:
    """Return the same pairs of a file every time."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return random.Random(_SEED).sample(rows, min(_SAMPLE, len(rows)))  # noqa: S311


def row(name: str, rows: list[dict[str, Any]], reader: Reader | None) -> str:
    """Return the figures of one file as a row of a table."""
    of: Counter[bool] = Counter()
    right: Counter[bool] = Counter()
    for pair in rows:
        truth = pair["label"] == "supported"
        of[truth] += 1
        right[truth] += check_pair(pair["claim"], pair["evidence"], reader).supported is truth
    kept, removed = (right[truth] / of[truth] if of[truth] else None for truth in (True, False))
    both = [share for share in (kept, removed) if share is not None]
    balanced = f"{sum(both) / 2:.2f}" if len(both) == 2 else "-"
    shares = " | ".join("-" if share is None else f"{share:.2f}" for share in (kept, removed))
    return f"| {name} | {of[True]} / {of[False]} | {shares} | {balanced} |"


if __name__ == "__main__":
    main()
