"""Fits how the gate weighs a trained reader against its rules, and writes it into the package.

    python tools/fit_gate.py CLAIMS.jsonl [MORE.jsonl ...] [--test BLIND.jsonl] [--write]

A line has `claim`, `evidence` and `supported`, or is a passage of `training/own` with its claims;
of those only the passages are taken that the reader was not trained on. Claims that a rule refuses
for good or that stand in their evidence word for word are not fitted. The floor is the lowest that
removes the wanted share of the false claims of the first file, in cross-validation and not in the
fit itself.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import bythebook
from bythebook.calibration.fitting import Numbers, fit_logistic
from bythebook.checking import check_pair
from bythebook.grounding.claims import FIRM, findings_of, is_verbatim
from bythebook.grounding.judging import log_odds
from bythebook.readers.minilm import MiniLMReader

TARGET = Path(bythebook.__file__).parent / "grounding" / "judging.json"
RULES = (
    "opposite", "absent", "denial", "certainty", "limit", "role", "way", "comparison", "binding",
    "substitution", "cause", "order", "far",
)  # fmt: skip
_PENALTY = 2.0
_FOLDS = 10
_WANTED = 0.965
_RULES_AT = range(1, 1 + len(RULES))
# The share of true claims that the reader may take from those the rules let through.
_DOUBTED = 0.02


@dataclass(frozen=True)
class Row:
    """One claim: what the rules and the reader say of it, and the truth."""

    group: str
    kind: str
    is_true: bool
    is_refused: bool
    is_verbatim: bool
    by_rules: bool
    broken: frozenset[str]
    reader: float

    @property
    def inputs(self) -> list[float]:
        """The numbers that are weighed."""
        broken = (float(rule in self.broken) for rule in RULES)
        return [self.reader, *broken, 1.0]

    @property
    def is_weighed(self) -> bool:
        """Whether the weights decide on it, or what comes before them."""
        return not (self.is_refused or self.is_verbatim or self.by_rules)


def _name(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"


def read(file: Path) -> list[dict[str, Any]]:
    """Return the claims of a file, one by one."""
    claims = []
    for line in file.read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        if "claims" not in found:
            claims.append({**found, "group": f"{_name(file)} {found['id'].split('-')[0]}"})
        elif int(found["id"]) % 10 == 0:
            group = {"evidence": found["passage"], "group": f"{_name(file)} {found['id']}"}
            claims += [{**one, **group} for one in found["claims"]]
    return claims


def rows_of(claims: Sequence[dict[str, Any]]) -> list[Row]:
    """Return what the rules and the reader say of claims."""
    reader = MiniLMReader()
    said = reader.supports([c["claim"] for c in claims], [c["evidence"] for c in claims])
    rows = []
    for claim, probability in zip(claims, said, strict=True):
        found = {finding.rule for finding in findings_of(claim["claim"], claim["evidence"])}
        rows.append(
            Row(
                claim["group"],
                claim.get("kind", "-"),
                claim["supported"],
                bool(found & (FIRM | {"empty"})),
                is_verbatim(claim["claim"], claim["evidence"]),
                check_pair(claim["claim"], claim["evidence"]).supported,
                frozenset(found),
                log_odds(probability),
            )
        )
    return rows


def fit(rows: Sequence[Row]) -> Numbers:
    """Return the weights; both kinds count the same, and no broken rule speaks for a claim."""
    used = [row for row in rows if row.is_weighed]
    labels = np.array([float(row.is_true) for row in used])
    counts = _counts(used)
    inputs = np.array([row.inputs for row in used])
    kept = list(range(inputs.shape[1]))
    while True:
        penalty = np.full(len(kept), _PENALTY)
        penalty[-1] = 0.0
        weights = fit_logistic(inputs[:, kept], labels, penalty=penalty, weights=counts)
        wrong = {at for at, w in zip(kept, weights, strict=True) if at in _RULES_AT and w > 0}
        if not wrong:
            whole = np.zeros(inputs.shape[1])
            whole[kept] = weights
            return whole
        kept = [at for at in kept if at not in wrong]


def _counts(rows: Sequence[Row]) -> Numbers:
    """Make true and false claims, and every file, count the same."""
    kinds = [(row.group.split(" ")[0], row.is_true) for row in rows]
    of = Counter(kinds)
    return np.array([len(rows) / len(of) / of[kind] for kind in kinds])


def doubt_of(rows: Sequence[Row]) -> float:
    """Return how far the reader is against all but a few true claims that the rules pass."""
    passed = [row.reader for row in rows if row.by_rules and row.is_true and not row.is_verbatim]
    return float(np.quantile(passed, _DOUBTED))


def strengths(rows: Sequence[Row], weights: Numbers, doubt: float) -> Numbers:
    """Return the log-odds of claims, without end where they are not weighed."""
    values = []
    for row in rows:
        if row.is_weighed:
            values.append(float(np.dot(row.inputs, weights)))
        else:
            stands = row.is_verbatim or (row.by_rules and row.reader >= doubt)
            values.append(99.0 if stands and not row.is_refused else -99.0)
    return np.array(values)


def crossed(rows: Sequence[Row]) -> Numbers:
    """Return the log-odds of claims by a model fitted on other passages."""
    groups = sorted({row.group for row in rows})
    fold = {group: number % _FOLDS for number, group in enumerate(groups)}
    result = np.zeros(len(rows))
    for number in range(_FOLDS):
        others = [row for row in rows if fold[row.group] != number]
        here = [at for at, row in enumerate(rows) if fold[row.group] == number]
        result[here] = strengths([rows[at] for at in here], fit(others), doubt_of(others))
    return result


def floor_of(rows: Sequence[Row], values: Numbers) -> float:
    """Return the lowest floor that removes enough of the false claims of the first file."""
    first = rows[0].group.split(" ")[0]
    false = np.sort(values[[not row.is_true and row.group.startswith(first) for row in rows]])
    return float(false[math.ceil(_WANTED * len(false)) - 1] + 1e-6)


def show(name: str, rows: Sequence[Row], values: Numbers, floor: float) -> None:
    """Print the shares of false claims removed and of true ones lost, with and without."""
    truth = np.array([row.is_true for row in rows])
    rules = np.array([row.by_rules for row in rows])
    both = values >= floor
    for label, passed in (("rules", rules), ("with the reader", both)):
        removed = 1 - passed[~truth].mean()
        lost = 1 - passed[truth].mean()
        print(f"{name:34} {label:16} removed {removed:.3f}  lost {lost:.3f}  of {len(rows)}")
    wrong = Counter(r.kind for r, p in zip(rows, both, strict=True) if p != r.is_true)
    of = Counter(row.kind for row in rows)
    print("   wrong:", ", ".join(f"{k} {n}/{of[k]}" for k, n in wrong.most_common()))


def main() -> None:
    """Fit, show, and write when told to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("claims", type=Path, nargs="+")
    parser.add_argument("--test", type=Path, action="append", default=[])
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows = [row for file in arguments.claims for row in rows_of(read(file))]
    values = crossed(rows)
    floor = floor_of(rows, values)
    for file in dict.fromkeys(row.group.split(" ")[0] for row in rows):
        here = [at for at, row in enumerate(rows) if row.group.startswith(f"{file} ")]
        show(f"{file}, cross-validated", [rows[at] for at in here], values[here], floor)
    weights, doubt = fit(rows), doubt_of(rows)
    for file in arguments.test:
        others = rows_of(read(file))
        show(f"{_name(file)}, never fitted", others, strengths(others, weights, doubt), floor)
    reader, *rules, intercept = (round(float(weight), 3) for weight in weights)
    fitted = {
        "doubt": round(doubt, 3),
        "intercept": intercept,
        "reader": reader,
        "rules": dict(zip(RULES, rules, strict=True)),
        "floor": round(floor, 3),
    }
    text = json.dumps(fitted, indent=2) + "\n"
    print(text)
    if arguments.write:
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
