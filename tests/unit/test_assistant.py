from __future__ import annotations

import asyncio
import copy
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bythebook.assembly import open_assistant
from bythebook.assistant import Assistant
from bythebook.errors import IndexMismatchError, QueryError, SetupError, StoreError, WriterError
from bythebook.manifest import read_manifest
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.types import (
    Answer,
    Draft,
    DraftSentence,
    Evidence,
    Failure,
    Mode,
    Outcome,
    Passage,
    Query,
    Refusal,
    RefusalType,
    State,
)
from bythebook.writers.base import Writer

QUESTION = "What is Physical AI?"
SELECTION = "Reliable delivery resends lost messages until they arrive."

Compose = Callable[[Sequence[Passage]], Draft]


class ScriptedWriter:
    """Writes what a test tells it to."""

    def __init__(self, compose: Compose) -> None:
        self._compose = compose

    async def write(self, query: Query, passages: Sequence[Passage]) -> Draft:  # noqa: ARG002
        return self._compose(passages)


def ask(assistant: Assistant, text: str = QUESTION, **options: object) -> Outcome:
    return asyncio.run(assistant.ask(Query.model_validate({"text": text} | options)))


def with_writer(assistant: Assistant, writer: Writer) -> Assistant:
    other = copy.copy(assistant)
    other._writer = writer
    return other


def scripted(assistant: Assistant, *sentences: DraftSentence) -> Assistant:
    draft = Draft(sentences=sentences, model="scripted", tokens_used=5)
    return with_writer(assistant, ScriptedWriter(lambda _: draft))


def states(assistant: Assistant, query: Query) -> list[State]:
    async def collect() -> list[State]:
        return [step async for step in assistant.stream(query) if isinstance(step, State)]

    return asyncio.run(collect())


def test_a_question_the_book_answers_gets_a_cited_answer(book: Assistant) -> None:
    outcome = ask(book)
    assert isinstance(outcome.result, Answer)
    assert (outcome.state, outcome.mode) == (State.COMPLETE, Mode.STANDARD_RAG)
    assert outcome.retrieval
    chunks = {passage.chunk.id: passage.chunk for passage in outcome.retrieval.passages}
    for citation in outcome.result.citations:
        chunk = chunks[citation.chunk_id]
        assert citation.excerpt == chunk.text[citation.start : citation.end]
        assert citation.url
        assert citation.url.startswith("https://example.org/book/")


def test_no_more_passages_are_kept_than_asked_for(book: Assistant) -> None:
    retrieval = ask(book, top_k=2).retrieval
    assert retrieval
    assert len(retrieval.passages) <= 2


def test_a_question_the_book_does_not_answer_is_refused(book: Assistant) -> None:
    outcome = ask(book, "Who won the football world cup in 1974?", threshold=0.0)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.type is RefusalType.INSUFFICIENT_GROUNDING
    assert outcome.state is State.LOW_CONFIDENCE
    assert outcome.result.nearest


def test_nothing_above_the_threshold_is_too_little_relevance(book: Assistant) -> None:
    outcome = ask(book, threshold=1.0)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.type is RefusalType.LOW_RELEVANCE


def test_nothing_found_at_all_is_an_empty_retrieval(book: Assistant) -> None:
    outcome = ask(book, module="ros2", chapter="Glossary")
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.type is RefusalType.EMPTY_RETRIEVAL
    assert outcome.state is State.NO_RESULTS


def test_the_states_are_passed_in_order(book: Assistant) -> None:
    on_the_way = [State.RECEIVED, State.VALIDATING, State.RETRIEVING]
    assert states(book, Query(text=QUESTION)) == [*on_the_way, State.GENERATING, State.COMPLETE]
    low = Query(text=QUESTION, threshold=1.0)
    assert states(book, low) == [*on_the_way, State.GENERATING, State.LOW_CONFIDENCE]
    none = Query(text=QUESTION, module="ros2", chapter="Glossary")
    assert states(book, none) == [*on_the_way, State.NO_RESULTS]
    assert states(book, Query(text="  ")) == [State.RECEIVED, State.VALIDATING, State.ERROR]


def test_a_blank_question_is_a_failure_of_validation(book: Assistant) -> None:
    for options in ({"text": " \n"}, {"selected_text": "  "}, {"module": "astrology"}):
        outcome = ask(book, **options)
        assert isinstance(outcome.result, Failure)
        assert outcome.result.stage == "validation"
        assert not outcome.result.retryable


def test_marked_text_is_answered_from_alone(book: Assistant) -> None:
    outcome = ask(book, "What does reliable delivery do?", selected_text=SELECTION)
    assert isinstance(outcome.result, Answer)
    assert outcome.mode is Mode.SELECTED_TEXT_ONLY
    assert outcome.result.text == f"{SELECTION} [1]"
    assert [citation.excerpt for citation in outcome.result.citations] == [SELECTION]
    assert [citation.section for citation in outcome.result.citations] == ["Selected text"]


def test_marked_text_without_a_page_has_no_link(book: Assistant) -> None:
    outcome = ask(book, "What does reliable delivery do?", selected_text=SELECTION)
    assert isinstance(outcome.result, Answer)
    assert [citation.url for citation in outcome.result.citations] == [None]


