"""What can go wrong with a hosted embedder, in our words, once for all of them.

A message is for people: it names the service, never its host, a key or what was sent. The vendor's
own words stay in the cause, and with the key blotted out in the debug log.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

from bythebook.errors import BythebookError, EmbeddingError, SettingsError
from bythebook.retrying import seconds_told

_LOG = logging.getLogger(__name__)

_BAD_KEY = (401, 403, 498)  # 498: how Cohere says that a token is invalid
_WORTH_RETRYING = (408, 409, 425, 429)

# No two servers agree on how to say it: "maximum context length is 512 tokens", "too many tokens",
# "input is too large to process", "input length exceeds the context length".
_TOO_LONG = re.compile(
    r"too many tokens|(input|text|prompt)[^.]{0,40}too (long|large)|context (length|size|window)"
    r"|exceeds?\b[^.]{0,60}\btokens|tokens\b[^.]{0,60}\bexceed",
    re.IGNORECASE,
)
_MAY_MEAN_TOO_LONG = (400, 413, 422, 500)  # llama.cpp calls it a fault of its own


class TextTooLongError(EmbeddingError):
    """A text is longer than the model can read."""

    retryable = False


def refusal(message: str, *, hint: str | None = None) -> EmbeddingError:
    """Return an error that the same request would meet again."""
    problem = EmbeddingError(message, hint=hint)
    problem.retryable = False
    return problem


@dataclass(frozen=True)
class Service:
    """Whom we ask, in the words of an error message."""

    name: str  # such as "Cohere"
    model: str
    key_variable: str  # such as "COHERE_API_KEY"

    def usable_key(self, key: str | None) -> str:
        """Return a key as it is sent; raise SettingsError when there is none that can be."""
        key = (key or "").strip()  # a key read from a file often brings its line end along
        if not key:
            raise SettingsError(
                f"{self.name} needs a key and {self.key_variable} is not set",
                hint=f"set {self.key_variable} in the environment or in .env",
            )
        if not (key.isascii() and key.isprintable()):
            raise SettingsError(
                f"the key in {self.key_variable} holds characters that no key has",
                hint=f"set {self.key_variable} again, to the key alone",
            )
        return key

    def usable_address(self, base_url: str | None) -> str | None:
        """Return the address of another server; raise SettingsError when it is none."""
        if base_url and not base_url.startswith(("http://", "https://")):
            raise SettingsError(
                f"the base URL for {self.name} does not begin with http:// or https://",
                hint="write it in full, such as http://127.0.0.1:8080/v1",
            )
        return base_url or None

    def answered(
        self, status: int, said: str = "", retry_after: str | None = None
    ) -> BythebookError:
        """Return the error for an answer with a status that is not a success."""
        if status in _MAY_MEAN_TOO_LONG and _TOO_LONG.search(said):
            return TextTooLongError(
                f"{self.name} says that a text is longer than model {self.model!r} can read",
                hint="set the embedder's max_tokens to the model's window",
            )
        if status in _BAD_KEY:
            return SettingsError(
                f"{self.name} did not accept the key in {self.key_variable} ({status})",
                hint=f"check {self.key_variable}, and that its key may use {self.model!r}",
            )
        if status == 404:
            return SettingsError(
                f"{self.name} has no embedding model {self.model!r} at this address (404)",
                hint="check the model in the embedder's setting, and the base URL",
            )
        if status == 429:
            return EmbeddingError(
                f"{self.name} takes no more requests just now (429)",
                hint="wait a little and try again",
                retry_after_seconds=seconds_told(retry_after),
            )
        if status >= 500 or status in _WORTH_RETRYING:
            return EmbeddingError(
                f"{self.name} failed to embed a text ({status})",
                hint="try again in a little while",
                retry_after_seconds=seconds_told(retry_after),
            )
        return refusal(
            f"{self.name} refused to embed a text ({status})",
            hint=f"check that {self.model!r} is an embedding model and takes these settings",
        )

    def quota_used_up(self) -> EmbeddingError:
        """Return the error for an account that has nothing left to spend."""
        return refusal(
            f"the account behind {self.key_variable} has used up what it may ask of {self.name}",
            hint=f"raise the quota of the account, or set another {self.key_variable}",
        )

    def timed_out(self) -> EmbeddingError:
        """Return the error for an answer that did not come in time."""
        return EmbeddingError(
            f"{self.name} did not answer in time", hint="try again in a little while"
        )

    def unreachable(self) -> EmbeddingError:
        """Return the error for a connection that was not made, or broke off."""
        return EmbeddingError(
            f"the connection to {self.name} could not be made or broke off",
            hint="check the network and the base URL, then try again",
        )

    def malformed(self) -> EmbeddingError:
        """Return the error for an answer that is not what the service should send."""
        return EmbeddingError(
            f"{self.name} sent an answer that cannot be read", hint="try again in a little while"
        )

    def log(self, problem: BythebookError, cause: Exception, said: str, key: str) -> None:
        """Tell the log what went wrong; the vendor's own words, which may quote ours, as debug."""
        # What is too long is read in halves: nothing went wrong.
        level = logging.DEBUG if isinstance(problem, TextTooLongError) else logging.WARNING
        _LOG.log(level, "%s: %s", problem.message, type(cause).__name__)
        _LOG.debug("%s said: %s", self.name, said.replace(key, "(key)"))
