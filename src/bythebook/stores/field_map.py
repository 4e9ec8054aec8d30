"""Which payload key of someone else's collection holds what.

Without a word from the user common names are tried, those of the five documents among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from bythebook.errors import SettingsError
from bythebook.stores.payload import Payload
from bythebook.types import Chunk, Value


def _several(given: object) -> object:
    return (given,) if isinstance(given, str) else given


Keys = Annotated[tuple[str, ...], BeforeValidator(_several), Field(min_length=1)]


class FieldMap(Value):
    """The payload key of each field: one name, or several of which the first that is there counts.

    Dots lead into nested objects: "metadata.title".
    """

    text: Keys = ("text", "content", "chunk_text", "page_content", "chunk")
    url: Keys = ("url", "source_url", "page_url", "metadata.url", "metadata.source_url")
    page_title: Keys = ("page_title", "title", "metadata.page_title", "metadata.title")
    chapter: Keys = ("chapter", "chapter_id", "metadata.chapter", "metadata.chapter_id")
    section: Keys = ("section_title", "section", "metadata.section_title", "metadata.section")
    module: Keys = ("module", "module_name", "metadata.module", "metadata.module_name")
    chunk_index: Keys = ("chunk_index", "position", "metadata.chunk_index", "metadata.position")
    page_number: Keys = ("page_number", "page", "metadata.page_number", "metadata.page")
    heading_path: Keys = ("heading_hierarchy", "headings", "metadata.heading_hierarchy")

    def settled(self, payloads: Sequence[Payload], collection: str) -> FieldMap:
        """Return the map with the one key of each field that these payloads have.

        Raises SettingsError, naming the keys that are there, when none holds the text.
        """
        chosen: dict[str, tuple[str, ...]] = {}
        for name in type(self).model_fields:
            keys: tuple[str, ...] = getattr(self, name)
            present = (k for k in keys if any(_look_up(p, k) is not None for p in payloads))
            chosen[name] = (next(present, keys[0]),)
        if payloads and not any(_text(payload, chosen["text"][0]) for payload in payloads):
            there = ", ".join(repr(key) for key in sorted({k for p in payloads for k in _keys(p)}))
            raise SettingsError(
                f"collection {collection!r} has no text under {' or '.join(map(repr, self.text))}",
                hint=f"name the key in the field map; those there are: {there or 'none'}",
            )
        return FieldMap.model_validate(chosen)


def read_chunk(point_id: str, payload: Payload, fields: FieldMap) -> Chunk:
    """Return a point of such a collection as a chunk; raise SettingsError if it has no text."""
    text = _text(payload, fields.text[0])
    if not text:
        there = ", ".join(repr(key) for key in sorted(_keys(payload)))
        raise SettingsError(
            f"point {point_id} of the collection has no text under {fields.text[0]!r}",
            hint=f"name the key in the field map; those there are: {there or 'none'}",
        )
    url = _words(payload, fields.url)
    section = _words(payload, fields.section)
    headings = _headings(payload, fields) or ((section,) if section else ())
    title = _words(payload, fields.page_title) or (headings[0] if headings else url) or "Untitled"
    return Chunk(
        id=point_id,
        text=text,
        start=0,
        end=len(text),
        index=_number(payload, fields.chunk_index) or 0,
        page_path=url or title,
        page_title=title,
        page_url=url,
        page_number=_number(payload, fields.page_number),
        chapter=_words(payload, fields.chapter),
        module=_words(payload, fields.module),
        heading_path=headings,
        token_count=max(1, len(text.split())),
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
    )


def _look_up(payload: Payload, key: str) -> Any:
    """Return what stands under a key, where dots lead into nested objects, or None."""
    if key in payload:
        return payload[key]
    found: Any = payload
    for step in key.split("."):
        if not isinstance(found, dict) or step not in found:
            return None
        found = found[step]
    return found


def _keys(payload: Payload, prefix: str = "") -> Iterator[str]:
    for key, value in payload.items():
        if isinstance(value, dict):
            yield from _keys(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def _text(payload: Payload, key: str) -> str:
    found = _look_up(payload, key)
    return found if isinstance(found, str) and found.strip() else ""


def _words(payload: Payload, keys: Keys) -> str | None:
    found = _look_up(payload, keys[0])
    return str(found) if isinstance(found, str | int) and str(found).strip() else None


def _number(payload: Payload, keys: Keys) -> int | None:
    found = _look_up(payload, keys[0])
    try:
        return max(0, int(found))
    except (TypeError, ValueError):
        return None


def _headings(payload: Payload, fields: FieldMap) -> tuple[str, ...]:
    found = _look_up(payload, fields.heading_path[0])
    if isinstance(found, str):
        return tuple(part.strip() for part in found.split(">") if part.strip())
    return tuple(str(part) for part in found if part) if isinstance(found, list) else ()
