"""What can go wrong with a Qdrant server, and the error of ours that each becomes.

The client has two transports with errors of their own. Both are read here, once, into a
`Trouble`. What we say to people holds no host and no key; the cause stays attached for the log.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum, auto

import grpc
import httpx
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import (
    ApiException,
    ResponseHandlingException,
    UnexpectedResponse,
)

from bythebook.errors import (
    BythebookError,
    IndexMismatchError,
    IndexMissingError,
    IndexWriteError,
    SettingsError,
    StoreError,
)
from bythebook.retrying import seconds_told

# The client lets through what its JSON reader says of an answer that is none.
QDRANT_ERRORS = (ApiException, QdrantException, grpc.RpcError, json.JSONDecodeError)


class Kind(Enum):
    """The kinds of trouble that differ in what to do about them."""

    UNREACHABLE = auto()
    TIMEOUT = auto()
    BUSY = auto()  # it asks to slow down
    FAILED = auto()  # its own fault
    DENIED = auto()
    MISSING = auto()  # the collection
    EXISTS = auto()  # the collection, already
    WRONG_SIZE = auto()  # the vector
    FULL = auto()  # the disk
    STRANGE = auto()  # an answer no Qdrant gives
    REFUSED = auto()  # whatever else it does not accept


@dataclass(frozen=True)
class Trouble:
    """One problem, understood."""

    kind: Kind
    detail: str = ""  # the server's own sentence
    retry_after_seconds: float | None = None

    @property
    def is_passing(self) -> bool:
        """Whether the same call may well work in a moment."""
        return self.kind in (Kind.UNREACHABLE, Kind.TIMEOUT, Kind.BUSY, Kind.FAILED)

    @property
    def is_of_the_node(self) -> bool:
        """Whether another node of the cluster may do better."""
        return self.kind in (Kind.UNREACHABLE, Kind.TIMEOUT, Kind.FAILED)


_STATUS = {401: Kind.DENIED, 403: Kind.DENIED, 408: Kind.TIMEOUT, 429: Kind.BUSY}
_STATUS |= {404: Kind.STRANGE, 504: Kind.TIMEOUT}
_CODES = {
    grpc.StatusCode.UNAVAILABLE: Kind.UNREACHABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: Kind.TIMEOUT,
    grpc.StatusCode.CANCELLED: Kind.UNREACHABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Kind.BUSY,
    grpc.StatusCode.INTERNAL: Kind.FAILED,
    grpc.StatusCode.UNKNOWN: Kind.FAILED,
    grpc.StatusCode.ABORTED: Kind.FAILED,
    grpc.StatusCode.UNAUTHENTICATED: Kind.DENIED,
    grpc.StatusCode.PERMISSION_DENIED: Kind.DENIED,
    grpc.StatusCode.UNIMPLEMENTED: Kind.STRANGE,
}

# Some troubles share a status, and only Qdrant's sentence tells them apart.
_SENTENCES = (
    (re.compile(r"collection .* (?:doesn't exist|not found)", re.IGNORECASE), Kind.MISSING),
    (re.compile(r"collection .* already exists", re.IGNORECASE), Kind.EXISTS),
    (re.compile(r"vector dimension error|expected dim", re.IGNORECASE), Kind.WRONG_SIZE),
    (re.compile(r"no space left|available disk space|out of disk", re.IGNORECASE), Kind.FULL),
)


def understand(problem: Exception) -> Trouble:
    """Return what an error of the client means."""
    if isinstance(problem, ResourceExhaustedResponse):
        return Trouble(Kind.BUSY, str(problem), float(problem.retry_after_s))
    if isinstance(problem, UnexpectedResponse):
        return _of_response(problem)
    if isinstance(problem, ResponseHandlingException):
        return _of_transport(problem.source)
    if isinstance(problem, grpc.RpcError):
        return _of_call(problem)
    if isinstance(problem, json.JSONDecodeError):
        return Trouble(Kind.STRANGE, str(problem))
    # The client raises its root class for a 429 whose Retry-After is a date.
    return Trouble(Kind.BUSY, str(problem))


def is_worth_retrying(problem: Exception) -> bool:
    """Tell whether the same call may work in a moment."""
    return isinstance(problem, QDRANT_ERRORS) and understand(problem).is_passing


def retry_after(problem: Exception) -> float | None:
    """Return how long the server asks to wait."""
    return understand(problem).retry_after_seconds


def to_ours(problem: Exception, collection: str, timeout_seconds: float) -> BythebookError:
    """Return the error of ours that tells a person what happened."""
    trouble = understand(problem)
    match trouble.kind:
        case Kind.UNREACHABLE:
            return StoreError(
                "the Qdrant server cannot be reached",
                hint="check that it is running and that QDRANT_URL names it",
            )
        case Kind.TIMEOUT:
            return StoreError(
                f"the Qdrant server did not answer within {timeout_seconds:g} seconds",
                hint="try again; if it stays so, look at the server's load",
            )
        case Kind.BUSY:
            return StoreError(
                "the Qdrant server asks for fewer requests",
                hint="try again in a moment",
                retry_after_seconds=trouble.retry_after_seconds,
            )
        case Kind.FAILED:
            return StoreError(
                f"the Qdrant server failed: {trouble.detail}", hint="its log tells more"
            )
        case _:
            return _lasting(trouble, collection)


def _lasting(trouble: Trouble, collection: str) -> BythebookError:
    """Return the error for what trying again does not mend."""
    match trouble.kind:
        case Kind.DENIED:
            return SettingsError(
                "the Qdrant server refuses the API key, or asks for one",
                hint="check QDRANT_API_KEY, and that the key may do this",
            )
        case Kind.MISSING:
            return IndexMissingError(
                f"the Qdrant server has no collection {collection!r}",
                hint="check QDRANT_COLLECTION_NAME, or build the index with 'bythebook index'",
            )
        case Kind.WRONG_SIZE:
            return IndexMismatchError(
                f"collection {collection!r} holds vectors of another size: {trouble.detail}",
                hint="set the embedder it was made with, or build the index again",
            )
        case Kind.FULL:
            return IndexWriteError(
                "the disk of the Qdrant server is full", hint="free some space there"
            )
        case Kind.STRANGE:
            return SettingsError(
                "what answers is not a Qdrant server, or one of another age",
                hint="check QDRANT_URL; the server should be 1.16 or newer",
            )
    refused = StoreError(f"the Qdrant server did not accept the request: {trouble.detail}")
    refused.retryable = False
    return refused


def _of_response(problem: UnexpectedResponse) -> Trouble:
    status = problem.status_code or 0
    detail = _sentence(problem)
    kind = _by_sentence(detail) or _STATUS.get(status)
    if kind is None:
        kind = Kind.FAILED if status >= 500 else Kind.REFUSED
    told = seconds_told(problem.headers.get("retry-after"))
    return Trouble(kind, detail or f"status {status}", told)


def _of_transport(source: Exception) -> Trouble:
    if isinstance(source, httpx.TimeoutException):
        return Trouble(Kind.TIMEOUT, str(source))
    if isinstance(source, httpx.TransportError | OSError):
        return Trouble(Kind.UNREACHABLE, str(source))
    return Trouble(Kind.STRANGE, str(source))


def _of_call(problem: grpc.RpcError) -> Trouble:
    if not isinstance(problem, grpc.Call):
        return Trouble(Kind.FAILED, str(problem))
    detail = str(problem.details())
    kind = _by_sentence(detail) or _CODES.get(problem.code(), Kind.REFUSED)
    return Trouble(kind, detail)


def _by_sentence(detail: str) -> Kind | None:
    return next((kind for pattern, kind in _SENTENCES if pattern.search(detail)), None)


def _sentence(problem: UnexpectedResponse) -> str:
    """Return the sentence inside `{"status": {"error": ...}}`, or nothing."""
    try:
        answer = json.loads(problem.content)
        return str(answer["status"]["error"])
    except (ValueError, KeyError, TypeError):
        return ""
