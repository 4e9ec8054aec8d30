"""What differs between the kinds of Markdown that books are written in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bythebook.sources.anchors import github_slug, mdbook_slug


@dataclass(frozen=True)
class Dialect:
    """How a page has to be read."""

    slug: Callable[[str], str] = github_slug
    has_expressions: bool = False  # `{...}` in prose is program code
    has_modules: bool = False  # `import` and `export` statements stand in the page
    has_indented_code: bool = True  # four spaces make a code block
    hides_rust_lines: bool = False  # `# ` hides a line of a Rust listing


PLAIN = Dialect()
PLAIN_MDX = Dialect(has_expressions=True, has_modules=True, has_indented_code=False)
DOCUSAURUS_MD = Dialect(has_modules=True, has_indented_code=False)
DOCUSAURUS_MDX = PLAIN_MDX
MDBOOK = Dialect(slug=mdbook_slug, hides_rust_lines=True)
