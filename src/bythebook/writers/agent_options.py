"""What can be set about a model that writes; nothing here needs its packages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bythebook.errors import SettingsError

AgentMode = Literal["direct", "tool"]

OPENROUTER_URL = "https://openrouter.ai/api/v1"


def openrouter_headers(site_url: str | None = None, title: str = "bythebook") -> dict[str, str]:
    """Return the headers by which OpenRouter tells apps apart."""
    return {"X-Title": title} | ({"HTTP-Referer": site_url} if site_url else {})


@dataclass(frozen=True)
class AgentOptions:
    """A model, where it is, and how it should write.

    Without a `base_url` it is OpenAI's own server. Ollama, vLLM, llama.cpp and OpenRouter are other
    base URLs.
    """

    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float = 0.2  # document 001 allows .1 to .3: less repeats itself, more invents
    max_output_tokens: int = 600
    context_tokens: int = 8192  # what the model can read and write together
    timeout_seconds: float = 30.0  # for one attempt
    deadline_seconds: float = 60.0  # for all attempts together
    mode: AgentMode = "direct"
    max_searches: int = 5  # how often the model may search before it has to answer
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        _check("model", self.model, bool(self.model.strip()), "the name of a model")
        _check("temperature", self.temperature, 0.1 <= self.temperature <= 0.3, "0.1 to 0.3")
        _check("mode", self.mode, self.mode in ("direct", "tool"), "direct or tool")
        _check("max_output_tokens", self.max_output_tokens, self.max_output_tokens > 0, "1 or more")
        _check("max_searches", self.max_searches, self.max_searches > 0, "1 or more")
        _check("timeout_seconds", self.timeout_seconds, self.timeout_seconds > 0, "over 0")
        _check("deadline_seconds", self.deadline_seconds, self.deadline_seconds > 0, "over 0")
        has_room = self.context_tokens > self.max_output_tokens
        _check("context_tokens", self.context_tokens, has_room, "more than max_output_tokens")
        if self.base_url is None and not self.api_key:
            raise SettingsError(
                f"model {self.model!r} needs a key and none is set",
                hint="set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own",
            )


def _check(name: str, value: object, is_right: bool, wanted: str) -> None:
    if not is_right:
        raise SettingsError(f"the agent writer's {name} is {value!r}", hint=f"it must be {wanted}")
