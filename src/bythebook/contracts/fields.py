"""The few field types and text rules that several published data models share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import quote
from uuid import UUID, uuid4

from pydantic import AfterValidator, AnyUrl, Field, HttpUrl, TypeAdapter

_HTTP = TypeAdapter(HttpUrl)
_ANY = TypeAdapter(AnyUrl)

# Documents 001 and 002 demand a URL for every passage, and a book on a disk has none. The domain
# `.invalid` is reserved (RFC 2606): the address is well formed and visibly leads nowhere.
NOWHERE = "https://book.invalid/"


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def new_id() -> str:
    """Return a fresh UUID4 as text."""
    return str(uuid4())


def _in_utc(moment: datetime) -> datetime:
    """Read a time without a zone as UTC, as the documents' examples do."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty or whitespace only")
    return text


def _http_address(text: str) -> str:
    _HTTP.validate_python(text)
    return text


def _any_address(text: str) -> str:
    _ANY.validate_python(text)
    return text


def _uuid_text(text: str) -> str:
    UUID(text)
    return text


UtcTime = Annotated[datetime, AfterValidator(_in_utc)]
Score = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Milliseconds = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Text = Annotated[str, Field(min_length=1)]
Question = Annotated[str, AfterValidator(_not_blank)]
HttpAddress = Annotated[str, AfterValidator(_http_address)]  # stays as it was written
AnyAddress = Annotated[str, AfterValidator(_any_address)]
UuidText = Annotated[str, AfterValidator(_uuid_text)]


def is_absent(value: object) -> bool:
    """Tell whether an optional field should be left out of the JSON."""
    return value is None


def http_or_none(url: str | None) -> str | None:
    """Return a URL that a browser can open over the network, else None."""
    return url if url and url.startswith(("http://", "https://")) else None


def address_of(page_url: str | None, page_path: str) -> str:
    """Return a page's URL, or an address that is well formed and leads nowhere."""
    return http_or_none(page_url) or NOWHERE + quote(page_path)


def shorten(text: str, limit: int) -> str:
    """Return a text cut to a length, an ellipsis at the cut."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
