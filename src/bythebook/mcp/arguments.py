"""What an agent may pass to each tool, and the sentence it reads when it passes something else.

The descriptions become the tool's input schema, so they are written for the agent that calls.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bythebook.errors import QueryError
from bythebook.queries import MAX_SELECTED_CHARACTERS
from bythebook.types import MAX_QUESTION_CHARACTERS

LISTED_AT_ONCE = 100
MAX_LISTED_AT_ONCE = 500
READ_AT_ONCE = 8_000
MAX_READ_AT_ONCE = 32_000

_MODULE = "Only this module of the book; list_sections names them. Leave it out for all."
_PAGE = (
    "A page of the book: its path, its title or its URL, as the other tools return them. A URL may"
    " bring its anchor along."
)


class Arguments(BaseModel):
    """What any tool takes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RetrieveArguments(Arguments):
    """For retrieve_context."""

    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUESTION_CHARACTERS,
            description="What to look for: a whole question gives the best verdict.",
        ),
    ]
    top_k: Annotated[int, Field(ge=1, le=10, description="The most passages to return.")] = 5
    threshold: Annotated[
        float | None,
        Field(
            ge=0.0,
            le=1.0,
            description="The least cosine similarity of a passage. Leave it out to use the one the"
            " index was calibrated with; 0 returns the nearest passages however far they are.",
        ),
    ] = None
    module: Annotated[str | None, Field(description=_MODULE)] = None


class AskArguments(Arguments):
    """For ask_book."""

    question: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUESTION_CHARACTERS,
            description="One question that can be understood by itself. Earlier calls are not"
            " remembered, so write names instead of 'it' or 'they'.",
        ),
    ]
    module: Annotated[str | None, Field(description=_MODULE)] = None
    selected_text: Annotated[
        str | None,
        Field(
            max_length=MAX_SELECTED_CHARACTERS,
            description="Answer from this text only and leave the rest of the book aside, as for a"
            " reader who marked it on the page.",
        ),
    ] = None


class ListArguments(Arguments):
    """For list_sections."""

    module: Annotated[str | None, Field(description=_MODULE)] = None
    page: Annotated[str | None, Field(description=f"Only the sections of this page. {_PAGE}")] = (
        None
    )
    offset: Annotated[
        int, Field(ge=0, description="Where to go on: next_offset of the call before.")
    ] = 0
    limit: Annotated[
        int, Field(ge=1, le=MAX_LISTED_AT_ONCE, description="The most sections to return.")
    ] = LISTED_AT_ONCE


class ReadArguments(Arguments):
    """For read_section."""

    page: Annotated[str, Field(min_length=1, description=_PAGE)]
    anchor: Annotated[
        str | None, Field(description="The section's anchor. Without anchor and heading: the page.")
    ] = None
    heading: Annotated[
        str | None,
        Field(description="The section's heading, if the anchor is not known; 'A > B' is B in A."),
    ] = None
    offset: Annotated[
        int, Field(ge=0, description="Where to go on: next_offset of the call before.")
    ] = 0
    max_characters: Annotated[
        int, Field(ge=200, le=MAX_READ_AT_ONCE, description="The most text to return.")
    ] = READ_AT_ONCE


AnyArguments = TypeVar("AnyArguments", bound=Arguments)


def read_arguments(kind: type[AnyArguments], given: dict[str, Any]) -> AnyArguments:
    """Return the arguments; raise QueryError that says what is wrong with which."""
    try:
        return kind.model_validate(given)
    except ValidationError as problem:
        names = ", ".join(kind.model_fields)
        errors = problem.errors()
        field = str(errors[0]["loc"][0]) if errors[0]["loc"] else ""
        raise QueryError(
            "; ".join(_in_words(error["type"], error["loc"], error) for error in errors),
            field=field,
            hint=f"the arguments of this tool are: {names}",
        ) from problem


def _in_words(kind: str, location: tuple[int | str, ...], error: Any) -> str:
    name = ".".join(str(part) for part in location)
    if kind == "missing":
        return f"{name!r} is missing"
    if kind == "extra_forbidden":
        return f"there is no argument {name!r}"
    shown = repr(error["input"])
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return f"{name!r} is {shown}: {error['msg'][:1].lower()}{error['msg'][1:]}"
