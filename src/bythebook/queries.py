"""Turning what a person typed into a query, or into a sentence that says what is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from bythebook.errors import QueryError
from bythebook.types import MAX_QUESTION_CHARACTERS, MAX_TOP_K, Query

MAX_SELECTED_CHARACTERS = 100_000


@dataclass(frozen=True)
class Limits:
    """What a question may be; each profile has its own."""

    max_question_characters: int = MAX_QUESTION_CHARACTERS
    min_top_k: int = 1
    max_top_k: int = MAX_TOP_K
    default_top_k: int = 5
    min_selected_characters: int = 1
    max_selected_characters: int = MAX_SELECTED_CHARACTERS


ENGINE_LIMITS = Limits()


def make_query(
    question: str,
    *,
    top_k: int | None = None,
    threshold: float | None = None,
    module: str | None = None,
    chapter: str | None = None,
    selected_text: str | None = None,
    page_url: str | None = None,
    limits: Limits = ENGINE_LIMITS,
) -> Query:
    """Return a query within the limits; raise QueryError that names the value and the limit."""
    top_k = limits.default_top_k if top_k is None else top_k
    _check_question(question, limits)
    _check_top_k(top_k, limits)
    _check_threshold(threshold)
    if selected_text is not None:
        _check_selected(selected_text, limits)
    return Query(
        text=question.strip(),
        top_k=top_k,
        threshold=threshold,
        module=module,
        chapter=chapter,
        selected_text=selected_text,
        page_url=page_url,
    )


def _check_question(question: str, limits: Limits) -> None:
    _check_unicode("question", "text", question)
    length = len(question.strip())
    if not length:
        raise QueryError("the question is empty", field="text", hint="ask something")
    if length > limits.max_question_characters:
        raise QueryError(
            f"the question has {length:,} characters; {limits.max_question_characters:,} are"
            " allowed",
            field="text",
            hint="shorten it to the one thing you want to know",
        )


def _check_unicode(name: str, field: str, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        raise QueryError(
            f"the {name} is not valid text (at character {problem.start:,})",
            field=field,
            hint="write it in UTF-8",
        ) from problem


def _check_top_k(top_k: int, limits: Limits) -> None:
    if not limits.min_top_k <= top_k <= limits.max_top_k:
        raise QueryError(
            f"top_k is {top_k}; it must be between {limits.min_top_k} and {limits.max_top_k}",
            field="top_k",
            hint=f"leave it out to use {limits.default_top_k}",
        )


def _check_threshold(threshold: float | None) -> None:
    if threshold is not None and not 0.0 <= threshold <= 1.0:
        raise QueryError(
            f"the threshold is {threshold}; it must be between 0 and 1",
            field="threshold",
            hint="leave it out to use the one of the index",
        )


def _check_selected(text: str, limits: Limits) -> None:
    _check_unicode("selected text", "selected_text", text)
    least, most = limits.min_selected_characters, limits.max_selected_characters
    length = len(text.strip())
    if not least <= length <= most:
        raise QueryError(
            f"the selected text has {length:,} characters; it must have {least:,} to {most:,}",
            field="selected_text",
            hint="mark the passage you are asking about",
        )
