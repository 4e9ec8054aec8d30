"""Cohere's and OpenAI's embedding endpoints, with vectors that can be searched.

A vector is the sum of one random direction for each stem in the text, so texts that share words
are near each other. The endpoints keep their services' own rules on what they refuse.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bythebook.terms import STOP_WORDS, stem, words
from tests.standins.server import Endpoint, Fault, Received, Reply, json_reply

Row = list[float]

COHERE_DIMENSIONS = 1024
OPENAI_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072}
OTHER_DIMENSIONS = 384  # what a model we have never heard of makes

_SHORTENED_BY_WISH = frozenset(OPENAI_DIMENSIONS)
_INPUT_TYPES = ("search_document", "search_query", "classification", "clustering")


@lru_cache(maxsize=10_000)
def _direction(name: str, dimensions: int) -> NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    direction = np.random.default_rng(seed).standard_normal(dimensions)
    return direction / np.linalg.norm(direction)


def text_vector(text: str, dimensions: int, flavour: str = "") -> Row:
    """Return the unit vector of a text; a flavour, such as an input type, turns it a little."""
    stems = [stem(word) for word in words(text) if word not in STOP_WORDS]
    total = np.sum([_direction(name, dimensions) for name in stems or [f"only {text!r}"]], axis=0)
    total += 0.1 * np.linalg.norm(total) * _direction(f"flavour {flavour}", dimensions)
    return [float(value) for value in total / np.linalg.norm(total)]


@dataclass(frozen=True)
class EmbeddingService:
    """Both vendors at once; `longest` is how many characters of a text the models can read."""

    longest: int | None = None

    def endpoints(self) -> Mapping[str, Endpoint]:
        return {
            "/v1/embed": Endpoint(self._cohere_v1, cohere_error),
            "/v2/embed": Endpoint(self._cohere_v2, cohere_error),
            "/v1/embeddings": Endpoint(self._openai, openai_error),
        }

    def _cohere_v1(self, request: Received) -> Reply:
        reply = self._cohere_v2(request)
        if reply.status != 200:
            return reply
        body = _json(reply)
        is_typed = request.json.get("embedding_types")
        rows = body["embeddings"] if is_typed else body["embeddings"]["float"]
        kind = "embeddings_by_type" if is_typed else "embeddings_floats"
        return json_reply(body | {"embeddings": rows, "response_type": kind})

    def _cohere_v2(self, request: Received) -> Reply:
        asked = request.json
        texts, input_type = asked["texts"], asked.get("input_type")
        if input_type not in _INPUT_TYPES:
            return _refused(cohere_error, "invalid request: input_type is not valid")
        if len(texts) > 96:
            return _refused(
                cohere_error, "invalid request: total number of texts must be at most 96"
            )
        if self._is_too_long(texts) and asked.get("truncate") == "NONE":
            return _refused(cohere_error, "invalid request: too many tokens: max tokens is 512")
        cut = [text[: self.longest] for text in texts]
        rows = [text_vector(text, COHERE_DIMENSIONS, input_type) for text in cut]
        return json_reply(
            {
                "id": "5807ee2e-0cda-445a-9ec8-864c60a06606",
                "response_type": "embeddings_by_type",
                "embeddings": {"float": rows},
                "texts": texts,
                "meta": {"api_version": {"version": "2"}, "billed_units": {"input_tokens": 7}},
            }
        )

    def _openai(self, request: Received) -> Reply:
        asked = request.json
        texts, model, wished = asked["input"], asked["model"], asked.get("dimensions")
        if not all(texts) or len(texts) > 2048:
            return _refused(openai_error, "'$.input' is invalid.")
        if wished and model not in _SHORTENED_BY_WISH:
            return _refused(openai_error, "This model does not support specifying dimensions.")
        if self._is_too_long(texts):
            return _refused(openai_error, "This model's maximum context length is 512 tokens.")
        dimensions = wished or OPENAI_DIMENSIONS.get(model, OTHER_DIMENSIONS)
        embeddings = [
            {"object": "embedding", "index": index, "embedding": text_vector(text, dimensions)}
            for index, text in enumerate(texts)
        ]
        # Backwards on purpose: the index says whose a vector is, not the order.
        body = {"object": "list", "data": embeddings[::-1], "model": model}
        return json_reply(body | {"usage": {"prompt_tokens": 8, "total_tokens": 8}})

    def _is_too_long(self, texts: Sequence[str]) -> bool:
        return self.longest is not None and any(len(text) > self.longest for text in texts)


def cohere_error(status: int, message: str, code: str | None = None) -> object:
    del status, code
    return {"id": "9be9ddb8-4b1c-4d1c-a5a4-1b0b8c3c6f55", "message": message}


def openai_error(status: int, message: str, code: str | None = None) -> object:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def tampering(change: Callable[[list[Row]], list[Row]]) -> Fault:
    """Return a fault that changes the vectors of the right answer."""

    def answer(request: Received, endpoint: Endpoint) -> Reply:
        reply = endpoint.answer(request)
        body = _json(reply)
        if "data" in body:
            rows = change([embedding["embedding"] for embedding in body["data"]])
            body["data"] = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
        else:
            body["embeddings"]["float"] = change(body["embeddings"]["float"])
        return replace(reply, body=json.dumps(body).encode())

    return answer


def _json(reply: Reply) -> Any:
    assert isinstance(reply.body, bytes)
    return json.loads(reply.body)


def _refused(error: Callable[[int, str], object], message: str) -> Reply:
    return json_reply(error(400, message), 400)
