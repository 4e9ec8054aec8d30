"""The YAML block at the top of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import yaml

# The loader raises these beside its own errors: a date such as 2024-13-45, a thousand brackets.
YAML_ERRORS = (yaml.YAMLError, ValueError, TypeError, RecursionError)

_FENCED = re.compile(r"\A---[ \t]*\n(.*?)(?:^|\n)---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"^[A-Za-z_][\w-]*[ \t]*:(?:\s|$)", re.MULTILINE)


@dataclass(frozen=True)
class FrontMatter:
    """What a page says about itself before it begins."""

    values: dict[str, object] = field(default_factory=dict)
    problem: str | None = None  # why the block could not be read

    def text(self, key: str) -> str | None:
        """Return a value as text; None when it is missing, empty or a structure."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        return " ".join(str(value).split()) or None

    def number(self, key: str) -> float | None:
        """Return a value as a number; None when it is none."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value)

    def is_set(self, key: str) -> bool:
        """Tell whether a switch such as `draft` is on."""
        return self.values.get(key) is True


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """Return the front matter of a page and the page without it."""
    block = _FENCED.match(text)
    if block is None:
        return FrontMatter(), text
    body = text[block.end() :]
    try:
        values = yaml.safe_load(block[1])
    except YAML_ERRORS as error:
        # A page may also begin with a rule and prose; only what has keys is front matter.
        if not _KEY.search(block[1]):
            return FrontMatter(), text
        return FrontMatter(problem=_describe(error)), body
    if values is None:
        return FrontMatter(), body
    if not isinstance(values, dict):
        return FrontMatter(), text
    return FrontMatter({str(key): value for key, value in values.items()}), body


def _describe(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    # The mark counts from zero and does not see the opening dashes.
    place = f" (line {mark.line + 2})" if mark is not None else ""
    return f"front matter is not valid YAML{place}; the page was read without it"
