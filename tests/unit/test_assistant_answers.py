"""What readers of the sample book ask, and what they should be shown."""

from __future__ import annotations

import asyncio
import copy
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from bythebook.assembly import make_source, open_assistant
from bythebook.assistant import Assistant
from bythebook.cli.exits import ExitCode, of_outcome
from bythebook.contracts import grounded
from bythebook.errors import SettingsError
from bythebook.indexing import Indexer
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.types import Answer, Draft, Failure, Passage, Query
from tests.builders import write_files

SELECTION = "Orin NX has 16 GB RAM while the Nano has 8 GB. Both run JetPack."


def test_marked_text_is_judged_by_its_own_words(book: Assistant) -> None:
    query = Query(text="How much RAM does the Orin NX have?", selected_text=SELECTION)
    result = asyncio.run(book.ask(query)).result
    assert isinstance(result, Answer)
    assert "16 GB" in result.text


@pytest.mark.parametrize(
    "question", ["Explain this", "What does this mean?", "Summarise this text"]
)
def test_the_gist_of_marked_text_is_how_it_begins(book: Assistant, question: str) -> None:
    result = asyncio.run(book.ask(Query(text=question, selected_text=SELECTION))).result
    assert isinstance(result, Answer)
    assert result.sentences[0].text == "Orin NX has 16 GB RAM while the Nano has 8 GB."


def test_the_same_passage_in_two_modules_is_cited_where_it_was_asked_for(
    tmp_path: Path, indexer: Indexer
) -> None:
    words = "# Safety\n\n## Stop\n\nAn emergency stop cuts the power of every motor at once.\n"
    root = write_files(tmp_path / "book", {"a/page.md": words, "b/page.md": words})
    shelf = FolderShelf(tmp_path / "index")
    indexer.index(make_source(root), shelf)
    assistant = open_assistant(load_settings(index=shelf.folder))
    try:
        for module in ("a", "b"):
            query = Query(text="What is an emergency stop?", module=module)
            result = asyncio.run(assistant.ask(query)).result
            assert isinstance(result, Answer)
            assert {citation.module for citation in result.citations} == {module}
    finally:
        assistant.close()


def test_a_question_for_a_list_brings_the_table(book: Assistant) -> None:
    result = asyncio.run(book.ask(Query(text="List the QoS policies"))).result
    assert isinstance(result, Answer)
    assert result.text.count("Policy: ") == 7


def test_a_sentence_that_things_differ_brings_the_table_that_tells_how(book: Assistant) -> None:
    query = Query(text="What is the difference between URDF and SDF?")
    answer = asyncio.run(book.ask(query)).result
    assert isinstance(answer, Answer)
    assert "Describes; URDF: One robot; SDF: Whole worlds and robots" in answer.text


def test_steps_that_are_announced_are_shown(book: Assistant) -> None:
    result = asyncio.run(book.ask(Query(text="How do I launch Gazebo?"))).result
    assert isinstance(result, Answer)
    assert "\n4. Spawn the robot" in result.text
    assert "```bash" in result.text


def test_a_formula_stands_on_a_line_of_its_own(book: Assistant) -> None:
    query = Query(text="What is the zero moment point along one axis at constant height?")
    result = asyncio.run(book.ask(query)).result
    assert isinstance(result, Answer)
    assert re.search(r"\n\n\$\$x_\{zmp\}.*\$\$ \[\d\]", result.text)


def test_a_wrong_key_is_a_matter_of_setup(book: Assistant) -> None:
    class WithoutKey:
        async def write(self, query: Query, passages: Sequence[Passage]) -> Draft:  # noqa: ARG002
            raise SettingsError("the key is wrong", hint="set another")

    assistant = copy.copy(book)
    assistant._writer = WithoutKey()
    outcome = asyncio.run(assistant.ask(Query(text="What is a costmap?")))
    assert isinstance(outcome.result, Failure)
    assert of_outcome(outcome) is ExitCode.CONFIGURATION
    told = grounded.from_outcome(outcome).error
    assert told
    assert told.message == "The key is wrong. Set another."


def test_what_was_unusual_stands_in_the_metadata(book: Assistant) -> None:
    outcome = asyncio.run(book.ask(Query(text="What is a costmap?")))
    assert "notes" not in grounded.from_outcome(outcome).model_dump()["metadata"]
    noted = outcome.model_copy(update={"notes": ("the oldest questions were left out",)})
    metadata = grounded.from_outcome(noted).metadata
    assert metadata.notes == ["the oldest questions were left out"]
