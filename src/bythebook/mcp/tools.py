"""The four tools: what they are for, and how each is answered from the book."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, assert_never

from bythebook.assistant import Assistant
from bythebook.contracts.troubles import in_words
from bythebook.errors import BythebookError, QueryError, RunError
from bythebook.mcp import wording
from bythebook.mcp.arguments import (
    Arguments,
    AskArguments,
    ListArguments,
    ReadArguments,
    RetrieveArguments,
    read_arguments,
)
from bythebook.mcp.results import AskResult, ListedSection, ListResult, ReadResult, RetrieveResult
from bythebook.queries import make_query
from bythebook.types import Answer, Failure, Outcome, Query, Refusal, Value

UNFORESEEN = (
    "Something unexpected went wrong with this call; the log of the server has the details."
)


class Book(Protocol):
    """The book behind the tools, whoever keeps it open."""

    def borrow(self) -> AbstractAsyncContextManager[Assistant]:
        """Use the assistant for a while."""
        ...

    async def ask(self, query: Query) -> Outcome:
        """Return the outcome of a question."""
        ...

    def tell(self, outcome: Outcome) -> None:
        """Hear of a question that was settled with a borrowed assistant."""
        ...


class CallFailedError(Exception):
    """A call that has no result; the text is a sentence for the agent."""


_Arguments = TypeVar("_Arguments", bound=Arguments)
_Result = TypeVar("_Result", bound=Value)


@dataclass(frozen=True)
class BookTool(Generic[_Arguments, _Result]):
    """A tool: its face for agents, and the work behind it."""

    name: str
    title: str
    description: str
    arguments: type[_Arguments]
    result: type[_Result]
    work: Callable[[Book, _Arguments], Awaitable[_Result]]
    word: Callable[[_Result], str]

    async def call(self, book: Book, given: dict[str, Any]) -> tuple[_Result, str]:
        """Return the result and its wording; raise CallFailedError with a sentence."""
        try:
            result = await self.work(book, read_arguments(self.arguments, given))
        except BythebookError as problem:
            sentence = _complaint(problem.message, problem.hint, problem.retryable)
            raise CallFailedError(sentence) from problem
        return result, self.word(result)


async def _retrieve(book: Book, wanted: RetrieveArguments) -> RetrieveResult:
    query = make_query(
        wanted.query, top_k=wanted.top_k, threshold=wanted.threshold, module=wanted.module
    )
    async with book.borrow() as assistant:
        # Whoever searches writes the answer; a model of ours need not write one first.
        outcome = await assistant.quoting().ask(query)
    book.tell(outcome)
    return RetrieveResult.of(outcome, _settled(outcome))


async def _ask(book: Book, wanted: AskArguments) -> AskResult:
    query = make_query(
        wanted.question, module=wanted.module, selected_text=wanted.selected_text or None
    )
    outcome = await book.ask(query)
    return AskResult.of(outcome, _settled(outcome))


async def _list(book: Book, wanted: ListArguments) -> ListResult:
    async with book.borrow() as assistant:
        contents = await assistant.contents()
        manifest = assistant.manifest
    sections = list(contents.sections(wanted.module, wanted.page))
    end = wanted.offset + wanted.limit
    return ListResult(
        title=manifest.title,
        modules=manifest.modules,
        sections=tuple(ListedSection.of(*found) for found in sections[wanted.offset : end]),
        total=len(sections),
        offset=wanted.offset,
        next_offset=end if end < len(sections) else None,
    )


async def _read(book: Book, wanted: ReadArguments) -> ReadResult:
    async with book.borrow() as assistant:
        contents = await assistant.contents()
    page, section = contents.section(wanted.page, wanted.anchor, wanted.heading)
    text = page.text(section)
    if wanted.offset and wanted.offset >= len(text):
        raise QueryError(
            f"the offset is {wanted.offset}, but the section has {len(text)} characters",
            field="offset",
            hint="read it from offset 0, or go on with the next_offset of the call before",
        )
    end = _end_of_part(text, wanted.offset, wanted.max_characters)
    return ReadResult(
        page=page.entry.path,
        page_title=page.entry.title,
        heading=page.title(section),
        heading_path=section.heading_path,
        anchor=section.anchor or None,
        url=page.url(section),
        module=page.entry.module,
        chapter=page.entry.chapter,
        text=text[wanted.offset : end],
        offset=wanted.offset,
        total_characters=len(text),
        next_offset=end if end < len(text) else None,
    )


def _end_of_part(text: str, start: int, most: int) -> int:
    """Return where to stop: behind a paragraph or at least a line, if there is one."""
    limit = start + most
    if limit >= len(text):
        return len(text)
    for seam in ("\n\n", "\n", " "):
        found = text.rfind(seam, start + most // 2, limit)
        if found >= 0:
            return found + len(seam)
    return limit


def _settled(outcome: Outcome) -> Answer | Refusal:
    match outcome.result:
        case Answer() | Refusal() as result:
            return result
        case Failure(error=RunError.__name__):
            raise CallFailedError(UNFORESEEN)  # the log has the whole story
        case Failure() as failure:
            raise CallFailedError(_complaint(failure.message, failure.hint, failure.retryable))
        case other:
            assert_never(other)


def _complaint(message: str, hint: str | None, retryable: bool) -> str:
    again = " Trying again may help." if retryable else ""
    return in_words(message, hint) + again


RETRIEVE_CONTEXT = BookTool(
    name="retrieve_context",
    title="Find passages of the book",
    description="Find passages of the book for a question you will answer yourself. Returns them"
    " word for word, best first, with offsets and links, and a verdict: 'answers' (and which"
    " passages do) or 'not_in_this_book'. When the verdict is 'not_in_this_book', the passages are"
    " only near the subject: do not answer from them or from memory, say that the book does not"
    " cover it. For a finished, checked answer call ask_book instead.",
    arguments=RetrieveArguments,
    result=RetrieveResult,
    work=_retrieve,
    word=wording.retrieved,
)
ASK_BOOK = BookTool(
    name="ask_book",
    title="Ask the book",
    description="Ask the book one question and get an answer of which every sentence was checked"
    " against the passage it cites, with numbered citations and links that open the exact words."
    " When the book does not answer, you get a refusal with its reason and the nearest sections:"
    " pass that on and do not fill the gap from memory. Pass the citations on to the reader.",
    arguments=AskArguments,
    result=AskResult,
    work=_ask,
    word=wording.asked,
)
LIST_SECTIONS = BookTool(
    name="list_sections",
    title="List the sections of the book",
    description="The table of contents in reading order: pages and headings with anchors, links"
    " and lengths. Use it to see what the book covers, or to find the page and anchor for"
    " read_section. Long lists come in parts: go on with next_offset.",
    arguments=ListArguments,
    result=ListResult,
    work=_list,
    word=wording.listed,
)
READ_SECTION = BookTool(
    name="read_section",
    title="Read a section of the book",
    description="The book's own text of one section with its subsections, or of a whole page, word"
    " for word and with its link. Use it when a passage is too short to understand, or to quote at"
    " length. Long sections come in parts: go on with next_offset; the parts joined are the whole.",
    arguments=ReadArguments,
    result=ReadResult,
    work=_read,
    word=wording.read,
)

TOOLS: tuple[BookTool[Any, Any], ...] = (
    RETRIEVE_CONTEXT,
    ASK_BOOK,
    LIST_SECTIONS,
    READ_SECTION,
)
