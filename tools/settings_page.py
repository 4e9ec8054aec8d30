"""Print `docs/settings.md` from the options themselves: `python tools/settings_page.py --write`."""

from __future__ import annotations

import sys
from pathlib import Path

from pydantic.fields import FieldInfo

from bythebook.settings import Settings, variable_of

PAGE = Path(__file__).parents[1] / "docs/settings.md"

HEAD = """\
# Settings

Every option. `tools/settings_page.py --write` makes this page from `src/bythebook/settings.py`.

A value comes from the first of these that has one: the command line, the environment, a `.env` file
in the folder where the program starts, `bythebook.toml` there, the default. In the environment and
in `.env` an option goes by its variable, in `bythebook.toml` by its name. Lists have
commas. A variable that begins with `BYTHEBOOK_` and is no option stops the program, so that a
misspelt one is noticed. `bythebook doctor` checks what is set; it names keys, never shows them."""

TABLE_LINE = "| --- | --- | --- | --- |"

# The option a part of the page begins with, and what the part is called.
PARTS = {
    "index": "The index",
    "embedder": "Embedder",
    "reader": "Reader and writer",
    "qdrant_url": "Qdrant",
    "concurrency": "Service",
    "rate_limit": "Limits and keys",
    "log_format": "Running",
    "query_log": "Query log",
}


def page() -> str:
    """Return the page."""
    lines = [HEAD]
    for name, field in Settings.model_fields.items():
        if name in PARTS:
            lines += [f"\n## {PARTS[name]}\n", "| name | variable | default | |", TABLE_LINE]
        cells = (f"`{name}`", f"`{variable_of(name)}`", _default(field), field.description)
        lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")
    return "\n".join(lines) + "\n"


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is None or value in ((), {}):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")
