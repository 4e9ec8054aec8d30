"""Reading files of questions: single ones, follow-ups, and questions on marked text.

The three kinds may stand in one file. Fields nobody here knows are left alone, so a file may carry
whatever its author needs; a line that cannot be used is told with its file and number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bythebook.errors import QuestionsError
from bythebook.markup import strip_markup
from bythebook.types import MAX_QUESTION_CHARACTERS, Value

_FORMAT = "docs/evaluation.md describes the fields of a question"
_LIST_NUMBER = re.compile(r"^\s*\d+[.)]\s+")


class Form(StrEnum):
    """How a question is put."""

    SINGLE = "single"
    FOLLOW_UP = "follow-up"
    SELECTED = "selected-text"


class Gold(Value):
    """Words of the book that answer a question, without Markdown."""

    text: str
    page: str | None = None


class Case(Value):
    """One question with what is known about its answer; the last of `turns` is judged."""

    id: str
    form: Form
    kind: str
    turns: tuple[str, ...] = Field(min_length=1)
    answerable: bool
    selected_text: str | None = None
    page_url: str | None = None
    standalone: str | None = None
    gold_pages: tuple[str, ...] = ()
    gold_urls: tuple[str, ...] = ()
    gold: tuple[Gold, ...] = ()
    key_points: tuple[str, ...] = ()
    answered_elsewhere: str | None = None
    why_unanswerable: str = ""

    @property
    def question(self) -> str:
        """The question that is judged."""
        return self.turns[-1]


_Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)]


class _Loose(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Span(_Loose):
    text: str
    page: str | None = None


class _Elsewhere(_Loose):
    sentence: str = ""


class _Line(_Loose):
    """A line as it stands in the file."""

    answerable: bool
    id: str | None = None
    kind: str | None = None
    question: _Question | None = None
    turns: tuple[_Question, ...] | None = None
    standalone: str | None = None
    selected_text: Annotated[str, Field(min_length=1)] | None = None
    page_url: str | None = None
    gold_pages: tuple[str, ...] = ()
    gold_urls: tuple[str, ...] = ()
    gold_sentences: tuple[str, ...] = ()
    gold_spans: tuple[_Span, ...] = ()
    key_points: tuple[str, ...] = ()
    answered_elsewhere: _Elsewhere | None = None
    why_unanswerable: str | None = None

    @model_validator(mode="after")
    def _says_what_is_asked_and_where_the_answer_stands(self) -> _Line:
        if (self.question is None) == (self.turns is None):
            raise ValueError("give either 'question' or 'turns'")
        if self.turns is not None and len(self.turns) < 2:
            raise ValueError("'turns' needs a first question and a follow-up")
        if self.turns is not None and self.selected_text is not None:
            raise ValueError("a follow-up cannot be on marked text as well")
        has_place = self.gold_pages or self.gold_urls or self.selected_text is not None
        if self.answerable and not has_place:
            raise ValueError("an answerable question needs 'gold_pages' or 'gold_urls'")
        return self

    @property
    def form(self) -> Form:
        if self.turns is not None:
            return Form.FOLLOW_UP
        return Form.SINGLE if self.selected_text is None else Form.SELECTED

    def gold(self) -> tuple[Gold, ...]:
        """Return the gold text; the spans when every sentence has one, they name its page."""
        if self.gold_spans and len(self.gold_spans) >= len(self.gold_sentences):
            return tuple(Gold(text=span.text, page=span.page) for span in self.gold_spans)
        return tuple(Gold(text=_plain(sentence)) for sentence in self.gold_sentences)


def read_cases(paths: Sequence[Path]) -> list[Case]:
    """Return the questions of some files in order; raise QuestionsError naming file and line."""
    cases: list[Case] = []
    places: dict[str, str] = {}
    for path in paths:
        before = len(cases)
        for number, line in _lines(path):
            case = _case(path, number, line)
            place = f"{path}, line {number}"
            if case.id in places:
                raise QuestionsError(
                    f"{place}: the id {case.id!r} was used before ({places[case.id]})",
                    hint="give every question an id of its own",
                )
            places[case.id] = place
            cases.append(case)
        if len(cases) == before:
            raise QuestionsError(f"{path} holds no question", hint=_FORMAT)
    return cases


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise QuestionsError(
            f"the questions {str(path)!r} cannot be read: {problem.strerror}",
            hint="give a file with one JSON object a line",
        ) from problem
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _case(path: Path, number: int, line: bytes) -> Case:
    try:
        read = _Line.model_validate_json(line)
    except ValidationError as problem:
        raise QuestionsError(f"{path}, line {number}: {_why(problem)}", hint=_FORMAT) from problem
    form = read.form
    elsewhere = read.answered_elsewhere.sentence if read.answered_elsewhere else None
    return Case(
        id=read.id or f"{path.stem}:{number}",
        form=form,
        kind=read.kind or form.value,
        turns=read.turns or (read.question or "",),
        answerable=read.answerable,
        selected_text=read.selected_text,
        page_url=read.page_url,
        standalone=read.standalone,
        gold_pages=read.gold_pages,
        gold_urls=read.gold_urls,
        gold=read.gold(),
        key_points=read.key_points,
        answered_elsewhere=elsewhere,
        why_unanswerable=read.why_unanswerable or "",
    )


def _why(problem: ValidationError) -> str:
    first: Any = problem.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    told = str(first["msg"]).removeprefix("Value error, ")
    return f"{field}: {told}" if field else told


def _plain(sentence: str) -> str:
    return strip_markup(_LIST_NUMBER.sub("", sentence)).strip()
