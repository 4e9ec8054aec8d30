"""Fits the model that decides whether the book answers, and writes it into the package.

    python tools/fit_answerability.py QUESTIONS.jsonl[,MORE.jsonl]:INDEX [...] [--write=MODEL]

MODEL is `words`, the decision without a trained reader, or `reader`, the one with it.

Each pair is the questions on a book and its index. To the readers' questions come those
that calibration makes from the book. A reader's question counts twice: with the scale of cosines
that calibration finds on the book, and with the usual one, by which an index without calibration
decides. The table shows, for every book, how well a model does that was fitted on the other books
only.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import bythebook
from bythebook.calibration.calibrating import measure_scale, try_all
from bythebook.calibration.fitting import Numbers, Trial, fit_logistic, fit_reading
from bythebook.calibration.values import USUAL_SCALE
from bythebook.grounding.signals import AGAINST, Findings, measure
from bythebook.types import Query

TARGET = Path(bythebook.__file__).parent / "grounding" / "answerability.json"

# A reader's question counts as much as so many made ones. With 1 the made ones, which are far more,
# turn the model into one for "What is X?"; then a third of the readers' questions are refused.
_READERS_WEIGHT = 100.0
_PENALTY = 3.0
# How much a question that is answered rightly counts against one that is not: it moves errors from
# one kind to the other. Fitted on the other books only, 2 answers 253 of 946 beside the point and
# refuses 87 of 909 needlessly, 1.7 does 227 and 104, 1.4 does 210 and 118. Most of these questions
# were written to be hard to refuse; readers ask ordinary ones more often, and there a refusal is
# the likelier error. An answer beside the point is the worse one.
_RIGHT_WEIGHT = 1.7
# Weights that are not fitted where there is a reader. Nearly all questions here are near a book's
# topics, so that words the book lacks seem to say nothing; readers and attackers also ask of other
# things. Held at this they change little on these questions: fitted on the other books only, 253
# instead of 257 of 946 are answered beside the point, 87 instead of 88 of 909 refused needlessly.
_HELD = {"special unknown": -0.5, "unsaid": -0.5}
_HOLD = 1e9


@dataclass(frozen=True)
class Row:
    """One question: its signals, whether the draft answers it rightly, and where it is from."""

    book: str
    is_readers: bool
    is_answerable: bool
    is_right: bool
    values: Mapping[str, float]
    is_calibrated: bool = True

    @property
    def whose(self) -> str:
        """Who asks, in a word or two."""
        if not self.is_readers:
            return "made"
        return "readers'" if self.is_calibrated else "usual scale"


async def rows_of(questions: Sequence[Path], index: Path) -> list[Row]:
    """Return the rows of one book."""
    book = index.name
    assistant = bythebook.open_book(index)
    tried = await try_all(assistant, assistant.probes())
    scale = measure_scale(tried)
    rows = [
        Row(
            book,
            False,
            one.probe.is_answerable,
            one.is_right,
            measure(one.findings, scale, for_fitting=True),
        )
        for one in tried
    ]
    lines = [line for path in questions for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        asked = json.loads(line)
        if "question" not in asked or "selected_text" in asked:
            continue
        findings = await assistant.examine(Query(text=asked["question"]))
        right = asked["answerable"] and cites(findings, asked["gold_pages"])
        for used in (scale, USUAL_SCALE):
            values = measure(findings, used, for_fitting=True)
            rows.append(Row(book, True, asked["answerable"], right, values, used is scale))
    assistant.close()
    return [row for row in rows if row.values]


def cites(findings: Findings, pages: Sequence[str]) -> bool:
    cited = {span.chunk_id for sentence in findings.checked for span in sentence.evidence}
    found = {
        s.unit.passage.chunk.page_path for s in findings.scored if s.unit.passage.chunk.id in cited
    }
    return any(page.endswith(path) or path.endswith(page) for page in pages for path in found)


def fit(rows: Sequence[Row], names: Sequence[str]) -> dict[str, float]:
    """Return the weights, none of which says the opposite of what its signal means."""
    kept = list(names)
    held = _HELD if "reader" in names else {}
    while True:
        inputs = np.array([[row.values[name] for name in kept] + [1.0] for row in rows])
        labels = np.array([float(row.is_right) for row in rows])
        penalty = np.array([_HOLD if name in held else _PENALTY for name in kept] + [0.0])
        centre = np.array([held.get(name, 0.0) for name in kept] + [0.0])
        weights = fit_logistic(
            inputs, labels, penalty=penalty, centre=centre, weights=_counts(rows)
        )
        signs = {name: -1 if name in AGAINST else 1 for name in kept}
        wrong = [n for n, w in zip(kept, weights, strict=False) if w * signs[n] < 0]
        if not wrong:
            return dict(zip([*kept, ""], map(float, weights), strict=True))
        kept = [name for name in kept if name not in wrong]


def _counts(rows: Sequence[Row]) -> Numbers:
    """Make answered and refused, and every book, count the same, readers' questions more."""
    counts = np.array([_READERS_WEIGHT if row.is_readers else 1.0 for row in rows])
    for book in {row.book for row in rows}:
        for right in (True, False):
            here = np.array([row.book == book and row.is_right == right for row in rows])
            share = (_RIGHT_WEIGHT if right else 1.0) * len(rows) / 4
            counts[here] *= share / max(1e-9, counts[here].sum())
    return counts


