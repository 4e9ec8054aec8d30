"""What a trained reader makes of a claim, beside what the rules have against it.

The rules know what goes wrong in practice and nothing of meaning: a sentence told in other words
breaks some of them and is true. The reader has read many retellings and overlooks a "not". So what
the rules let through falls only where the reader is sure that it is wrong, and what breaks a rule
may still pass: a small model fitted by `tools/fit_gate.py` weighs the broken rules against the
reader. Figures and names of commands are not weighed: there the rules are exact, and final.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from bythebook.grounding.claims import (
    FIRM,
    SUPPORT_FLOOR,
    Finding,
    findings_of,
    is_verbatim,
    support_of,
)
from bythebook.readers.base import Reader

# What a claim just good enough gets; the gate asks for no more of a sentence without evidence.
_ENOUGH = 0.85
_SURE = 1e-4


@dataclass(frozen=True)
class Scales:
    """What the broken rules and the reader's opinion weigh, in log-odds."""

    doubt: float  # below it the reader takes out what the rules let through
    intercept: float
    reader: float  # the reader's own log-odds, times this
    rules: Mapping[str, float]  # each broken rule
    floor: float  # the least log-odds of a claim that is let through in spite of the rules

    def weigh(self, findings: Sequence[Finding], probability: float) -> float:
        """Return the log-odds that a claim is borne out although it breaks rules."""
        broken = {finding.rule for finding in findings}
        return (
            self.intercept
            + self.reader * log_odds(probability)
            + sum(self.rules.get(rule, 0.0) for rule in broken)
        )


@dataclass(frozen=True)
class Opinion:
    """How well a source carries a claim, 0 to 1, and what the rules have against it."""

    support: float
    findings: tuple[Finding, ...]


def log_odds(probability: float) -> float:
    """Return a probability as log-odds, within what a reader can be sure of."""
    certain = min(max(probability, _SURE), 1 - _SURE)
    return math.log(certain / (1 - certain))


def judge(reader: Reader, claims: Sequence[str], sources: Sequence[str]) -> list[Opinion]:
    """Return an opinion on each claim with the source at the same place, read in one go."""
    findings = [findings_of(c, s) for c, s in zip(claims, sources, strict=True)]
    verbatim = [is_verbatim(c, s) for c, s in zip(claims, sources, strict=True)]
    open_ones = [at for at, f in enumerate(findings) if _is_open(f) and not verbatim[at]]
    said = reader.supports([claims[at] for at in open_ones], [sources[at] for at in open_ones])
    probability = dict(zip(open_ones, said, strict=True))
    opinions = []
    for at, found in enumerate(findings):
        if verbatim[at]:
            support = 1.0
        elif at not in probability:
            support = 0.0
        else:
            by_rules = support_of(claims[at], sources[at])
            support = _support(found, probability[at], by_rules)
        opinions.append(Opinion(support, tuple(found)))
    return opinions


def _is_open(findings: Sequence[Finding]) -> bool:
    return not any(finding.rule in FIRM or finding.rule == "empty" for finding in findings)


def _support(findings: Sequence[Finding], probability: float, by_rules: float) -> float:
    scales = the_scales()
    if by_rules >= SUPPORT_FLOOR:
        return by_rules if log_odds(probability) >= scales.doubt else 0.0
    above = scales.weigh(findings, probability) - scales.floor
    # The rest of the way to 1 by how far it is above; below the floor it stays under the gate's.
    share = 1 / (1 + math.exp(-above))
    return _ENOUGH + (1 - _ENOUGH) * (2 * share - 1) if above >= 0 else SUPPORT_FLOOR * share


@lru_cache(maxsize=1)
def the_scales() -> Scales:
    """Return the fitted weights."""
    text = resources.files(__package__).joinpath("judging.json").read_text(encoding="utf-8")
    return Scales(**json.loads(text))
