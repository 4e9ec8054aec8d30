"""The gate against claims written for it: how many false ones get through, how many true ones fall.

The claims of odd passages were held out while the first rules were written. Their errors have been
read since: both halves now say how well the rules fit this file, and neither how well another.
Before a floor is lowered, docs/quality.md has to say why.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bythebook.assembly import make_reader
from bythebook.checking import check_pair
from bythebook.readers.base import Reader
from bythebook.settings import load_settings


def claims(name: str) -> list[dict[str, Any]]:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


CLAIMS = claims("claims.jsonl")
# By another author, who knew nothing of the gate. No error of it was read, and none may be.
BLIND = claims("claims_blind.jsonl")
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
    "dev": (0.99, 0.03),
    "held_out": (0.98, 0.05),
    "held_out, near the book": (0.99, 0.02),
    "held_out, retold freely": (0.95, 0.14),
    "all": (0.98, 0.04),
}
# The same for a trained reader and the rules together (True) and for the rules alone.
JUDGED = {
    True: {"ours": (0.95, 0.05), "blind": (0.95, 0.27)},
    False: {"ours": (0.98, 0.04), "blind": (0.94, 0.42)},
}


def part(name: str) -> list[dict[str, Any]]:
    """Return the claims of one half, or all of them; the two halves share no passage."""
    halves = {"dev": (0,), "held_out": (1,), "all": (0, 1)}
    half, _, manner = name.partition(", ")
    rows = [row for row in CLAIMS if passage(row) % 2 in halves[half]]
    return [row for row in rows if not manner or (passage(row) >= FREE) is ("freely" in manner)]


def passage(row: dict[str, Any]) -> int:
    return int(row["id"].partition("-")[0])


def wrong(rows: list[dict[str, Any]], reader: Reader | None = None) -> list[dict[str, Any]]:
    return [
        row
        for row in rows
        if check_pair(row["claim"], row["evidence"], reader).supported is not row["supported"]
    ]


def shares(rows: list[dict[str, Any]], reader: Reader | None = None) -> tuple[float, float]:
    """Return the share of false claims removed and of true ones lost."""
    errors = Counter(row["supported"] for row in wrong(rows, reader))
    of = Counter(row["supported"] for row in rows)
    return 1 - errors[False] / of[False], errors[True] / of[True]


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
    removed, lost = shares(part(name))
    assert removed >= FLOORS[name][0]
    assert lost <= FLOORS[name][1]


@pytest.fixture(scope="module")
def reader() -> Reader:
    found = make_reader(load_settings(reader="minilm"))
    assert found is not None
    return found


@pytest.mark.parametrize("with_reader", JUDGED)
@pytest.mark.parametrize("rows", [CLAIMS, BLIND], ids=["ours", "blind"])
def test_the_reader_and_the_rules_together_reach_their_floors(
    rows: list[dict[str, Any]], with_reader: bool, reader: Reader
) -> None:
    floors = JUDGED[with_reader]["ours" if rows is CLAIMS else "blind"]
    removed, lost = shares(rows, reader if with_reader else None)
    assert removed >= floors[0]
    assert lost <= floors[1]


def test_no_sentence_of_the_book_itself_is_lost() -> None:
    assert wrong([row for row in CLAIMS if row["kind"] == "verbatim"]) == []


def test_what_is_removed_has_a_reason_and_what_stands_has_none() -> None:
    for row in CLAIMS:
        verdict = check_pair(row["claim"], row["evidence"])
        assert bool(verdict.reasons) is not verdict.supported, row["id"]
