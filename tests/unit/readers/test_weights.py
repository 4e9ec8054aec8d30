"""The shipped reader is the one its model card speaks of."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from bythebook.readers import minilm
from bythebook.readers.minilm import WEIGHTS, MiniLMReader

RECORDED = Path(__file__).parent / "recorded.jsonl"


def test_every_file_has_its_checksum() -> None:
    outputs = json.loads((WEIGHTS / "checksums.json").read_text(encoding="utf-8"))["outputs"]
    for name, expected in outputs.items():
        assert hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() == expected, name
    card = (WEIGHTS / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert outputs["model.onnx"] in card
    assert outputs["matrices.npy"] in card


def test_the_model_is_small_and_shares_the_tokenizer_of_the_embedder() -> None:
    assert sum(file.stat().st_size for file in WEIGHTS.iterdir()) <= 25_000_000
    assert not list(WEIGHTS.glob("token*"))


def test_it_says_what_it_said_when_it_was_exported() -> None:
    reader = MiniLMReader(threads=1)
    lines = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 10
    for line in lines:
        (reading,) = reader.read(line["first"], [line["passage"]])
        (support,) = reader.supports([line["first"]], [line["passage"]])
        assert reading.probability == pytest.approx(line["answerable"], abs=1e-2)
        assert support == pytest.approx(line["supported"], abs=1e-2)
        evidence = line["passage"][reading.sentence_start : reading.sentence_end]
        assert evidence == line["evidence_sentence"]


@pytest.mark.parametrize("line_ends", [True, False])
def test_the_ends_of_lines_are_shown_to_a_model_that_learnt_from_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line_ends: bool
) -> None:
    for file in WEIGHTS.iterdir():
        (tmp_path / file.name).symlink_to(file)
    config = json.loads((WEIGHTS / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").unlink()
    (tmp_path / "config.json").write_text(json.dumps({**config, "line_ends": line_ends}))
    monkeypatch.setattr(minilm, "WEIGHTS", tmp_path)
    (reading,) = MiniLMReader(threads=1).read("Which is used for springs?", ["Blue\nGrey"])
    assert [mark.start for mark in reading.marks] == ([0, 4, 5] if line_ends else [0, 5])
