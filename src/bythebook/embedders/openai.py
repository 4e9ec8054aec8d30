"""Any embedding model behind an OpenAI-compatible endpoint: OpenAI, vLLM, Ollama, llama.cpp."""

from __future__ import annotations

from collections.abc import Sequence

from bythebook.embedders.base import EmbedderSpec
from bythebook.embedders.failures import Service
from bythebook.embedders.hosted import HostedEmbedder, Purpose
from bythebook.embedders.validation import Rows
from bythebook.errors import BythebookError, MissingExtraError
from bythebook.retrying import Retry

try:
    import openai
    from openai.types import CreateEmbeddingResponse
except ImportError as problem:
    raise MissingExtraError(
        "the embedder 'openai' needs a package that is not installed",
        hint="pip install 'bythebook[openai]'",
    ) from problem

# Knowing these spares a request whenever an index is opened; others are asked once.
_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}

# Cosines of different models lie in different ranges, and this one must do for all of them. Too
# high, and a model with low cosines (text-embedding-3: often .3 to .6 for a passage that answers)
# loses its answers before anyone reads them. Too low costs little: grounding still refuses what
# the passages do not say. So the bar is low; with models whose cosines are all high (ada-002, e5)
# it keeps nothing out, and a threshold measured for the model should be set.
DEFAULT_THRESHOLD = 0.2

DEFAULT_MODEL = "text-embedding-3-small"

# OpenAI's models read 8191 tokens, many open ones 512. Passages of 512 fit both, and a short
# passage is found more precisely than a long one.
DEFAULT_WINDOW = 512

# A server at an address of its own often wants no key; the client insists on sending one.
_NO_KEY = "none"


class OpenAIEmbedder(HostedEmbedder):
    """Embeds with a model behind an OpenAI-compatible endpoint.

    `dimensions` asks the model for shorter vectors, which not every model can make. The key is the
    caller's to find; without a `base_url` there must be one.
    """

    def __init__(
        self,
        api_key: str | None,
        model: str = DEFAULT_MODEL,
        *,
        base_url: str | None = None,
        dimensions: int | None = None,
        max_tokens: int = DEFAULT_WINDOW,
        batch: int = 96,
        threshold: float = DEFAULT_THRESHOLD,
        timeout_seconds: float = 20.0,
        retry: Retry | None = None,
    ) -> None:
        service = Service("the embedding service", model, "OPENAI_API_KEY")
        super().__init__(service, retry, batch=batch, max_tokens=max_tokens)
        self._key = service.usable_key(api_key or (_NO_KEY if base_url else None))
        self._model = model
        self._threshold = threshold
        self._wished = dimensions
        self._dimensions = dimensions or _DIMENSIONS.get(model)
        self._client = openai.OpenAI(
            api_key=self._key,
            base_url=service.usable_address(base_url),
            timeout=timeout_seconds,
            max_retries=0,  # we have rules of our own for that
        )

    @property
    def spec(self) -> EmbedderSpec:
        """The facts about this embedder; asks the service once when nobody knows the dimensions."""
        name = f"openai:{self._model}"
        dimensions = self._dimensions or len(self.embed_query("How long is a vector?"))
        # The address is left out: moving the same model elsewhere does not change its vectors.
        revision = f"{name}/{dimensions}/{self._max_tokens}/1"
        return EmbedderSpec(name, revision, dimensions, self._max_tokens, self._threshold)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def _ask(self, texts: Sequence[str], purpose: Purpose) -> Rows:
        del purpose  # this protocol does not tell questions from passages
        try:
            reply = self._client.embeddings.create(
                model=self._model,
                input=list(texts),
                dimensions=self._wished or openai.omit,
                encoding_format="float",  # not every compatible server knows the client's base64
            )
            return _rows(reply)
        except (openai.APIError, AttributeError, TypeError, ValueError) as problem:
            ours = self._in_our_words(problem)
            said = problem.body if isinstance(problem, openai.APIError) else problem
            self._service.log(ours, problem, str(said), self._key)
            raise ours from problem

    def _in_our_words(self, problem: Exception) -> BythebookError:
        if isinstance(problem, openai.APITimeoutError):
            return self._service.timed_out()
        if isinstance(problem, openai.APIConnectionError):
            return self._service.unreachable()
        if not isinstance(problem, openai.APIStatusError):
            return self._service.malformed()
        if problem.code == "insufficient_quota":  # a 429 that waiting does not cure
            return self._service.quota_used_up()
        retry_after = problem.response.headers.get("retry-after")
        return self._service.answered(problem.status_code, str(problem.body), retry_after)


def _rows(reply: CreateEmbeddingResponse) -> Rows:
    """Return the vectors in the order of the texts, which is not always the order they come in."""
    in_order = sorted(reply.data, key=lambda embedding: embedding.index)
    if [embedding.index for embedding in in_order] != list(range(len(in_order))):
        raise ValueError("vectors that do not say whose they are")
    return [embedding.embedding for embedding in in_order]
