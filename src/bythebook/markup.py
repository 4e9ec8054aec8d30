"""Taking inline Markdown off a sentence, for text that was copied with it."""

from __future__ import annotations

import re

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_\n]+)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<!\w)([*_])(?=\S)([^*_]+?)(?<=\S)\1(?!\w)")
_CODE = re.compile(r"`([^`]+)`")


def strip_markup(text: str) -> str:
    """Return a sentence as a reader sees it on the page."""
    for pattern, group in ((_LINK, 1), (_STRONG, 2), (_EMPHASIS, 2), (_CODE, 1)):
        text = pattern.sub(lambda found, group=group: found.group(group), text)  # type: ignore[misc]
    return text
