"""How the service logs: a line a request, for people or for machines, and never a secret.

Questions, answers and addresses are in none of the lines; the query log has its own rules.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import urlsplit

from pydantic import SecretStr

from bythebook.settings import Settings
from bythebook.web.access.tokens import without_keys
from bythebook.web.operations.handled import Handled
from bythebook.web.request_ids import current_request

# They name every address they call, with what is asked there.
_TALKATIVE = ("httpx", "httpx2", "httpcore", "openai", "mcp", "watchfiles", "sse_starlette")
_HIDDEN = "[secret]"
_SHORTEST_SECRET = 6  # anything shorter would blot out ordinary words


def set_up_logging(settings: Settings) -> None:
    """Let the root logger write to standard error in the form of the settings."""
    handler = logging.StreamHandler(sys.stderr)
    form = JsonLines if settings.log_format == "json" else TextLines
    handler.setFormatter(form(secrets_of(settings)))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


def secrets_of(settings: Settings) -> frozenset[str]:
    """Return every secret of the settings, and the passwords inside addresses."""
    values = (getattr(settings, name) for name in type(settings).model_fields)
    secrets = {value.get_secret_value() for value in values if isinstance(value, SecretStr)}
    secrets |= {_password(secret) for secret in secrets}
    return frozenset(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)


def _password(address: str) -> str:
    try:
        return urlsplit(address).password or ""
    except ValueError:
        return ""  # no address


class TextLines(logging.Formatter):
    """A line for people: `INFO bythebook.access POST /api/query 200 12.3 ms request=...`."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__("%(levelname)s %(name)s %(message)s")
        self._secrets = frozenset(secrets)

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        return _discreet(super().format(record), self._secrets)


class JsonLines(logging.Formatter):
    """One JSON object a line; a record logged while a request is worked on carries its id."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = frozenset(secrets)

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _discreet(record.getMessage(), self._secrets),
        }
        request_id = current_request.get()
        if request_id is not None:
            line["request_id"] = str(request_id)
        handled = getattr(record, "handled", None)
        if isinstance(handled, Handled):
            line["message"] = "request"
            line |= handled.fields()
        if record.exc_info:
            line["exception"] = _discreet(self.formatException(record.exc_info), self._secrets)
        return json.dumps(line, ensure_ascii=False)


def _discreet(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, _HIDDEN)
    return without_keys(text)
