"""How a chunk is written into a store's payload and read back, the same in every store."""

from __future__ import annotations

from typing import Any

from bythebook.types import Block, BlockKind, Chunk

Payload = dict[str, Any]


def to_payload(chunk: Chunk) -> Payload:
    """Return the chunk as plain JSON; blocks become short rows, as they are many."""
    payload = chunk.model_dump(mode="json", exclude={"id", "blocks"})
    payload["blocks"] = [
        [str(b.kind), b.start, b.end, b.marker, b.depth, b.language] for b in chunk.blocks
    ]
    return payload


def to_chunk(chunk_id: str, payload: Payload) -> Chunk:
    """Return the chunk that `to_payload` wrote.

    What a search returns was validated when it was written, so it is not validated again.
    """
    fields = dict(payload)
    fields["blocks"] = tuple(
        Block.model_construct(
            kind=BlockKind(kind),
            start=start,
            end=end,
            marker=marker,
            depth=depth,
            language=language,
        )
        for kind, start, end, marker, depth, language in payload["blocks"]
    )
    fields["heading_path"] = tuple(payload["heading_path"])
    return Chunk.model_construct(id=chunk_id, **fields)
