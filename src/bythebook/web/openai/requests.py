"""What a chat client sends, and the question that is in it.

Instructions of the client (system and developer messages) are read over on purpose: the rules of
the book hold whoever asks. What the assistant said before is not trusted either, since a client can
send anything; only the reader's own questions tell what a follow-up is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bythebook.followups import stand_alone, topic_of
from bythebook.queries import make_query
from bythebook.types import MAX_QUESTION_CHARACTERS, Query
from bythebook.web.openai.errors import rejected

# A topic is at most a few questions old.
_QUESTIONS_LOOKED_BACK = 20


class ContentPart(BaseModel):
    """A piece of a message; only text can be read."""

    model_config = ConfigDict(extra="allow", strict=True)

    type: str
    text: str | None = None


class ChatMessage(BaseModel):
    """A message of the conversation so far."""

    model_config = ConfigDict(extra="allow", strict=True)

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None


class StreamOptions(BaseModel):
    """How to stream."""

    model_config = ConfigDict(extra="allow", strict=True)

    include_usage: bool | None = False


class ResponseFormat(BaseModel):
    """In which form to answer; text is the only one."""

    model_config = ConfigDict(extra="allow", strict=True)

    type: str


class ChatRequest(BaseModel):
    """A chat completion request; what would only steer a model is taken and has no effect."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "model": "bythebook",
                    "messages": [{"role": "user", "content": "What is a costmap?"}],
                }
            ]
        },
    )

    model: str = Field(min_length=1, description="'bythebook', or the book's own name.")
    messages: list[ChatMessage] = Field(
        min_length=1,
        description="The last message of the user is the question, earlier ones tell what it is"
        " about. Messages of the system are ignored: the book's rules hold.",
    )
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(default=None, ge=1, le=128)
    tools: list[dict[str, Any]] | None = None
    functions: list[dict[str, Any]] | None = None
    response_format: ResponseFormat | None = None
    modalities: list[str] | None = None
    logprobs: bool | None = None

    @property
    def wants_usage(self) -> bool:
        """Whether a stream ends with the numbers of tokens."""
        return bool(self.stream_options and self.stream_options.include_usage)

    @property
    def all_text(self) -> str:
        """Everything that was said, for counting."""
        return "\n".join(_text_in(message.content) for message in self.messages)


def question_of(request: ChatRequest) -> Query:
    """Return the question, made to stand alone; raise what turns the request away."""
    _check_supported(request)
    asked = [
        _read(message, number)
        for number, message in enumerate(request.messages)
        if message.role == "user"
    ]
    if not asked:
        raise rejected("there is no message of the user to answer", "messages", "missing_question")
    query = make_query(asked[-1])
    text = complete(query.text, asked[:-1])
    if text == query.text or len(text) > MAX_QUESTION_CHARACTERS:
        return query
    return query.model_copy(update={"text": text, "asked": query.text})


def complete(question: str, earlier: Sequence[str]) -> str:
    """Return a question with what it leans on put in, by the rules of a conversation."""
    topic, previous = "", ""
    for text in earlier[-_QUESTIONS_LOOKED_BACK:]:
        previous = stand_alone(text[:MAX_QUESTION_CHARACTERS], topic, previous)
        topic = topic_of(previous) or topic
    return stand_alone(question, topic, previous)


def _check_supported(request: ChatRequest) -> None:
    if (request.n or 1) > 1:
        raise rejected(
            f"'n' is {request.n}; the book has one answer to a question", "n", "unsupported_value"
        )
    for name in ("tools", "functions"):
        if getattr(request, name):
            raise rejected(
                f"{name!r} cannot be used: the book answers by itself and calls nothing",
                name,
                "unsupported_parameter",
            )
    form = request.response_format.type if request.response_format else "text"
    if form != "text":
        raise rejected(
            f"'response_format' is {form!r}; the book answers in text", "response_format"
        )
    if set(request.modalities or ["text"]) != {"text"}:
        raise rejected(f"'modalities' is {request.modalities}; there is only text", "modalities")
    if request.logprobs:
        raise rejected("'logprobs' cannot be had: nothing is guessed word by word", "logprobs")


def _read(message: ChatMessage, number: int) -> str:
    if isinstance(message.content, list):
        for place, part in enumerate(message.content):
            if part.type != "text" or part.text is None:
                param = f"messages[{number}].content[{place}]"
                raise rejected(
                    f"the part {param} is of type {part.type!r}; the book reads text only",
                    param,
                    "unsupported_content",
                )
    return _text_in(message.content)


def _text_in(content: str | list[ContentPart] | None) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part.text or "" for part in content)
