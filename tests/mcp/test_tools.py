"""What an agent gets from the four tools, over either transport."""

from __future__ import annotations

import asyncio
import json

import pytest
from mcp import MCPError

from bythebook.assembly import make_source
from bythebook.assistant import Assistant
from bythebook.contents import BookContents
from bythebook.types import Answer, Query
from tests.builders import BASE_URL, ROOT, SAMPLE
from tests.mcp.conftest import Agent, text_of

QUESTION = "What is a costmap?"
UNANSWERED = "Who won the football world cup in 1998?"
NAV2 = f"{BASE_URL}ros2/nav2"
QUESTIONS = [
    json.loads(line)["question"]
    for line in (ROOT / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The text of every page, as the source has it."""
    return {page.path: page.text for page in make_source(SAMPLE).read().pages}


def test_there_are_four_tools_that_only_read_and_describe_what_goes_in_and_out(
    agent: Agent,
) -> None:
    tools = agent.tools()
    assert set(tools) == {"retrieve_context", "ask_book", "list_sections", "read_section"}
    for tool in tools.values():
        assert tool.annotations
        assert tool.annotations.read_only_hint
        assert tool.annotations.open_world_hint is False
        assert tool.description
        assert tool.output_schema
        assert tool.input_schema["additionalProperties"] is False
        assert all("description" in field for field in tool.input_schema["properties"].values())


def test_the_server_tells_which_book_it_has_and_how_to_use_it(agent: Agent) -> None:
    assert "Physical AI, a Short Textbook" in (agent.client.instructions or "")
    assert "not in this book" in (agent.client.instructions or "")


# --- retrieve_context


def test_passages_are_the_books_words_where_they_say_they_stand(
    agent: Agent, pages: dict[str, str]
) -> None:
    found = agent.get("retrieve_context", query=QUESTION)
    assert found["passages"]
    for passage in found["passages"]:
        in_the_page = pages[passage["page"]][passage["start"] : passage["end"]]
        assert passage["text"] == passage["lead"] + in_the_page
        assert passage["url"].startswith(f"{BASE_URL}")
        assert 0.0 <= passage["score"] <= 1.0
    assert [p["number"] for p in found["passages"]] == list(range(1, len(found["passages"]) + 1))


def test_a_question_the_book_answers_is_said_to_be_answered_and_by_which_passage(
    agent: Agent,
) -> None:
    result = agent.call("retrieve_context", query=QUESTION)
    found = result.structured_content
    assert (found["verdict"], found["sufficient"], found["refusal"]) == ("answers", True, None)
    by_number = {passage["number"]: passage["text"] for passage in found["passages"]}
    assert "A costmap is a grid" in by_number[found["answered_by"][0]]
    assert text_of(result).startswith("The book answers this: [")
    assert by_number[1] in text_of(result)


def test_a_question_the_book_does_not_answer_is_said_not_to_be_in_this_book(agent: Agent) -> None:
    result = agent.call("retrieve_context", query=UNANSWERED)
    found = result.structured_content
    assert (found["verdict"], found["sufficient"]) == ("not_in_this_book", False)
    assert found["answered_by"] == []
    assert found["refusal"]["explanation"]
    assert found["refusal"]["nearest"]
    assert text_of(result).startswith("Not in this book")


@pytest.mark.parametrize("question", QUESTIONS[::6])
def test_the_verdict_is_the_assistants_own(agent: Agent, book: Assistant, question: str) -> None:
    outcome = asyncio.run(book.ask(Query(text=question)))
    found = agent.get("retrieve_context", query=question)
    assert found["sufficient"] is isinstance(outcome.result, Answer)


def test_top_k_threshold_and_module_bound_what_is_found(agent: Agent) -> None:
    assert len(agent.get("retrieve_context", query=QUESTION, top_k=2)["passages"]) <= 2
    assert agent.get("retrieve_context", query=QUESTION, threshold=1.0)["passages"] == []
    found = agent.get("retrieve_context", query="What is a model?", module="isaac", threshold=0.0)
    assert {passage["module"] for passage in found["passages"]} == {"isaac"}


# --- ask_book


def test_an_answer_has_numbered_citations_that_open_the_exact_words(
    agent: Agent, pages: dict[str, str]
) -> None:
    result = agent.call("ask_book", question=QUESTION)
    answer = result.structured_content
    assert answer["kind"] == "answer"
    assert "A costmap is a grid" in answer["answer"]
    assert "[1]" in answer["answer"]
    assert answer["confidence_level"] in ("high", "medium", "low")
    numbers = {citation["index"] for citation in answer["citations"]}
    assert {n for sentence in answer["sentences"] for n in sentence["citations"]} == numbers
    for citation in answer["citations"]:
        assert citation["excerpt"] in pages[citation["page_path"]]
        assert citation["url"].startswith(f"{NAV2}#")
        assert citation["url"] in text_of(result)
    assert answer["answer"] in text_of(result)


def test_a_refusal_has_its_type_its_reason_and_the_nearest_sections(agent: Agent) -> None:
    result = agent.call("ask_book", question=UNANSWERED)
    answer = result.structured_content
    assert (answer["kind"], answer["answer"], answer["citations"]) == ("refusal", None, [])
    assert {"type", "reason", "explanation", "nearest"} <= answer["refusal"].keys()
    assert answer["refusal"]["nearest"][0]["url"].startswith(BASE_URL)
    assert not result.is_error
    assert answer["refusal"]["explanation"] in text_of(result)


def test_marked_text_answers_alone(agent: Agent) -> None:
    marked = "The flange of the arm carries a gripper with two fingers."
    answer = agent.get("ask_book", question="What does the flange carry?", selected_text=marked)
    assert answer["citations"][0]["excerpt"] == marked
    assert agent.get("ask_book", question=QUESTION, selected_text=marked)["kind"] == "refusal"


# --- list_sections and read_section


def test_the_table_of_contents_comes_in_parts_that_join(
    agent: Agent, pages: dict[str, str]
) -> None:
    parts = [agent.get("list_sections", limit=60)]
    while (offset := parts[-1]["next_offset"]) is not None:
        parts.append(agent.get("list_sections", limit=60, offset=offset))
    assert len(parts) > 2
    sections = [section for part in parts for section in part["sections"]]
    assert len(sections) == parts[0]["total"]
    assert list(dict.fromkeys(section["page"] for section in sections)) == list(pages)
    assert parts[0]["modules"] == ["intro", "ros2", "simulation", "isaac", "vla"]
    assert all(section["url"].startswith(BASE_URL) for section in sections)


def test_the_sections_of_a_module_or_a_page_can_be_listed_alone(agent: Agent) -> None:
    of_module = agent.get("list_sections", module="vla")["sections"]
    assert {section["module"] for section in of_module} == {"vla"}
    result = agent.call("list_sections", page="Sensors")
    assert {s["page"] for s in result.structured_content["sections"]} == {"01-intro/02-sensors.md"}
    assert f"- Lidar {BASE_URL}intro/sensors#lidar" in text_of(result)


def test_every_listed_section_can_be_read_and_is_as_long_as_listed(
    agent: Agent, book: Assistant
) -> None:
    contents: BookContents = asyncio.run(book.contents())
    for listed in agent.get("list_sections", module="ros2")["sections"]:
        read = agent.get("read_section", page=listed["url"], max_characters=32_000)
        page, section = contents.section(listed["url"])
        assert read["text"] == page.text(section)
        assert read["total_characters"] == listed["characters"] == len(read["text"])


def test_a_page_read_in_parts_is_the_page(agent: Agent, pages: dict[str, str]) -> None:
    for path in list(pages)[:6]:
        text, offset = "", 0
        while offset is not None:
            part = agent.get("read_section", page=path, max_characters=700, offset=offset)
            assert len(part["text"]) <= 700
            text, offset = text + part["text"], part["next_offset"]
        assert text == pages[path]


def test_a_section_comes_with_its_place_and_link_and_word_of_what_is_left(agent: Agent) -> None:
    result = agent.call("read_section", page="Sensors", heading="lidar", max_characters=200)
    assert text_of(result).startswith(f"Sensors > Lidar\n{BASE_URL}intro/sensors#lidar\n\nA lidar")
    following = result.structured_content["next_offset"]
    assert f"go on with offset {following}" in text_of(result)


# --- what cannot be used


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("retrieve_context", {"query": "x", "top_k": 11}, "'top_k' is 11: input should be less"),
        ("retrieve_context", {"query": "x", "threshold": 1.5}, "'threshold' is 1.5: input should"),
        ("retrieve_context", {"query": "x", "k": 3}, "There is no argument 'k'"),
        ("retrieve_context", {}, "'query' is missing"),
        ("retrieve_context", {"query": "What is ROS?", "module": "food"}, "no module 'food'"),
        ("ask_book", {"question": "   "}, "The question is empty"),
        ("ask_book", {"question": "a" * 2001}, "'question' is"),
        ("ask_book", {"question": "Why?", "selected_text": "  "}, "selected text has 0 characters"),
        ("list_sections", {"module": "food"}, "The book has no module 'food'. Valid modules: "),
        ("list_sections", {"page": "Nowhere"}, "The book has no page 'Nowhere'"),
        ("read_section", {"page": "Sensors", "anchor": "radar"}, "no section with the anchor"),
        ("read_section", {"page": "Sensors", "offset": 10**6}, "The offset is 1000000, but the"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence(
    agent: Agent, tool: str, arguments: dict[str, object], said: str
) -> None:
    sentence = agent.complaint(tool, **arguments)
    assert said in sentence
    assert sentence.endswith(".")
    assert "Traceback" not in sentence
    assert "validation error" not in sentence


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(agent: Agent) -> None:
    with pytest.raises(MCPError, match=r"There is no tool 'write_book'\. The tools are: "):
        agent.call("write_book")
