"""What can go wrong with a model, in our words.

A message is for people: it names the model, never a host, a key or what was sent. The vendor's own
words stay in the cause, and with the key blotted out in the debug log.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

from bythebook.errors import BythebookError, SettingsError, WriterError
from bythebook.retrying import seconds_told

_LOG = logging.getLogger(__name__)

_BAD_KEY = (401, 403)
_WORTH_RETRYING = (408, 409, 425)
# A server that counts requests but does not say how long to wait.
_USUAL_WAIT_SECONDS = 1.0

# OpenAI, vLLM, llama.cpp, Ollama and the gateways before them each say it their own way.
_TOO_LONG = re.compile(
    r"context[_ ](?:length|size|window)|maximum context|exceed_context|too many tokens"
    r"|(?:prompt|input|request)[^.]{0,40}too (?:long|large)|reduce the length",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content[_ ](?:filter|management|policy)|safety system", re.IGNORECASE)
# "does not support tools", "No endpoints found that support tool use", "tools param requires".
_TOOLS = re.compile(r"\btools?\b|tool_choice|function[_ ]call", re.IGNORECASE)
_UNKNOWN_OPTION = re.compile(
    r"(?:unsupported|not support|unrecognized|unknown|not allowed|only the default)", re.IGNORECASE
)
_OPTIONS = ("max_tokens", "temperature", "stream_options")
_USED_UP = re.compile(r"insufficient_quota|exceeded your current quota|credits", re.IGNORECASE)


class ContextOverflowError(WriterError):
    """The model cannot read that much at once."""

    retryable = False


class ContentFilterError(WriterError):
    """The model's provider withheld the answer."""

    retryable = False


class NoToolsError(WriterError):
    """The model or its server cannot call tools."""

    retryable = False


class UnknownOptionError(WriterError):
    """The server does not take an option that we sent; `option` names it."""

    retryable = False

    def __init__(self, message: str, option: str) -> None:
        super().__init__(message)
        self.option = option


@dataclass(frozen=True)
class Model:
    """Whom we ask, in the words of an error message."""

    name: str
    key: str | None = None

    def answered(self, status: int, said: str, retry_after: str | None = None) -> BythebookError:
        """Return the error for an answer with a status that is not a success."""
        if status in _BAD_KEY and not _FILTERED.search(said):
            return SettingsError(
                f"the server of model {self.name!r} did not accept the key ({status})",
                hint="check OPENAI_API_KEY (or OPENROUTER_API_KEY), and what its key may use",
            )
        if status == 402 or (status == 429 and _USED_UP.search(said)):
            return _final(
                f"the account for model {self.name!r} has used up what it may ask ({status})",
                hint="raise the quota of the account, or use another key",
            )
        if status == 429:
            told = seconds_told(retry_after)
            return WriterError(
                f"the server of model {self.name!r} takes no more requests just now (429)",
                hint="wait a little and try again",
                retry_after_seconds=_USUAL_WAIT_SECONDS if told is None else told,
            )
        return self._refused(status, said) or self._broke(status, retry_after)

    def _refused(self, status: int, said: str) -> BythebookError | None:
        """Return the error for a request that would fail again as it is."""
        if _TOO_LONG.search(said):
            return self.overflow()
        if _FILTERED.search(said):
            return self.filtered()
        option = next((name for name in _OPTIONS if name in said), None)
        if status in (400, 422) and option and _UNKNOWN_OPTION.search(said):
            return UnknownOptionError(f"model {self.name!r} does not take {option!r}", option)
        if _TOOLS.search(said):
            return NoToolsError(
                f"model {self.name!r} cannot call tools", hint="set the writer's mode to direct"
            )
        if status == 404:
            return SettingsError(
                f"there is no model {self.name!r} at this address (404)",
                hint="check OPENAI_MODEL and the base URL, which ends in /v1 for most servers",
            )
        return None

    def _broke(self, status: int, retry_after: str | None) -> WriterError:
        if status >= 500 or status in _WORTH_RETRYING:
            return WriterError(
                f"the server of model {self.name!r} failed ({status})",
                hint="try again in a little while",
                retry_after_seconds=seconds_told(retry_after),
            )
        return _final(
            f"the server of model {self.name!r} refused the request ({status})",
            hint="check that the model takes chat completions and these settings",
        )

    def overflow(self) -> ContextOverflowError:
        """Return the error for more text than the model can read."""
        return ContextOverflowError(
            f"the question and its passages are longer than model {self.name!r} can read",
            hint="lower top_k, or set the writer's context_tokens to the model's window",
        )

    def filtered(self) -> ContentFilterError:
        """Return the error for an answer that was withheld."""
        return ContentFilterError(
            f"the provider of model {self.name!r} withheld the answer (content filter)",
            hint="put the question another way, or use the extractive writer",
        )

    def timed_out(self) -> WriterError:
        """Return the error for an answer that did not come in time."""
        return WriterError(
            f"model {self.name!r} did not answer in time",
            hint="try again, or raise the writer's timeout_seconds",
        )

    def unreachable(self) -> WriterError:
        """Return the error for a connection that was not made, or broke off."""
        return WriterError(
            f"the connection to the server of model {self.name!r} could not be made or broke off",
            hint="check the network and the base URL, then try again",
        )

    def cut_off(self) -> WriterError:
        """Return the error for a stream that ended before the model had."""
        return WriterError(
            f"the answer of model {self.name!r} broke off", hint="try again in a little while"
        )

    def malformed(self) -> WriterError:
        """Return the error for an answer that is not what a server should send."""
        return WriterError(
            f"the server of model {self.name!r} sent an answer that cannot be read",
            hint="check the base URL, then try again",
        )

    def log(self, problem: Exception, said: str) -> None:
        """Tell the log what went wrong; the vendor's own words, which may quote ours, as debug."""
        _LOG.warning("model %s: %s", self.name, type(problem).__name__)
        _LOG.debug("it said: %s", said.replace(self.key, "(key)") if self.key else said)


def _final(message: str, *, hint: str) -> WriterError:
    problem = WriterError(message, hint=hint)
    problem.retryable = False
    return problem
