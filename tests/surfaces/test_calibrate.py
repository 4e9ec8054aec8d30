"""`bythebook calibrate` on the sample book, and what an index does with the result."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bythebook.assembly import open_assistant
from bythebook.manifest import read_manifest, write_manifest
from bythebook.settings import load_settings
from tests.builders import write_files
from tests.surfaces.conftest import Cli

pytestmark = pytest.mark.timeout(120)  # two hundred questions are asked


@pytest.fixture
def calibrated(calibrated_index: Path) -> Path:
    return calibrated_index


def stored(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / "index.json").read_text(encoding="utf-8"))["calibration"]
    assert isinstance(found, dict)
    return found


def test_the_result_is_kept_with_the_index(calibrated: Path) -> None:
    found = stored(calibrated)
    assert found["embedder"] == "minilm"
    assert found["questions"] >= 100
    assert 0 < found["floor"] < 1


def test_high_means_that_95_of_100_held_out_answers_were_right(calibrated: Path) -> None:
    found = stored(calibrated)
    assert found["high"] is not None
    assert found["high_right"] >= 0.95
    assert found["high_count"] >= 10


def test_the_probabilities_are_close_to_what_was_right(calibrated: Path) -> None:
    assert stored(calibrated)["error"] < 0.2


def test_calibrating_again_gives_the_same_figures_and_two_plots(
    calibrated: Path, tmp_path: Path, cli: Cli
) -> None:
    folder = tmp_path / "again"
    shutil.copytree(calibrated, folder)
    run = cli("calibrate", "--index", folder, "--plots", tmp_path / "plots", "--json")
    assert run.code == 0
    assert {**run.json, "made_at": ""} == {**stored(calibrated), "made_at": ""}
    for name in ("reliability.svg", "risk-coverage.svg"):
        root = ElementTree.parse(tmp_path / "plots" / name).getroot()  # noqa: S314
        assert root.tag.endswith("svg")
        assert root.findall("{http://www.w3.org/2000/svg}circle")


def test_plots_that_cannot_be_written_end_with_code_2_before_any_work(
    calibrated: Path, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "file").touch()
    run = cli("calibrate", "--index", calibrated, "--plots", tmp_path / "file" / "plots")
    assert (run.code, run.out) == (2, "")
    assert "the plots cannot be written to" in run.err
    assert "Calibrating" not in run.err


def test_an_answer_tells_how_probable_it_is(calibrated: Path, cli: Cli) -> None:
    said = cli("ask", "What is the zero moment point?", "--index", calibrated, "--json").json
    confidence = said["answer"]["confidence"]
    assert 0.5 < confidence["probability"] <= 1
    assert confidence["level"] == "high"


def test_ask_explains_a_decision_signal_by_signal(calibrated: Path, cli: Cli) -> None:
    run = cli("ask", "What is the zero moment point?", "--index", calibrated, "--explain")
    assert "nearest passage" in run.out
    assert "how close the closest passage comes" in run.out


def test_info_tells_that_it_is_calibrated(calibrated: Path, cli: Cli) -> None:
    assert " questions" in next(
        line for line in cli("info", "--index", calibrated).out.splitlines() if "Calibrated" in line
    )


def test_a_calibration_for_another_embedder_is_refused(
    calibrated: Path, tmp_path: Path, cli: Cli
) -> None:
    folder = tmp_path / "other"
    shutil.copytree(calibrated, folder)
    manifest = read_manifest(folder)
    assert manifest.calibration
    wrong = manifest.calibration.model_copy(update={"embedder_revision": "another"})
    write_manifest(folder, manifest.model_copy(update={"calibration": wrong}))
    run = cli("ask", "What is a node?", "--index", folder)
    assert run.code == 2
    assert "bythebook calibrate" in run.err


def test_a_calibrated_index_opens_for_questions_as_before(calibrated: Path) -> None:
    assistant = open_assistant(load_settings(index=calibrated))
    assert assistant.manifest.calibration is not None
    assistant.close()


def test_a_book_of_one_page_is_indexed_without_calibration(tmp_path: Path, cli: Cli) -> None:
    write_files(tmp_path / "book", {"one.md": "# One\n\nA node is a process that computes.\n"})
    run = cli("index", tmp_path / "book", "--index", tmp_path / "index")
    assert run.code == 0
    assert "note: not calibrated" in run.err
    assert read_manifest(tmp_path / "index").calibration is None


@pytest.mark.parametrize(("title", "is_kept"), [("Nodes", True), ("Another", False)])
def test_an_edited_book_keeps_its_calibration_and_another_book_does_not(
    title: str, is_kept: bool, tmp_path: Path, calibrated: Path, cli: Cli
) -> None:
    book = write_files(tmp_path / "book", {"one.md": "# One\n\nA node is a process.\n"})
    folder = tmp_path / "index"
    assert cli("index", book, "--index", folder, "--title", "Nodes").code == 0
    calibration = read_manifest(calibrated).calibration
    made = read_manifest(folder).model_copy(update={"calibration": calibration})
    write_manifest(folder, made)
    write_files(tmp_path / "book", {"one.md": "# One\n\nA node is a process that computes.\n"})
    assert cli("index", book, "--index", folder, "--title", title).code == 0
    assert (read_manifest(folder).calibration is not None) is is_kept
