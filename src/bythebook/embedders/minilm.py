"""all-MiniLM-L6-v2 inside this process: int8 ONNX shipped with the package, no network."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from bythebook.embedders.base import EmbedderSpec, Progress, Vectors
from bythebook.embedders.tokens import count_tokens
from bythebook.embedders.windows import Window, average, split_windows
from bythebook.errors import EmbeddingError

WEIGHTS = Path(__file__).parent / "weights" / "minilm"

_DIMENSIONS = 384
_WINDOW = 256
_CLS, _SEP = 101, 102

# Padded tokens a batch may hold. Measured on two cores over 600 chunks of 12 to 256 tokens: 1024
# gave 118 chunks/s in 114 MB, 512 gave 101, 3072 gave 85 to 108 in 200 MB.
_BATCH_TOKENS = 1024


class MiniLM:
    """The default embedder."""

    def __init__(self, threads: int = 0) -> None:
        self._threads = threads
        checksums = json.loads((WEIGHTS / "checksums.json").read_text(encoding="utf-8"))
        self.spec = EmbedderSpec(
            name="minilm",
            revision=str(checksums["outputs"]["model.onnx"])[:16],
            dimensions=_DIMENSIONS,
            max_tokens=_WINDOW,
            # For four in five questions in a reader's own words the passage that answers lies
            # between 0.06 and 0.33 (docs/retrieval.md), lower than for many that the book does
            # not answer. Whether a passage answers is for grounding to say, so the bar is low:
            # 0.25 lost two in three of those passages, and 0.1 or 0 found no more than this.
            default_threshold=0.15,
        )

    def count_tokens(self, text: str) -> int:
        """Return the length of a text in word pieces, without the special ones."""
        return count_tokens(text)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one unit vector a text; a text longer than the window is averaged over parts."""
        windows = sorted(split_windows(texts, _WINDOW), key=lambda w: w.length, reverse=True)
        vectors = np.zeros((len(windows), _DIMENSIONS), dtype=np.float32)
        done = 0
        for batch in _batches(windows):
            rows = [[_CLS, *window.tokens, _SEP] for window in batch]
            vectors[done : done + len(batch)] = self._run(rows)
            done += len(batch)
            if progress:
                progress(len(batch))
        return average(windows, vectors, len(texts))

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question."""
        vectors: Vectors = self.embed_passages([text])[0]
        return vectors

    def _run(self, rows: Sequence[list[int]]) -> Vectors:
        width = max(len(row) for row in rows)
        ids = np.zeros((len(rows), width), dtype=np.int64)
        mask = np.zeros((len(rows), width), dtype=np.int64)
        for row, tokens in enumerate(rows):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        try:
            feed: dict[str, NDArray[np.int64]] = {"input_ids": ids, "attention_mask": mask}
            vectors: Vectors = _session(self._threads).run(["embedding"], feed)[0]
        except Exception as problem:
            raise EmbeddingError(f"the embedding model failed: {problem}") from problem
        return vectors


@lru_cache(maxsize=2)
def _session(threads: int) -> onnxruntime.InferenceSession:
    """Load the model when it is first needed, once for all books and the reader of a process."""
    return onnxruntime.InferenceSession(
        str(WEIGHTS / "model.onnx"), _options(threads), providers=["CPUExecutionProvider"]
    )


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or os.cpu_count() or 1
    options.inter_op_num_threads = 1
    # Threads that wait for work by spinning take it from others: on two busy cores an answer cost
    # 90 to 98 ms of processor time with spinning, 51 to 52 without, and was there no sooner.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Batches differ in shape, so a remembered memory pattern only costs memory; and the graph was
    # fused when it was built, so there is nothing left to optimise.
    options.enable_mem_pattern = False
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return options


def _batches(windows: Sequence[Window]) -> Iterator[Sequence[Window]]:
    """Group windows, longest first, so that a batch holds few padded tokens."""
    first = 0
    while first < len(windows):
        size = max(1, _BATCH_TOKENS // windows[first].length)
        yield windows[first : first + size]
        first += size
