"""A small trained reader inside this process: int8 ONNX shipped with the package, no network.

It is gte-small, a MiniLM of twelve layers, trained further by `training/`, with a head for each
thing it says. How near a passage comes to the question in meaning, as the shipped embedder sees it,
counts beside: of passages on other things the network saw too few. Its model card,
`weights/minilm/MODEL_CARD.md`, tells what it learnt from and where it fails.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from bythebook.embedders.minilm import MiniLM
from bythebook.errors import EmbeddingError, GroundingError
from bythebook.readers.base import ReaderSpec, Reading
from bythebook.readers.sixbits import unpack
from bythebook.readers.spans import (
    WindowOdds,
    best_place,
    best_sentence,
    marks_of,
    odds,
)
from bythebook.readers.windows import Window, split_pairs

WEIGHTS = Path(__file__).parent / "weights" / "minilm"

# Padded tokens a batch may hold, as for the embedder.
_BATCH_TOKENS = 1024

# A passage of no more word pieces than the first is read at once, a longer one in parts of the
# second, the best of which counts. What the product reads of a book is as short and is decided
# better when it is read whole: of 950 questions on eight books that get no right answer, 240 are
# answered at the price of one in ten right answers, and 258 in parts of 80 (both without the
# cosine). Long passages whose answering sentence was cut out rank better in parts: AUC .879 instead
# of .870 on dev rows of amazon.
_AT_ONCE, _PART = 128, 80

Numbers = NDArray[np.float32]

# Where nothing is written, nothing is answered; the model was never shown that.
NOTHING_READ = Reading(0.0, 0, 0, 0.0, 0, 0)


@dataclass(frozen=True)
class Scale:
    """Turns the number of a head into a probability, fitted on texts kept apart from training."""

    temperature: float
    bias: float

    def probability(self, number: float) -> float:
        """Return the probability that a number stands for."""
        return float(1 / (1 + np.exp(-(number / self.temperature + self.bias))))


@dataclass(frozen=True)
class _Output:
    """What the model says of one window."""

    answer: float
    support: float
    start: Numbers
    end: Numbers


class MiniLMReader:
    """The default reader. It may be used by several threads at once."""

    def __init__(self, threads: int = 0) -> None:
        self._threads = threads
        checksums = json.loads((WEIGHTS / "checksums.json").read_text(encoding="utf-8"))
        config = json.loads((WEIGHTS / "config.json").read_text(encoding="utf-8"))
        self._answer, self._support = Scale(**config["answer"]), Scale(**config["support"])
        self._closeness = float(config["closeness"])
        self._line_ends = bool(config.get("line_ends", False))
        self._embedder = MiniLM(threads)
        outputs: dict[str, str] = checksums["outputs"]
        own = [outputs[name] for name in ("model.onnx", "matrices.npy", "config.json")]
        embedder = self._embedder.spec.revision
        revision = hashlib.sha256("".join([*own, embedder]).encode()).hexdigest()[:16]
        self.spec = ReaderSpec("minilm", revision, embedder)

    def read(
        self, question: str, passages: Sequence[str], closeness: Sequence[float] | None = None
    ) -> list[Reading]:
        """Return one reading a passage, in order."""
        windows = split_pairs(
            [question] * len(passages), passages, _AT_ONCE, _PART, line_ends=self._line_ends
        )
        outputs = self._run(windows)
        found: list[list[tuple[Window, _Output]]] = [[] for _ in passages]
        for window, output in zip(windows, outputs, strict=True):
            found[window.pair].append((window, output))
        near = self._cosines(question, passages) if closeness is None else closeness
        return [
            self._reading(passage, own, cosine)
            for passage, own, cosine in zip(passages, found, near, strict=True)
        ]

    def supports(self, claims: Sequence[str], passages: Sequence[str]) -> list[float]:
        """Return how probably each passage says what the claim at the same place says."""
        windows = split_pairs(claims, passages, line_ends=self._line_ends)
        # Any window of the passage may hold what a part of the claim says; every part needs one.
        best: dict[tuple[int, int], float] = {}
        for window, output in zip(windows, self._run(windows), strict=True):
            place = (window.pair, window.part)
            best[place] = max(best.get(place, output.support), output.support)
        lowest: dict[int, float] = {}
        for (pair, _), number in best.items():
            lowest[pair] = min(lowest.get(pair, number), number)
        written = {window.pair for window in windows if window.passage}
        return [
            self._support.probability(lowest[pair]) if pair in written else 0.0
            for pair in range(len(claims))
        ]

    def _cosines(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return how near each passage comes to the question in meaning."""
        try:
            first, *others = self._embedder.embed_passages([question, *passages])
        except EmbeddingError as problem:
            raise GroundingError(f"the reader failed: {problem}") from problem
        return [float(first @ other) for other in others]

    def _reading(
        self, passage: str, found: Sequence[tuple[Window, _Output]], cosine: float
    ) -> Reading:
        if not any(window.passage for window, _ in found):
            return NOTHING_READ
        numbers = np.array([output.answer for _, output in found], dtype=np.float32)
        shares = odds(numbers)
        windows = [
            WindowOdds(window.offsets, odds(output.start), odds(output.end), float(share))
            for (window, output), share in zip(found, shares, strict=True)
        ]
        marks = marks_of(windows)
        sentence = best_sentence(passage, marks)
        inside = [_within(window, sentence) for window in windows]
        place = best_place(inside)
        return Reading(
            probability=self._answer.probability(_over_parts(found) + self._closeness * cosine),
            start=place.start,
            end=place.end,
            score=place.score,
            sentence_start=sentence[0],
            sentence_end=sentence[1],
            marks=marks,
        )

    def _run(self, windows: Sequence[Window]) -> list[_Output]:
        outputs: list[_Output | None] = [None] * len(windows)
        order = sorted(range(len(windows)), key=lambda at: windows[at].length, reverse=True)
        for batch in _batches(order, windows):
            answer, support, spans = self._forward([windows[at] for at in batch])
            for row, at in enumerate(batch):
                window = windows[at]
                first = window.passage_start
                inside = spans[row, first : first + len(window.passage)]
                outputs[at] = _Output(
                    float(answer[row]), float(support[row]), inside[:, 0], inside[:, 1]
                )
        return [output for output in outputs if output is not None]

    def _forward(self, windows: Sequence[Window]) -> tuple[Numbers, Numbers, Numbers]:
        shape = (len(windows), max(window.length for window in windows))
        ids, types, mask = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        for row, window in enumerate(windows):
            ids[row, : window.length] = window.tokens
            types[row, window.passage_start : window.length] = 1
            mask[row, : window.length] = 1
        feed: dict[str, Any] = {
            "input_ids": ids, "token_type_ids": types, "attention_mask": mask,
        }  # fmt: skip
        try:
            answer, support, spans = _session(self._threads).run(
                ["answer", "support", "spans"], feed
            )
        except Exception as problem:
            raise GroundingError(f"the reader failed: {problem}") from problem
        return answer, support, spans


