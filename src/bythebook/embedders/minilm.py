"""all-MiniLM-L6-v2 inside this process: int8 ONNX shipped with the package, no network."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from bythebook.embedders.base import EmbedderSpec, Progress, Vectors
from bythebook.errors import EmbeddingError

WEIGHTS = Path(__file__).parent / "weights" / "minilm"

_DIMENSIONS = 384
_WINDOW = 256
_CLS, _SEP = 101, 102

# Padded tokens a batch may hold. Measured on two cores over 600 chunks of 12 to 256 tokens: 1024
# gave 118 chunks/s in 114 MB, 512 gave 101, 3072 gave 85 to 108 in 200 MB.
_BATCH_TOKENS = 1024


@dataclass(frozen=True)
class _Window:
    """A part of a text that fits the model; most texts are one window."""

    text: int
    tokens: list[int]


class MiniLM:
    """The default embedder."""

    def __init__(self, threads: int = 0) -> None:
        self._tokenizer = Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
        self._session = onnxruntime.InferenceSession(
            str(WEIGHTS / "model.onnx"), _options(threads), providers=["CPUExecutionProvider"]
        )
        checksums = json.loads((WEIGHTS / "checksums.json").read_text(encoding="utf-8"))
        self.spec = EmbedderSpec(
            name="minilm",
            revision=str(checksums["outputs"]["model.onnx"])[:16],
            dimensions=_DIMENSIONS,
            max_tokens=_WINDOW,
            # Passages about the question rarely fall below this with MiniLM; whether they answer
            # it is for grounding to say, so the bar is low.
            default_threshold=0.25,
        )

    def count_tokens(self, text: str) -> int:
        """Return the length of a text in word pieces, without the special ones."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one unit vector a text; a text longer than the window is averaged over parts."""
        windows = list(self._windows(texts))
        windows.sort(key=lambda window: len(window.tokens), reverse=True)
        total = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for batch in _batches(windows):
            vectors = self._run([window.tokens for window in batch])
            for window, vector in zip(batch, vectors, strict=True):
                total[window.text] += vector * len(window.tokens)
            if progress:
                progress(len(batch))
        return _unit(total)

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question."""
        vectors: Vectors = self.embed_passages([text])[0]
        return vectors

    def _windows(self, texts: Sequence[str]) -> Iterator[_Window]:
        room = _WINDOW - 2
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for number, encoding in enumerate(encodings):
            ids = encoding.ids
            parts = max(1, -(-len(ids) // room))
            size = -(-len(ids) // parts)  # parts of equal length: no last part of a few tokens
            for part in range(parts):
                yield _Window(number, [_CLS, *ids[part * size : (part + 1) * size], _SEP])

    def _run(self, rows: Sequence[list[int]]) -> Vectors:
        width = max(len(row) for row in rows)
        ids = np.zeros((len(rows), width), dtype=np.int64)
        mask = np.zeros((len(rows), width), dtype=np.int64)
        for row, tokens in enumerate(rows):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        try:
            feed: dict[str, NDArray[np.int64]] = {"input_ids": ids, "attention_mask": mask}
            vectors: Vectors = self._session.run(["embedding"], feed)[0]
        except Exception as problem:
            raise EmbeddingError(f"the embedding model failed: {problem}") from problem
        return vectors


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or os.cpu_count() or 1
    options.inter_op_num_threads = 1
    # Batches differ in shape, so a remembered memory pattern only costs memory; and the graph was
    # fused when it was built, so there is nothing left to optimise.
    options.enable_mem_pattern = False
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return options


def _batches(windows: Sequence[_Window]) -> Iterator[Sequence[_Window]]:
    """Group windows, longest first, so that a batch holds few padded tokens."""
    first = 0
    while first < len(windows):
        size = max(1, _BATCH_TOKENS // len(windows[first].tokens))
        yield windows[first : first + size]
        first += size


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    units: Vectors = vectors / np.maximum(lengths, np.float32(1e-12))
    return units
