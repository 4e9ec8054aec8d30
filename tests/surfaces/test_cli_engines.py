"""The command line over other engines than the embedded ones, by settings alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from qdrant_client import QdrantClient, models

from bythebook.assembly import make_shelf
from bythebook.indexing import embedding_key
from bythebook.settings import Settings, load_settings, variable_of
from bythebook.stores.connection import ServerOptions
from tests.builders import SAMPLE
from tests.engines.qdrant import MakeOptions
from tests.standins.chat import ChatServer, says
from tests.surfaces.conftest import Cli

QUESTION = "What is a costmap?"


@pytest.fixture
def on_server(server_options: MakeOptions, monkeypatch: pytest.MonkeyPatch) -> ServerOptions:
    """Settings that name a real server and a book of its own."""
    options = server_options()
    monkeypatch.setenv("QDRANT_URL", options.url)
    monkeypatch.setenv("QDRANT_COLLECTION_NAME", options.collection)
    return options


@pytest.mark.usefixtures("on_server")
def test_a_book_is_indexed_and_asked_on_a_server(cli: Cli) -> None:
    assert cli("ask", QUESTION).code == 2
    indexed = cli("index", SAMPLE / "02-ros2", "--base-url", "https://example.org/book/")
    assert indexed.code == 0, indexed.err
    answered = cli("ask", QUESTION)
    assert answered.code == 0
    assert "A costmap is a grid" in answered.out
    again = cli("index", SAMPLE / "02-ros2", "--base-url", "https://example.org/book/")
    assert "Nothing changed" in again.out
    assert not Path(".bythebook").exists()


def test_a_copied_index_answers_the_same_without_being_embedded_again(
    cli: Cli, sample_index: Path, on_server: ServerOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = cli("copy", "--from", f"edge:{sample_index}", "--to", on_server.url)
    assert copied.code == 0, copied.err
    on_the_server = cli("ask", QUESTION, "--json").json["answer"]
    back = cli("copy", "--from", on_server.url, "--to", "edge:back")
    assert back.code == 0, back.err
    monkeypatch.delenv("QDRANT_URL")
    in_the_folder = cli("ask", QUESTION, "--json", "--index", sample_index).json["answer"]
    copied_back = cli("ask", QUESTION, "--json", "--index", "back").json["answer"]
    assert on_the_server["text"] == in_the_folder["text"] == copied_back["text"]


def test_a_place_that_is_none_is_refused(cli: Cli) -> None:
    run = cli("copy", "--from", "here", "--to", "edge:there")
    assert (run.code, run.out) == (4, "")
    assert "edge:DIR" in run.err


def test_someone_elses_collection_is_asked_by_its_field_map(
    cli: Cli, sample_index: Path, server_options: MakeOptions
) -> None:
    options = server_options()
    shelf = make_shelf(load_settings(index=sample_index))
    manifest = shelf.manifest()
    store = shelf.store(manifest)
    known = shelf.known_vectors(manifest)
    client = QdrantClient(url=options.url, check_compatibility=False)
    size = models.VectorParams(size=manifest.dimensions, distance=models.Distance.COSINE)
    client.create_collection(options.collection, vectors_config=size)
    points = [
        models.PointStruct(
            id=number,
            vector=known[embedding_key(chunk)].tolist(),
            payload={"body": chunk.text, "link": chunk.page_url, "title": chunk.page_title},
        )
        for number, chunk in enumerate(store.chunks())
    ]
    client.upsert(options.collection, points)
    client.close()
    store.close()
    fields = '[fields]\ntext = "body"\nurl = "link"\n'
    Path("bythebook.toml").write_text(
        f'qdrant_url = "{options.url}"\nqdrant_collection = "{options.collection}"\n{fields}'
    )
    answer = cli("ask", QUESTION, "--json").json["answer"]
    assert "A costmap is a grid" in answer["text"]
    assert answer["citations"][0]["source_url"] == "https://example.org/book/ros2/nav2"
    refused = cli("index", SAMPLE / "02-ros2")
    assert refused.code == 2
    assert "did not make" in refused.err


def test_the_doctor_finds_a_good_setup_well(cli: Cli, sample_index: Path) -> None:
    run = cli("doctor", "--index", sample_index)
    assert run.code == 0
    assert "FAIL" not in run.out
    assert "211 passages" in run.out


def test_the_doctor_names_what_fails_with_a_hint_and_shows_no_key(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COHERE_API_KEY", "co-very-secret")
    run = cli("doctor", "--index", "nowhere")
    assert run.code == 2
    assert "FAIL  index" in run.out
    assert "hint: build one" in run.out
    assert "COHERE_API_KEY" in run.out
    assert "very-secret" not in run.out + run.err


def test_the_doctor_tells_a_server_that_is_not_there(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QDRANT_URL", "http://127.0.0.1:9")
    run = cli("doctor")
    assert run.code == 2
    assert "FAIL  index" in run.out
    assert "127.0.0.1" not in run.out


def test_every_engine_of_the_docs_names_real_settings() -> None:
    known = {variable_of(name) for name in Settings.model_fields}
    page = (SAMPLE.parents[1] / "docs" / "engines.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b(?:BYTHEBOOK|QDRANT|COHERE|OPENAI|OPENROUTER)_[A-Z_]+\b", page))
    assert named
    assert named <= known


def test_a_model_writes_and_only_what_the_book_carries_is_shown(
    cli: Cli, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = "A costmap is a grid in which each cell stores how undesirable it is for the robot."
    with ChatServer() as server:
        server.will(says(f"{true} [1] Costmaps were invented in Lisbon in 1987. [1]"))
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_MODEL", "tiny")
        run = cli("ask", QUESTION, "--writer", "agent", "--json", "--index", sample_index)
    assert run.code == 0
    assert true in run.json["answer"]["text"]
    assert "Lisbon" not in run.out
    assert run.json["metadata"]["model"] == "tiny"
    assert run.json["metadata"]["tokens_used"] == 120


def test_a_model_that_only_invents_is_refused(
    cli: Cli, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer() as server:
        server.will(says("Costmaps were invented in Lisbon in 1987 [1]."))
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        run = cli("ask", QUESTION, "--writer", "agent", "--json", "--index", sample_index)
    assert run.code == 1
    assert run.json["refusal"]["refusal_type"] == "insufficient_grounding"


def test_the_doctor_reaches_the_model(
    cli: Cli, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer() as server:
        server.will(says("ok"))
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        run = cli("doctor", "--writer", "agent", "--index", sample_index)
    assert run.code == 0, run.out
    assert "gpt-4o-mini answers" in run.out