def _over_parts(found: Sequence[tuple[Window, _Output]]) -> float:
    """Return one number for all windows: the best window for each part, the mean over parts."""
    best: dict[int, float] = {}
    for window, output in found:
        best[window.part] = max(best.get(window.part, output.answer), output.answer)
    return sum(best.values()) / len(best)


def _within(window: WindowOdds, sentence: tuple[int, int]) -> WindowOdds:
    """Return the part of a window that lies in a sentence, so that the answer does."""
    start, end = sentence
    inside = np.array([start <= at < end for at, _ in window.offsets], dtype=bool)
    offsets = [span for span, is_inside in zip(window.offsets, inside, strict=True) if is_inside]
    return WindowOdds(offsets, window.start[inside], window.end[inside], window.weight)


def _batches(order: Sequence[int], windows: Sequence[Window]) -> Iterator[Sequence[int]]:
    """Group windows, longest first, so that a batch holds few padded tokens."""
    first = 0
    while first < len(order):
        size = max(1, _BATCH_TOKENS // windows[order[first]].length)
        yield order[first : first + size]
        first += size


@lru_cache(maxsize=2)
def _session(threads: int) -> onnxruntime.InferenceSession:
    """Load the model when it is first needed; one is enough for all books of a process."""
    options = _options(threads)
    matrices = _matrices(WEIGHTS)
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(matrix) for matrix in matrices.values()]
    options.add_external_initializers(list(matrices), values)
    return onnxruntime.InferenceSession(
        str(WEIGHTS / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )


def _matrices(folder: Path) -> dict[str, NDArray[np.int8]]:
    """Return the matrices that are stored with six bits a weight, by their names in the model."""
    shapes = json.loads((folder / "config.json").read_text(encoding="utf-8"))["matrices"]
    weights, first = unpack(np.load(folder / "matrices.npy")), 0
    found: dict[str, NDArray[np.int8]] = {}
    for name, (rows, columns) in shapes.items():
        found[name] = weights[first : first + rows * columns].reshape(rows, columns)
        first += rows * columns
    return found


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or os.cpu_count() or 1
    options.inter_op_num_threads = 1
    # As for the embedder: batches differ in shape, and the graph was fused when it was built.
    options.enable_mem_pattern = False
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return options
