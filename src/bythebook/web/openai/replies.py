"""Chat completions, whole and in chunks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from bythebook.contracts.grounded import QueryResponse, from_outcome
from bythebook.embedders.tokens import count_tokens
from bythebook.types import Answer, Outcome, Refusal
from bythebook.web.openai.wording import marks_in, pieces_of, place_of

DONE = "data: [DONE]\n\n"


class UrlCitation(BaseModel):
    """A link, and which characters of the message stand for it: `content[start:end]`."""

    start_index: int
    end_index: int
    title: str
    url: str


class Annotation(BaseModel):
    """A citation in OpenAI's own form."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class ReplyMessage(BaseModel):
    """The answer of the book."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None
    annotations: list[Annotation] = Field(default_factory=list)
    bythebook: QueryResponse = Field(
        description="The same as `POST /api/query` returns: citations with offsets, or the refusal."
    )


class Choice(BaseModel):
    """The one answer there is."""

    index: Literal[0] = 0
    message: ReplyMessage
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class Usage(BaseModel):
    """Tokens, by the model's own count when one wrote, else by ours."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletion(BaseModel):
    """A whole reply."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: Usage
    system_fingerprint: str


class Model(BaseModel):
    """A model that can be asked for."""

    model_config = ConfigDict(protected_namespaces=())

    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: Literal["bythebook"] = "bythebook"


class ModelList(BaseModel):
    """All models."""

    object: Literal["list"] = "list"
    data: list[Model]


@dataclass(frozen=True)
class Envelope:
    """What every part of one reply repeats."""

    request_id: UUID
    created: datetime
    model: str
    fingerprint: str

    def fields(self, kind: str) -> dict[str, Any]:
        """Return them as JSON, in OpenAI's order."""
        return {
            "id": f"chatcmpl-{self.request_id.hex}",
            "object": kind,
            "created": int(self.created.timestamp()),
            "model": self.model,
            "system_fingerprint": self.fingerprint,
        }


def completion(
    envelope: Envelope, outcome: Outcome, result: Answer | Refusal, prompt: str
) -> ChatCompletion:
    """Return a whole reply."""
    content = "".join(pieces_of(result))
    message = ReplyMessage(
        content=content, annotations=_annotations(result), bythebook=from_outcome(outcome)
    )
    return ChatCompletion(
        **envelope.fields("chat.completion"),
        choices=[Choice(message=message)],
        usage=_usage(outcome, prompt, content),
    )


@dataclass(frozen=True)
class Chunks:
    """The parts of a streamed reply."""

    envelope: Envelope
    wants_usage: bool

    def opening(self) -> str:
        """Say who speaks."""
        return self._event({"role": "assistant", "content": "", "refusal": None})

    def reply(self, outcome: Outcome, result: Answer | Refusal, prompt: str) -> Iterator[str]:
        """Yield the sentences, the links, what is known besides, and the end."""
        pieces = pieces_of(result)
        for piece in pieces:
            yield self._event({"content": piece})
        extras = {
            "annotations": [note.model_dump(mode="json") for note in _annotations(result)],
            "bythebook": from_outcome(outcome).model_dump(mode="json"),
        }
        yield self._event(extras, "stop")
        if self.wants_usage:
            yield self._usage_event(_usage(outcome, prompt, "".join(pieces)))
        yield DONE

    def _event(self, delta: dict[str, Any], finish_reason: str | None = None) -> str:
        choice = {
            "index": 0,
            "delta": delta,
            "logprobs": None,
            "finish_reason": finish_reason,
        }
        usage = {"usage": None} if self.wants_usage else {}
        return event({**self._fields(), "choices": [choice], **usage})

    def _usage_event(self, usage: Usage) -> str:
        return event({**self._fields(), "choices": [], "usage": usage.model_dump()})

    def _fields(self) -> dict[str, Any]:
        return self.envelope.fields("chat.completion.chunk")


def event(content: dict[str, Any]) -> str:
    """Return a server-sent event without a name."""
    return f"data: {json.dumps(content, ensure_ascii=False, separators=(',', ':'))}\n\n"


def _annotations(result: Answer | Refusal) -> list[Annotation]:
    if isinstance(result, Refusal):
        return []
    return [
        Annotation(
            url_citation=UrlCitation(
                start_index=mark.start,
                end_index=mark.end,
                title=place_of(mark.citation) or mark.citation.section,
                url=mark.citation.url,
            )
        )
        for mark in marks_in(result)
        if mark.citation.url
    ]


def _usage(outcome: Outcome, prompt: str, content: str) -> Usage:
    completion_tokens = count_tokens(content)
    # What a model used counts whole: its instructions and passages are a part of the prompt.
    prompt_tokens = max(count_tokens(prompt), outcome.tokens_used - completion_tokens)
    return Usage(
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        total_tokens=prompt_tokens + completion_tokens,
    )
