"""What the description of the service says of errors and examples, written once."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from bythebook.contracts.grounded import ErrorCode, QueryResponse
from bythebook.web.access.gate import NOT_ADMIN, WRONG_KEY
from bythebook.web.errors import FAULT, OUR_FAULT, TOO_SLOW, Problem, envelope
from bythebook.web.request_ids import HEADER

_ID = UUID("550e8400-e29b-41d4-a716-446655440000")

_STORE = "The search service is temporarily unavailable. Please try again."
_WAIT = "Too many questions at once. Please wait before you try again."

_PROBLEMS = {
    401: ("The key is missing, or wrong", WRONG_KEY),
    403: ("The key may not do this", NOT_ADMIN),
    404: ("There is no such thing", Problem(404, "There is no session 'f3...'.")),
    408: ("The body did not arrive in time", TOO_SLOW),
    413: ("The body is too large", Problem(413, "The body is larger than 65,536 bytes.")),
    415: ("The body is not JSON", Problem(415, "The body is not JSON.")),
    422: ("The request cannot be used", Problem(422, "Query cannot be empty.")),
    429: ("Too many requests", Problem(429, _WAIT, ErrorCode.RATE_LIMIT_EXCEEDED, None, 3)),
    500: ("A fault of the service", OUR_FAULT),
    503: ("An engine is away", Problem(503, _STORE, ErrorCode.QDRANT_TIMEOUT)),
    504: ("The model took too long", Problem(504, "The answer was not written in time.", FAULT)),
}

_HEADERS: dict[str, Any] = {
    HEADER: {"description": "The id of the request.", "schema": {"type": "string"}}
}
_MORE_HEADERS: dict[int, dict[str, Any]] = {
    401: {"WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}},
    429: {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}},
}

ANSWERED: dict[str, Any] = {
    "status": "success",
    "answer": {
        "text": "A node is a process that does one job. [1]",
        "citations": [
            {
                "chapter": "Nodes",
                "section": "What is a node?",
                "source_url": "https://example.org/book/nodes",
                "referenced_text": "A node is a process that does one job.",
                "citation_index": 1,
                "chunk_id": "7b0c6b6e-5b7c-5d5c-9a53-0d7c3f7b8c11",
                "start": 0,
                "end": 38,
                "excerpt": "A node is a process that does one job.",
                "url": "https://example.org/book/nodes#what-is-a-node",
            }
        ],
        "mode": "standard_rag",
    },
    "refusal": None,
    "error": None,
    "metadata": {
        "chunks_retrieved": 5,
        "processing_time_ms": 12,
        "session_id": None,
        "request_id": str(_ID),
    },
}

REFUSED: dict[str, Any] = {
    "status": "refused",
    "answer": None,
    "refusal": {
        "reason": "The provided book content does not contain sufficient information to answer"
        " this question",
        "refusal_type": "low_relevance",
    },
    "error": None,
    "metadata": ANSWERED["metadata"],
}


def errors(*statuses: int, model: Any = QueryResponse) -> dict[int | str, dict[str, Any]]:
    """Return the errors of a route for its description; a fault of ours is always among them.

    What is limited looks at keys, too, and who waits for a body does not wait for ever.
    """
    keys = (401,) if 429 in statuses else ()
    slow = (408,) if 413 in statuses else ()
    return {status: _error(status, model) for status in sorted({*statuses, *keys, *slow, 500})}


def _error(status: int, model: Any) -> dict[str, Any]:
    description, problem = _PROBLEMS[status]
    example = envelope(problem, _ID).model_dump(mode="json")
    return {
        "model": model,
        "description": description,
        "headers": _HEADERS | _MORE_HEADERS.get(status, {}),
        "content": {"application/json": {"example": example}},
    }


def examples(**named: object) -> dict[str, Any]:
    """Return named examples the way OpenAPI wants them."""
    return {name: {"value": value} for name, value in named.items()}