def test_marked_text_that_does_not_answer_is_refused_though_the_book_would(
    book: Assistant,
) -> None:
    outcome = ask(book, QUESTION, selected_text=SELECTION)
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.type is RefusalType.SELECTED_TEXT_MISSING


def test_the_same_question_on_another_selection_is_answered_from_that_one(
    book: Assistant,
) -> None:
    question = "What does reliable delivery do?"
    other = "The sun shines. Reliable delivery waits until each message is acknowledged."
    ask(book, question, selected_text=SELECTION)
    outcome = ask(book, question, selected_text=other)
    assert isinstance(outcome.result, Answer)
    assert "acknowledged" in outcome.result.text


def test_what_a_writer_invents_is_never_shown(book: Assistant) -> None:
    invented = DraftSentence(text="Aliens built the first humanoid on Mars in 1643.")
    outcome = ask(scripted(book, invented))
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.type is RefusalType.INSUFFICIENT_GROUNDING
    assert "Aliens" not in outcome.model_dump_json()


def test_an_invented_sentence_is_dropped_from_between_true_ones(book: Assistant) -> None:
    def compose(passages: Sequence[Passage]) -> Draft:
        chunk = passages[0].chunk
        block = next(b for b in chunk.blocks if b.kind == "paragraph")
        span = Evidence(chunk_id=chunk.id, start=block.start, end=block.end)
        true = DraftSentence(text=chunk.text[block.start : block.end], evidence=(span,))
        false = DraftSentence(text="It costs 99 dollars at Walmart.", evidence=(span,))
        return Draft(sentences=(false, true, false), model="scripted", tokens_used=5)

    outcome = ask(with_writer(book, ScriptedWriter(compose)))
    assert isinstance(outcome.result, Answer)
    assert len(outcome.result.sentences) == 1
    assert "Walmart" not in outcome.result.text
    assert (outcome.model, outcome.tokens_used) == ("scripted", 5)


def test_an_empty_draft_is_a_refusal(book: Assistant) -> None:
    assert isinstance(ask(scripted(book)).result, Refusal)


def test_a_writer_that_fails_is_a_failure_that_may_be_tried_again(book: Assistant) -> None:
    def fail(_: Sequence[Passage]) -> Draft:
        raise WriterError("the model is away", hint="wait", retry_after_seconds=2.0)

    failure = ask(with_writer(book, ScriptedWriter(fail))).result
    assert isinstance(failure, Failure)
    assert (failure.stage, failure.error) == ("generation", "WriterError")
    assert (failure.message, failure.hint) == ("the model is away", "wait")
    assert (failure.retryable, failure.retry_after_seconds) == (True, 2.0)


def test_a_draft_that_cannot_be_checked_is_an_error_and_not_an_answer(book: Assistant) -> None:
    garbled = Draft.model_construct(sentences=None, model="garbled", tokens_used=0)
    outcome = ask(with_writer(book, ScriptedWriter(lambda _: garbled)))
    assert isinstance(outcome.result, Failure)
    assert (outcome.result.stage, outcome.result.error) == ("grounding", "GroundingError")
    assert outcome.state is State.ERROR


def test_a_closed_index_is_a_failure_of_retrieval(sample_index: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(sample_index, folder)
    closed = open_assistant(load_settings(index=folder))
    closed.close()
    failure = ask(closed).result
    assert isinstance(failure, Failure)
    assert (failure.stage, failure.error) == ("retrieval", "StoreError")


def test_many_questions_at_once_get_the_answers_they_get_alone(book: Assistant) -> None:
    questions = [
        QUESTION,
        "What is inverse kinematics?",
        "What is a VLA?",
        "Who won the football world cup in 1974?",
        "What is USD?",
        "How do I create a package?",
    ]
    alone = [ask(book, question).result for question in questions]

    async def together() -> list[Outcome]:
        return await asyncio.gather(*(book.ask(Query(text=text)) for text in questions * 3))

    assert [outcome.result for outcome in asyncio.run(together())] == alone * 3


def test_a_search_gives_passages_and_raises_what_is_wrong(book: Assistant) -> None:
    found = asyncio.run(book.search(Query(text=QUESTION, top_k=3)))
    assert len(found.hits) == 3
    with pytest.raises(QueryError, match="empty"):
        asyncio.run(book.search(Query(text=" ")))


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff"])
def test_an_index_with_a_damaged_lexicon_is_an_error_in_words(
    sample_index: Path, tmp_path: Path, content: bytes | None
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(sample_index, folder)
    lexicon = FolderShelf(folder).generation(read_manifest(folder).generation) / "lexicon.json"
    if content is None:
        lexicon.unlink()
    else:
        lexicon.write_bytes(content)
    with pytest.raises((SetupError, StoreError)) as caught:
        open_assistant(load_settings(index=folder))
    assert "bythebook index" in str(caught.value.hint)


def test_an_index_of_another_embedder_is_not_opened(sample_index: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(sample_index, folder)
    manifest = (folder / "index.json").read_text()
    (folder / "index.json").write_text(manifest.replace('"minilm"', '"cohere:embed-v3"'))
    with pytest.raises(IndexMismatchError, match="cohere:embed-v3"):
        open_assistant(load_settings(index=folder))
