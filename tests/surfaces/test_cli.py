"""The four commands: what they print where, and how they end."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

from bythebook import __version__
from tests.builders import BASE_URL, SAMPLE
from tests.surfaces.conftest import Cli

QUESTION = "What is Physical AI?"
FOREIGN = "Who won the football world cup in 1974?"
SELECTION = "Reliable delivery resends lost messages until they arrive."

CITATION_KEYS = {
    "citation_index", "chunk_id", "start", "end", "excerpt", "relevance_score", "page_path", "url",
}  # fmt: skip
CONFIDENCE_KEYS = {
    "retrieval_quality", "coverage_score", "entailment_score", "lexical_overlap", "overall",
    "level",
}  # fmt: skip
RESULT_KEYS = {
    "chunk_id", "text", "similarity_score", "page_path", "url", "page_title", "chapter",
    "module_name", "section_title", "heading_hierarchy", "chunk_index", "token_count",
    "content_hash", "start", "end",
}  # fmt: skip
SEARCH_KEYS = {
    "query", "results", "total_candidates", "query_time_ms", "search_time_ms", "total_time_ms",
}  # fmt: skip


def test_ask_prints_the_answer_with_its_sources(cli: Cli, sample_index: Path) -> None:
    run = cli("ask", QUESTION, "--index", sample_index)
    assert (run.code, run.err) == (0, "")
    assert "[1]" in run.out
    assert "Sources" in run.out
    assert f"{BASE_URL}" in run.out
    assert re.search(r"Confidence: \w+ \(0\.\d\d\)", run.out)  # never 1.00, however sure


def test_ask_finds_the_index_by_the_environment(
    cli: Cli, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BYTHEBOOK_INDEX", str(sample_index))
    assert cli("ask", QUESTION).code == 0


def test_ask_prints_the_answer_of_document_004_as_json(cli: Cli, sample_index: Path) -> None:
    run = cli("ask", QUESTION, "--index", sample_index, "--json")
    assert (run.code, run.err) == (0, "")
    envelope = run.json
    assert envelope["status"] == "success"
    assert envelope["refusal"] is envelope["error"] is None
    answer = envelope["answer"]
    assert set(answer["confidence"]) == CONFIDENCE_KEYS
    assert answer["mode"] == "standard_rag"
    for number, citation in enumerate(answer["citations"], start=1):
        assert citation.keys() >= CITATION_KEYS
        assert citation["citation_index"] == number
        assert len(citation["excerpt"]) == citation["end"] - citation["start"]
        assert "#" in citation["url"]
        assert ":~:text=" in citation["url"]
    assert envelope["metadata"].keys() >= {"chunks_retrieved", "processing_time_ms", "request_id"}


def test_a_question_the_book_does_not_answer_is_refused_with_code_1(
    cli: Cli, sample_index: Path
) -> None:
    run = cli("ask", FOREIGN, "--index", sample_index)
    assert run.code == 1
    assert run.out.startswith("The provided book content does not contain sufficient information")
    as_json = cli("ask", FOREIGN, "--index", sample_index, "--json")
    assert as_json.code == 1
    assert as_json.json["status"] == "refused"
    assert as_json.json["answer"] is None


def test_a_threshold_nobody_reaches_is_refused_for_low_relevance(
    cli: Cli, sample_index: Path
) -> None:
    run = cli("ask", QUESTION, "--threshold", "0.99", "--index", sample_index, "--json")
    assert run.code == 1
    assert run.json["refusal"]["refusal_type"] == "low_relevance"


def test_selected_text_answers_alone(cli: Cli, sample_index: Path) -> None:
    run = cli(
        "ask", "What does reliable delivery do?", "--selected-text", SELECTION,
        "--index", sample_index, "--json",
    )  # fmt: skip
    assert run.code == 0
    assert run.json["answer"]["mode"] == "selected_text_only"
    (citation,) = run.json["answer"]["citations"]
    assert citation["section"] == "Selected text"
    assert citation["excerpt"] == SELECTION


def test_selected_text_that_does_not_answer_is_refused(cli: Cli, sample_index: Path) -> None:
    run = cli("ask", QUESTION, "--selected-text", SELECTION, "--index", sample_index)
    assert run.code == 1
    assert run.out.startswith("The selected text does not contain this information.")
    run = cli("ask", QUESTION, "--selected-text", SELECTION, "--index", sample_index, "--json")
    assert run.json["refusal"]["refusal_type"] == "selected_text_missing"


def test_a_module_narrows_the_question(cli: Cli, sample_index: Path) -> None:
    run = cli("ask", "What is a node?", "--module", "ros2", "--index", sample_index, "--json")
    assert run.code == 0
    assert {c["module_name"] for c in run.json["answer"]["citations"]} == {"ros2"}


def test_top_k_limits_the_passages(cli: Cli, sample_index: Path) -> None:
    run = cli("ask", QUESTION, "--top-k", "2", "--index", sample_index, "--json")
    assert run.json["metadata"]["chunks_retrieved"] <= 2
    run = cli("search", QUESTION, "--top-k", "2", "--index", sample_index, "--json")
    assert len(run.json["results"]) == 2


def test_search_prints_the_documented_json(cli: Cli, sample_index: Path) -> None:
    run = cli("search", QUESTION, "--index", sample_index, "--json")
    assert (run.code, run.err) == (0, "")
    found = run.json
    assert set(found) == SEARCH_KEYS
    assert found["query"] == QUESTION
    assert len(found["results"]) == 5
    for result in found["results"]:
        assert set(result) == RESULT_KEYS
        assert 0.0 <= result["similarity_score"] <= 1.0
        assert result["url"].startswith(BASE_URL)
    assert found["total_time_ms"] >= found["search_time_ms"] > 0


def test_search_shows_places_and_scores(cli: Cli, sample_index: Path) -> None:
    run = cli("search", QUESTION, "--module", "intro", "--index", sample_index)
    assert run.code == 0
    assert run.out.startswith("1. ")
    assert f"{BASE_URL}intro/" in run.out


def test_info_tells_what_the_index_holds(cli: Cli, sample_index: Path) -> None:
    run = cli("info", "--index", sample_index)
    assert (run.code, run.err) == (0, "")
    assert "Physical AI" in run.out
    assert "intro, ros2, simulation, isaac, vla" in run.out
    stored = cli("info", "--index", sample_index, "--json").json
    assert stored["embedder"] == "minilm"
    assert stored["dimensions"] == 384
    assert stored == json.loads((sample_index / "index.json").read_text())


def test_index_says_what_it_did_and_what_comes_next(cli: Cli, tmp_path: Path) -> None:
    page = SAMPLE / "01-intro" / "02-sensors.md"
    run = cli("index", page, "--index", "i", "--title", "My book", "--base-url", BASE_URL)
    assert run.code == 0
    assert run.out.startswith('Indexed "My book": 1 pages, ')
    assert "Embedding " in run.err
    assert "next: bythebook ask" in run.err
    again = cli("index", page, "--index", "i", "--title", "My book", "--base-url", BASE_URL)
    assert "Nothing changed since the last time." in again.out
    assert (tmp_path / "i" / "index.json").is_file()


def test_the_index_stands_in_the_current_folder_by_default(cli: Cli, tmp_path: Path) -> None:
    assert cli("index", SAMPLE / "index.md").code == 0
    assert (tmp_path / ".bythebook" / "index.json").is_file()
    assert cli("info").code == 0


def test_a_question_is_read_from_standard_input(
    cli: Cli, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in ("ask", "search"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{QUESTION}\n"))
        assert cli(command, "-", "--index", sample_index).code == 0


@pytest.mark.parametrize("profile", ["grounded", "scored", "session", "search", "modules"])
def test_every_profile_prints_json(cli: Cli, sample_index: Path, profile: str) -> None:
    run = cli("ask", QUESTION, "--profile", profile, "--index", sample_index, "--json")
    assert run.code == 0
    assert run.json


def test_the_opening_of_a_page_is_named_once_among_the_nearest_sections(
    cli: Cli, sample_index: Path
) -> None:
    run = cli("ask", "Who wrote this book?", "--index", sample_index)
    assert "- Physical AI, a Short Textbook\n" in run.out
    assert "Textbook > Physical AI, a Short Textbook" not in run.out


def test_the_version_is_shown(cli: Cli) -> None:
    run = cli("--version")
    assert (run.code, run.out) == (0, f"bythebook {__version__}\n")


@pytest.mark.parametrize("command", [(), ("index",), ("ask",), ("search",), ("info",)])
def test_help_is_data(cli: Cli, command: tuple[str, ...]) -> None:
    run = cli(*command, "--help")
    assert (run.code, run.err) == (0, "")
    assert "Usage: bythebook" in run.out


def test_without_a_command_the_help_is_shown(cli: Cli) -> None:
    run = cli()
    assert "Usage: bythebook" in run.out + run.err
    assert "error: Usage" not in run.err


def test_an_interrupt_ends_with_code_130(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bythebook.cli.info.read_manifest", interrupt)
    run = cli("info")
    assert (run.code, run.out) == (130, "")
