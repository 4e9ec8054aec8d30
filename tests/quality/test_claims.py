"""The gate against claims written for it: how many false ones get through, how many true ones fall.

The claims of odd passages were held out: their errors were counted while the rules were written,
and not read. Before a floor is lowered, docs/quality.md has to say why.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bythebook.checking import check_pair

CLAIMS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("claims.jsonl").read_text(encoding="utf-8").splitlines()
]
TRUE_KINDS = {"verbatim", "paraphrase"}
FALSE_KINDS = {
    "number", "unit", "identifier", "entity", "negation", "antonym", "role_swap", "hedge",
    "comparison_reversed", "quantifier", "joined_half", "code_changed", "invented_detail",
    "exclusive", "inference",
}  # fmt: skip

# The least share of false claims removed and the largest of true ones lost. The aim is .95 and .05.
# Passages from 111 on are retold freely and hold the aim down for true claims: see docs/quality.md.
FREE = 111
FLOORS = {
    "dev": (0.98, 0.08),
    "held_out": (0.95, 0.22),
    "held_out, near the book": (0.98, 0.11),
    "held_out, retold freely": (0.89, 0.42),
    "all": (0.97, 0.13),
}


def part(name: str) -> list[dict[str, Any]]:
    """Return the claims of one half, or all of them; the two halves share no passage."""
    halves = {"dev": (0,), "held_out": (1,), "all": (0, 1)}
    half, _, manner = name.partition(", ")
    rows = [row for row in CLAIMS if passage(row) % 2 in halves[half]]
    return [row for row in rows if not manner or (passage(row) >= FREE) is ("freely" in manner)]


def passage(row: dict[str, Any]) -> int:
    return int(row["id"].partition("-")[0])


def wrong(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        row
        for row in rows
        if check_pair(row["claim"], row["evidence"]).supported is not row["supported"]
    ]


def test_the_claims_are_what_the_floors_were_set_for() -> None:
    kinds = Counter(row["kind"] for row in CLAIMS)
    assert len({row["id"] for row in CLAIMS}) == len(CLAIMS) >= 760
    assert kinds.keys() == TRUE_KINDS | FALSE_KINDS
    assert kinds["verbatim"] >= 60
    assert kinds["paraphrase"] >= 320
    assert all(kinds[kind] >= 12 for kind in FALSE_KINDS)
    assert all(row["supported"] is (row["kind"] in TRUE_KINDS) for row in CLAIMS)


@pytest.mark.parametrize("name", FLOORS)
def test_false_claims_fall_and_true_ones_stand(name: str) -> None:
    rows = part(name)
    removed, lost = FLOORS[name]
    errors = Counter(row["supported"] for row in wrong(rows))
    of = Counter(row["supported"] for row in rows)
    assert 1 - errors[False] / of[False] >= removed
    assert errors[True] / of[True] <= lost


def test_no_sentence_of_the_book_itself_is_lost() -> None:
    assert wrong([row for row in CLAIMS if row["kind"] == "verbatim"]) == []


def test_what_is_removed_has_a_reason_and_what_stands_has_none() -> None:
    for row in CLAIMS:
        verdict = check_pair(row["claim"], row["evidence"])
        assert bool(verdict.reasons) is not verdict.supported, row["id"]
