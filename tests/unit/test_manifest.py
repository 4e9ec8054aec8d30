from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bythebook.embedders.base import EmbedderSpec
from bythebook.errors import IndexMismatchError, IndexMissingError
from bythebook.manifest import (
    FILE_NAME,
    FORMAT,
    Manifest,
    PageEntry,
    check_embedder,
    read_manifest,
    write_manifest,
)

SPEC = EmbedderSpec("minilm", "r1", 384, 256, 0.25)


def entry(path: str, module: str | None = None, chapter: str | None = None) -> PageEntry:
    return PageEntry(path=path, title=path, url=None, module=module, chapter=chapter, chunks=1)


def manifest(**fields: object) -> Manifest:
    values: dict[str, object] = {
        "version": "0",
        "generation": "g1",
        "fingerprint": "f",
        "created_at": datetime(2026, 1, 1, tzinfo=UTC),
        "title": "Book",
        "generator": "plain",
        "source": "book",
        "base_url": None,
        "embedder": "minilm",
        "embedder_revision": "r1",
        "dimensions": 384,
        "threshold": 0.25,
        "chunks": 3,
        "tokens": 9,
        "oversized": 0,
        "pages": (entry("b", "two", "B"), entry("a", "one", "A"), entry("c", "two"), entry("d")),
    }
    return Manifest.model_validate(values | fields)


def test_a_written_manifest_reads_back_the_same_and_leaves_no_draft(tmp_path: Path) -> None:
    write_manifest(tmp_path, manifest())
    assert read_manifest(tmp_path) == manifest()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_modules_and_chapters_stand_in_reading_order_once() -> None:
    assert manifest().modules == ("two", "one")
    assert manifest().chapters == ("B", "A")


def test_no_index_says_how_to_build_one(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match="there is no index in") as caught:
        read_manifest(tmp_path / "none")
    assert "bythebook index SOURCE" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "cannot be read"),
        (b"\xff\x00", "cannot be read"),
        (b"", "cannot be read"),
        (b"[]", "has format None"),
        (b'{"format": 99}', "has format 99"),
        (json.dumps({"format": FORMAT}).encode(), "is damaged"),
    ],
)
def test_a_manifest_that_cannot_be_used_says_why_and_what_to_do(
    tmp_path: Path, content: bytes, says: str
) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(IndexMismatchError, match=says) as caught:
        read_manifest(tmp_path)
    assert "bythebook index SOURCE" in str(caught.value.hint)


def test_a_folder_in_place_of_the_manifest_is_no_index(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(IndexMismatchError, match="cannot be read"):
        read_manifest(tmp_path)


def test_a_write_that_fails_leaves_the_old_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_manifest(tmp_path, manifest())

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_manifest(tmp_path, manifest(title="New"))
    assert read_manifest(tmp_path).title == "Book"


def test_the_embedder_that_made_the_index_is_accepted() -> None:
    check_embedder(manifest(), SPEC)


@pytest.mark.parametrize(
    "spec",
    [replace(SPEC, name="cohere"), replace(SPEC, revision="r2"), replace(SPEC, dimensions=1024)],
)
def test_any_other_embedder_is_refused_and_both_are_named(spec: EmbedderSpec) -> None:
    with pytest.raises(IndexMismatchError, match="was made with embedder 'minilm'") as caught:
        check_embedder(manifest(), spec)
    assert spec.name in caught.value.message
    assert spec.revision in caught.value.message
    assert str(spec.dimensions) in caught.value.message
