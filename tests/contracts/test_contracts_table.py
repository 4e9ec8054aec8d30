"""docs/contracts.md cannot rot: every class, field and test it should name is really there."""

from __future__ import annotations

import importlib
import json
import re
from enum import EnumMeta
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "contracts.md").read_text(encoding="utf-8")
ENTITIES: dict[str, Any] = json.loads((HERE / "entities.json").read_text(encoding="utf-8"))
CLASSES = [
    (document, name, fields)
    for document, entry in ENTITIES.items()
    for name, fields in entry["classes"].items()
]
TESTS = {
    name
    for file in HERE.glob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
}


def module_of(document: str) -> Any:
    return importlib.import_module(f"bythebook.contracts.{ENTITIES[document]['module']}")


def members(kind: Any) -> set[str]:
    if isinstance(kind, EnumMeta):
        return set(kind.__members__)
    return set(kind.model_fields) | set(kind.model_computed_fields)


def section(document: str) -> str:
    found = re.search(rf"^## {document}: .*?(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/contracts.md has no section on document {document}"
    return found[0]


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize(("document", "name", "fields"), CLASSES)
def test_every_class_and_field_is_in_its_module(
    document: str, name: str, fields: list[str]
) -> None:
    assert set(fields) <= members(getattr(module_of(document), name))


@pytest.mark.parametrize(("document", "name", "fields"), CLASSES)
def test_every_class_and_field_is_in_the_table(document: str, name: str, fields: list[str]) -> None:
    cells = next(row for row in rows(section(document)) if row[0] == f"`{name}`")
    assert re.findall(r"`(\w+)`", cells[1]) == fields


@pytest.mark.parametrize("document", ENTITIES.keys())
def test_every_other_name_is_in_its_module_and_in_the_table(document: str) -> None:
    named = {row[0].strip("`") for row in rows(section(document))}
    for name in ENTITIES[document]["names"]:
        assert hasattr(module_of(document), name)
        assert name in named


def test_every_file_the_table_names_exists() -> None:
    package = HERE.parents[1] / "src" / "bythebook"
    named = set(re.findall(r"`((?:contracts|profiles)/[\w.]+)`", PAGE))
    assert named
    assert {name for name in named if not (package / name).exists()} == set()


def test_every_test_the_table_names_exists() -> None:
    assert set(re.findall(r"`(test_\w+)`", PAGE)) - TESTS == set()


def test_every_row_of_the_documents_names_a_test() -> None:
    for document in ENTITIES:
        for row in rows(section(document)):
            is_heading = row[0] in ("entity", "rule")
            assert is_heading or "`test_" in row[-1], row


def test_every_test_of_a_rule_stands_in_the_table() -> None:
    own = set(re.findall(r"^def (test_\w+)", Path(__file__).read_text(), re.MULTILINE))
    assert TESTS - own - set(re.findall(r"`(test_\w+)`", PAGE)) == set()