def strength(weights: Mapping[str, float], row: Row) -> float:
    """Return the log-odds of a row."""
    return weights[""] + sum(w * row.values[n] for n, w in weights.items() if n)


def show(name: str, weights: Mapping[str, float], rows: Sequence[Row]) -> None:
    """Print how a model does on some questions."""
    for whose in ("readers'", "usual scale", "made"):
        here = [row for row in rows if row.whose == whose]
        right = [strength(weights, row) for row in here if row.is_right]
        other = [strength(weights, row) for row in here if not row.is_right]
        if not right or not other:
            continue
        area = np.mean([[a > b for b in other] for a in right])
        print(
            f"{name:34} {whose:11} AUC {area:.3f}  kept {sum(s >= 0 for s in right)}/{len(right)}"
            f"  refused {sum(s < 0 for s in other)}/{len(other)}"
        )


def made_reading(rows: Sequence[Row], weights: Mapping[str, float]) -> list[float]:
    """Return slope and intercept of the reading that made questions give, the mean of the books."""
    readings = []
    for book in dict.fromkeys(row.book for row in rows):
        made = [row for row in rows if row.book == book and not row.is_readers]
        trials = [Trial(strength(weights, r), r.is_right, r.is_answerable) for r in made]
        readings.append(fit_reading(trials))
    slope = float(np.mean([reading.slope for reading in readings]))
    intercept = float(np.mean([reading.intercept for reading in readings]))
    return [round(slope, 3), round(intercept, 3)]


def main() -> None:
    """Fit, show, and write when told to."""
    pairs = [arg.split(":") for arg in sys.argv[1:] if not arg.startswith("--")]
    rows: list[Row] = []
    for questions, index in pairs:
        files = [Path(name) for name in questions.split(",")]
        rows += asyncio.run(rows_of(files, Path(index)))
    sets = {"words": [name for name in rows[0].values if name not in ("reader", "read here")]}
    if all("reader" in row.values for row in rows):
        sets["reader"] = list(rows[0].values)
    models = {}
    for label, names in sets.items():
        for book in dict.fromkeys(row.book for row in rows):
            others = [row for row in rows if row.book != book]
            here = [row for row in rows if row.book == book]
            if others:
                show(f"{label}: {book} from the others", fit(others, names), here)
            show(f"{label}: {book} from all", fit(rows, names), here)
        weights = fit(rows, names)
        intercept = weights.pop("")
        rounded = {name: round(weight, 3) for name, weight in weights.items() if abs(weight) > 0.01}
        made = made_reading(rows, {**rounded, "": intercept})
        models[label] = {"intercept": round(intercept, 3), "weights": rounded, "made": made}
    print(json.dumps(models, indent=2))
    stored = json.loads(TARGET.read_text(encoding="utf-8"))
    chosen = {name: fitted for name, fitted in models.items() if f"--write={name}" in sys.argv}
    TARGET.write_text(json.dumps(stored | chosen, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
