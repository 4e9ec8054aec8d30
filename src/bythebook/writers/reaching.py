"""Whether a model server is there, found out without having it write a word."""

from __future__ import annotations

from bythebook.errors import BythebookError, MissingExtraError
from bythebook.writers.agent_options import AgentOptions
from bythebook.writers.failures import Model

_OPENAI_URL = "https://api.openai.com/v1"


def knock(options: AgentOptions, seconds: float) -> None:
    """Ask a server for its list of models; raise our error when nobody opens or the key is wrong.

    Some servers have no such list. Whatever they answer instead, they are there.
    """
    try:
        from openai import APIConnectionError, APIStatusError, OpenAI
    except ImportError as problem:
        raise MissingExtraError(
            "the agent writer needs the OpenAI client", hint="pip install 'bythebook[agent]'"
        ) from problem
    model = Model(options.model, options.api_key)
    client = OpenAI(
        api_key=options.api_key or "none",
        base_url=options.base_url or _OPENAI_URL,  # or the client would look into the environment
        timeout=seconds,
        max_retries=0,
        default_headers=dict(options.headers),
    )
    with client:
        try:
            client.models.with_raw_response.list()
        except APIConnectionError as problem:
            raise model.unreachable() from problem
        except APIStatusError as problem:
            if problem.status_code in (401, 403, 500, 502, 503, 504):
                raise _answered(model, problem.status_code) from problem


def _answered(model: Model, status: int) -> BythebookError:
    return model.answered(status, "asked for its models")
