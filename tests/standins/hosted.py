"""Hosted embedders that talk to a stand-in, for the tests that run over each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bythebook.embedders.cohere import CohereEmbedder
from bythebook.embedders.hosted import HostedEmbedder
from bythebook.embedders.openai import OpenAIEmbedder
from bythebook.retrying import Retry
from tests.standins.server import StandInServer

KEY = "sk-secret-0123456789abcdef"


@dataclass(frozen=True)
class Naps:
    """A way to pause that takes no time and remembers how long it would have been."""

    taken: list[float] = field(default_factory=list)

    def retry(self, deadline_seconds: float = 20.0) -> Retry:
        return Retry(deadline_seconds=deadline_seconds, sleep=self.taken.append)


Make = Callable[..., HostedEmbedder]


def make_hosted(name: str, server: StandInServer, **options: object) -> HostedEmbedder:
    """Return an embedder by its name in settings, pauses left out."""
    vendor, _, model = name.partition(":")
    make: Make = CohereEmbedder if vendor == "cohere" else OpenAIEmbedder
    base_url = server.url if vendor == "cohere" else f"{server.url}/v1"
    given: dict[str, object] = {"base_url": base_url, "retry": Naps().retry(), **options}
    return make(KEY, model, **given)
