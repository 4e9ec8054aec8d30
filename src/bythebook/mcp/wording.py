"""The same results as text, for an agent that reads rather than parses."""

from __future__ import annotations

from bythebook.mcp.results import (
    AskResult,
    FoundPassage,
    ListResult,
    NotInThisBook,
    ReadResult,
    RetrieveResult,
)
from bythebook.types import Citation, SectionLink


def retrieved(result: RetrieveResult) -> str:
    """Return passages with the verdict in front."""
    parts = [_verdict(result)]
    parts += [_passage(passage) for passage in result.passages]
    return "\n\n".join(parts)


def asked(result: AskResult) -> str:
    """Return an answer with its sources, or the refusal."""
    if result.refusal:
        return _refusal(result.refusal)
    lines = [result.answer or "", "", "Sources"]
    for citation in result.citations:
        lines.append(f"[{citation.index}] {_place(citation)}")
        lines += [f"    {citation.url}"] if citation.url else []
    lines += [f"Note: {note}" for note in result.notes]
    return "\n".join(lines)


def listed(result: ListResult) -> str:
    """Return a table of contents, indented by depth."""
    shown = len(result.sections)
    first = result.offset + 1 if shown else result.offset
    head = f"{result.title}: sections {first} to {result.offset + shown} of {result.total}."
    if result.modules:
        head += f" Modules: {', '.join(result.modules)}."
    lines = [head]
    page = ""
    for section in result.sections:
        if section.page != page:
            page = section.page
            lines.append(f"\n{section.page_title} (page {section.page})")
        indent = "  " * section.depth
        name = "(the whole page)" if section.depth == 0 else section.heading
        where = section.url or (f"#{section.anchor}" if section.anchor else "")
        lines.append(f"{indent}- {name} {where}".rstrip())
    return "\n".join(lines + _go_on(result.next_offset))


def read(result: ReadResult) -> str:
    """Return a section's text under its place and link."""
    place = " > ".join(dict.fromkeys([result.page_title, *result.heading_path]))
    head = [place, *([result.url] if result.url else []), ""]
    return "\n".join([*head, result.text, *_go_on(result.next_offset)])


def _verdict(result: RetrieveResult) -> str:
    if result.refusal:
        return _refusal(result.refusal)
    numbers = ", ".join(f"[{number}]" for number in result.answered_by)
    return f"The book answers this: {numbers}." if numbers else "The book answers this."


def _refusal(refusal: NotInThisBook) -> str:
    lines = [f"Not in this book ({refusal.reason}). {refusal.explanation}"]
    if refusal.contradicted_by:
        lines.append(f"The book says instead: {refusal.contradicted_by.excerpt}")
    if refusal.nearest:
        lines.append("Nearest sections:")
    lines += [_link(section) for section in refusal.nearest]
    return "\n".join(lines)


def _link(section: SectionLink) -> str:
    place = " > ".join(dict.fromkeys([section.page_title, section.title]))
    return f"- {place}{f'  {section.url}' if section.url else ''}"


def _passage(passage: FoundPassage) -> str:
    place = " > ".join(dict.fromkeys([passage.page_title, *passage.heading_path]))
    head = f"[{passage.number}] {place} (similarity {passage.score:.2f})"
    return "\n".join([head, *([passage.url] if passage.url else []), passage.text])


def _place(citation: Citation) -> str:
    return " > ".join(dict.fromkeys([citation.page_title or "", *citation.heading_path]))


def _go_on(next_offset: int | None) -> list[str]:
    return [] if next_offset is None else ["", f"(There is more: go on with offset {next_offset}.)"]
