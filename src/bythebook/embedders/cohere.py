"""Cohere's embed models, version 3: questions and passages are embedded differently."""

from __future__ import annotations

from collections.abc import Sequence

from bythebook.embedders.base import EmbedderSpec
from bythebook.embedders.failures import Service
from bythebook.embedders.hosted import HostedEmbedder, Purpose
from bythebook.embedders.validation import Rows
from bythebook.errors import BythebookError, MissingExtraError, SettingsError
from bythebook.retrying import Retry

try:
    import httpx
    from cohere import ClientV2, EmbedByTypeResponse
    from cohere.core.api_error import ApiError
    from cohere.core.parse_error import ParsingError
except ImportError as problem:
    raise MissingExtraError(
        "the embedder 'cohere' needs a package that is not installed",
        hint="pip install 'bythebook[cohere]'",
    ) from problem

MODELS = ("embed-english-v3.0", "embed-multilingual-v3.0")
DEFAULT_MODEL = "embed-multilingual-v3.0"

_DIMENSIONS = 1024
_WINDOW = 512
_MOST_TEXTS = 96  # more in one request are refused

# Document 004's number, for embed-multilingual-v3.0. The other documents' numbers are in their
# profiles, and a profile's wins when its model is the one in use.
DEFAULT_THRESHOLD = 0.4

# The last three are what reading an answer of an unheard-of shape ends in.
_TROUBLES = (ApiError, ParsingError, httpx.HTTPError, AttributeError, TypeError, ValueError)


class CohereEmbedder(HostedEmbedder):
    """Embeds with Cohere; the key is the caller's to find."""

    def __init__(
        self,
        api_key: str | None,
        model: str = DEFAULT_MODEL,
        *,
        base_url: str | None = None,
        threshold: float = DEFAULT_THRESHOLD,
        timeout_seconds: float = 20.0,
        retry: Retry | None = None,
    ) -> None:
        if model not in MODELS:
            raise SettingsError(
                f"there is no embedder 'cohere:{model}'",
                hint=f"valid ones: {', '.join(f'cohere:{name}' for name in MODELS)}",
            )
        service = Service("Cohere", model, "COHERE_API_KEY")
        super().__init__(service, retry, batch=_MOST_TEXTS, max_tokens=_WINDOW)
        self._key = service.usable_key(api_key)
        self._model = model
        self._threshold = threshold
        self._dimensions = _DIMENSIONS
        # Made here and not by Cohere's client, which offers no way to close its own.
        self._http = httpx.Client(timeout=timeout_seconds)
        self._client = ClientV2(
            self._key,
            base_url=service.usable_address(base_url),
            timeout=timeout_seconds,
            httpx_client=self._http,
        )

    @property
    def spec(self) -> EmbedderSpec:
        """The facts about this embedder."""
        name = f"cohere:{self._model}"
        return EmbedderSpec(name, f"{name}/1", _DIMENSIONS, _WINDOW, self._threshold)

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def _ask(self, texts: Sequence[str], purpose: Purpose) -> Rows:
        try:
            reply = self._client.embed(
                model=self._model,
                texts=texts,
                input_type="search_query" if purpose == "query" else "search_document",
                embedding_types=["float"],
                truncate="NONE",  # refuse what is too long: never cut it off in silence
                request_options={"max_retries": 0},  # we have rules of our own for that
            )
            return _rows(reply)
        except _TROUBLES as problem:
            ours = self._in_our_words(problem)
            self._service.log(ours, problem, str(problem), self._key)
            raise ours from problem

    def _in_our_words(self, problem: Exception) -> BythebookError:
        if isinstance(problem, httpx.TimeoutException):
            return self._service.timed_out()
        if isinstance(problem, httpx.TransportError):
            return self._service.unreachable()
        status = problem.status_code if isinstance(problem, ApiError) else None
        if not isinstance(problem, ApiError) or status is None or status < 300:
            return self._service.malformed()
        retry_after = (problem.headers or {}).get("retry-after")
        return self._service.answered(status, str(problem.body), retry_after)


def _rows(reply: EmbedByTypeResponse) -> Rows:
    # The client builds its values without checking them, so anything may be inside.
    rows = reply.embeddings.float_
    if rows is None:
        raise ValueError("an answer without vectors")
    return rows
