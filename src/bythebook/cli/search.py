"""`bythebook search`: the passages of the book nearest to a question."""

from __future__ import annotations

import asyncio
import json as jsonlib

from bythebook.assembly import open_assistant
from bythebook.cli.console import data, heading, styled
from bythebook.cli.options import (
    IndexOption,
    JsonOption,
    ModuleOption,
    QuestionArgument,
    TopKOption,
)
from bythebook.cli.question import read_question
from bythebook.links import section_link
from bythebook.queries import make_query
from bythebook.retrieval import Found
from bythebook.settings import load_settings
from bythebook.types import Passage

_PREVIEW = 240


def search(
    question: QuestionArgument,
    index: IndexOption = None,
    top_k: TopKOption = None,
    module: ModuleOption = None,
    json: JsonOption = False,
) -> int:
    """Show the passages nearest to a question, without an answer."""
    query = make_query(read_question(question), top_k=top_k, module=module)
    assistant = open_assistant(load_settings(index=index))
    try:
        found = asyncio.run(assistant.search(query))
    finally:
        assistant.close()
    if json:
        data(jsonlib.dumps(to_json(query.text, found), ensure_ascii=False, indent=2))
    else:
        _show(found)
    return 0


def to_json(question: str, found: Found) -> dict[str, object]:
    """Return the search as the documented JSON."""
    timing = found.retrieval
    return {
        "query": question,
        "results": [_result(hit) for hit in found.hits],
        "total_candidates": timing.total_candidates,
        "query_time_ms": round(timing.embed_ms, 3),
        "search_time_ms": round(timing.search_ms, 3),
        "total_time_ms": round(timing.total_ms, 3),
    }


def _result(hit: Passage) -> dict[str, object]:
    chunk = hit.chunk
    return {
        "chunk_id": chunk.id,
        "text": chunk.text,
        "similarity_score": round(hit.score, 6),
        "page_path": chunk.page_path,
        "url": section_link(chunk),
        "page_title": chunk.page_title,
        "chapter": chunk.chapter,
        "module_name": chunk.module,
        "section_title": chunk.section,
        "heading_hierarchy": list(chunk.heading_path),
        "chunk_index": chunk.index,
        "token_count": chunk.token_count,
        "content_hash": chunk.content_hash,
        "start": chunk.start,
        "end": chunk.end,
    }


def _show(found: Found) -> None:
    console = styled()
    for hit in found.hits:
        chunk = hit.chunk
        console.print(heading(f"{hit.rank}. {chunk.context}  ({hit.score:.2f})"))
        text = " ".join(chunk.text.split())
        console.print(text[:_PREVIEW] + ("…" if len(text) > _PREVIEW else ""))
        console.print(section_link(chunk) or chunk.page_path, soft_wrap=True, style="dim")
        console.print()
