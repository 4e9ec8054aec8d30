"""Fewer bits for the stored weights: six for the matrices, four for the table of words.

The export writes int8 matrices with a scale for each column. Here most of them get new scales and
six bits a weight and leave the model for a file of their own (`readers/sixbits.py`); the reader
puts them back as int8 when it loads the model. A row of the table of words is stored with four bits
a number and a scale for every 32 of them, and taken apart after it was looked up. The first layers
of the heads and the places of words are stored in half precision.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from bythebook.readers.sixbits import HIGHEST, LOWEST, unpack
from bythebook.readers.sixbits import pack as pack_bits

Array = NDArray[Any]
Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

BLOCK = 32
# Scales tried for each column or block, as shares of the one that cuts nothing off: a few large
# weights are cut a little so that all the others are told apart better.
SHARES = (1.0, 0.95, 0.9, 0.85, 0.8)
# A matrix that six bits change by more than this share of its length keeps its eight.
MOST_CHANGE = 0.06
HALVED = ("answer1_weight", "support1_weight", "position_table")
TABLE, SCALES = "word_table", "word_scales"
OPSET = 18  # the first with operations on single bits


def coarse(matrix: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return a matrix in steps from -32 to 31, and the length of a step for each column."""
    whole = np.maximum(np.abs(matrix).max(axis=0), 1e-12) / HIGHEST
    best = np.full(matrix.shape[1], np.inf, np.float32)
    steps, scales = np.zeros(matrix.shape, np.int8), whole.astype(np.float32)
    for share in SHARES:
        scale = (whole * share).astype(np.float32)
        tried = np.clip(np.rint(matrix / scale), LOWEST, HIGHEST)
        error = ((tried * scale - matrix) ** 2).sum(axis=0)
        better = error < best
        best[better], scales[better] = error[better], scale[better]
        steps[:, better] = tried[:, better].astype(np.int8)
    return steps, scales


def pack_four(table: Floats) -> tuple[Bytes, NDArray[np.float16]]:
    """Return the rows of a table with four bits a number, and the scale of every block of a row."""
    blocks = table.reshape(len(table), -1, BLOCK)
    whole = np.maximum(np.abs(blocks).max(axis=2, keepdims=True), 1e-6) / 7.5
    best = np.full(whole.shape, np.inf, np.float32)
    steps, scales = np.zeros(blocks.shape, np.uint8), whole.astype(np.float16)
    for share in SHARES:
        scale = (whole * share).astype(np.float16)
        tried = np.clip(np.floor(blocks / scale) + 8, 0, 15)
        error = (((tried - 7.5) * scale - blocks) ** 2).sum(axis=2, keepdims=True)
        better = error < best
        best, scales = np.where(better, error, best), np.where(better, scale, scales)
        steps = np.where(better, tried, steps).astype(np.uint8)
    left, right = np.split(steps.reshape(table.shape), 2, axis=1)
    return left << 4 | right, scales[..., 0].astype(np.float16)


def unpack_four(packed: Bytes, scales: NDArray[np.float16]) -> Floats:
    """Return the rows that were packed."""
    steps = np.concatenate([packed >> 4, packed & 15], axis=1).astype(np.float32) - 7.5
    blocks = steps.reshape(len(packed), -1, BLOCK) * scales[..., None].astype(np.float32)
    rows: Floats = blocks.reshape(steps.shape)
    return rows


@dataclass(frozen=True)
class Packed:
    """A model without its packed matrices, their bits, and their shapes."""

    model: onnx.ModelProto
    bits: Bytes
    shapes: dict[str, tuple[int, int]]  # in the order in which they are stored

    @property
    def files(self) -> dict[str, bytes]:
        """What the package ships of it, beside the shapes."""
        bits = BytesIO()
        np.save(bits, self.bits)
        model = self.model.SerializeToString(deterministic=True)
        return {"model.onnx": model, "matrices.npy": bits.getvalue()}


@dataclass
class _Packer:
    """Collects what takes the place of constants and nodes of a graph."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, name: str, value: Array) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def elsewhere(self, name: str, shape: tuple[int, int]) -> None:
        """Write a matrix whose values are given when the model is loaded."""
        tensor = TensorProto(name=name, data_type=TensorProto.INT8, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="matrices.npy")
        self.constants.append(tensor)

    def half(self, name: str, value: Floats) -> None:
        """Write a constant in half precision."""
        stored = self.constant(f"{name}_half", value.astype(np.float16))
        self.add("Cast", [stored], name, to=TensorProto.FLOAT)

    def words(self, table: Floats) -> None:
        """Write the look-up of words, which had a scale a row, with four bits a number."""
        packed, scales = pack_four(table)
        self.constant(f"{TABLE}_packed", packed)
        self.constant(f"{SCALES}_half", scales)
        self.constant("shift4", np.array(4, np.uint8))
        self.constant("low4", np.array(15, np.uint8))
        self.constant("word_middle", np.array(7.5, np.float32))
        self.add("Gather", [f"{TABLE}_packed", "input_ids"], "word_bytes")
        self.add("BitShift", ["word_bytes", "shift4"], "word_left", direction="RIGHT")
        self.add("BitwiseAnd", ["word_bytes", "low4"], "word_right")
        self.add("Concat", ["word_left", "word_right"], "word_steps", axis=2)
        self.add("Cast", ["word_steps"], "word_floats", to=TensorProto.FLOAT)
        self.add("Sub", ["word_floats", "word_middle"], "word_centred")
        width = table.shape[1]
        apart = self.constant(
            "word_blocks_shape", np.array([0, 0, width // BLOCK, BLOCK], np.int64)
        )
        self.add("Reshape", ["word_centred", apart], "word_blocks")
        self.add("Gather", [f"{SCALES}_half", "input_ids"], "word_scale_half")
        self.add("Cast", ["word_scale_half"], "word_scale", to=TensorProto.FLOAT)
        last = self.constant("word_last_axis", np.array([3], np.int64))
        self.add("Unsqueeze", ["word_scale", last], "word_scale_column")
        self.add("Mul", ["word_blocks", "word_scale_column"], "word_scaled")
        together = self.constant("word_shape", np.array([0, 0, width], np.int64))
        self.add("Reshape", ["word_scaled", together], "words")


_WORD_NODES = ("word_integers", "word_floats", "word_scale", "words")


def pack(model: onnx.ModelProto) -> Packed:
    """Return an exported model with its weights packed."""
    graph = model.graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    packer = _Packer()
    packer.words((stored.pop(TABLE) * stored.pop(SCALES)).astype(np.float32))
    for name in HALVED:
        packer.half(name, stored.pop(name))
    matrices: dict[str, NDArray[np.int8]] = {}
    for name in [n for n, v in stored.items() if v.dtype == np.int8 and v.ndim == 2]:
        matrix = (stored[name] * stored[f"{name}_scale"]).astype(np.float32)
        steps, scales = coarse(matrix)
        if np.linalg.norm(steps * scales - matrix) <= MOST_CHANGE * np.linalg.norm(matrix):
            del stored[name]
            stored[f"{name}_scale"] = scales
            matrices[name] = steps
            packer.elsewhere(name, steps.shape)
    constants = [numpy_helper.from_array(value, name) for name, value in stored.items()]
    packed = helper.make_graph(
        packer.nodes + [node for node in graph.node if node.output[0] not in _WORD_NODES],
        graph.name,
        graph.input,
        graph.output,
        packer.constants + constants,
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    return Packed(
        helper.make_model(
            packed,
            opset_imports=opsets,
            ir_version=model.ir_version,
            producer_name=model.producer_name,
        ),
        pack_bits(np.concatenate([steps.ravel() for steps in matrices.values()])),
        {name: steps.shape for name, steps in matrices.items()},
    )


def unpacked(model: onnx.ModelProto, bits: Bytes, shapes: dict[str, Any]) -> dict[str, Array]:
    """Return the weights of a packed model by the names that the export gave them."""
    stored = {
        one.name: numpy_helper.to_array(one)
        for one in model.graph.initializer
        if one.data_location != TensorProto.EXTERNAL
    }
    stored[TABLE] = unpack_four(stored.pop(f"{TABLE}_packed"), stored.pop(f"{SCALES}_half"))
    stored[SCALES] = np.ones((len(stored[TABLE]), 1), np.float32)
    for name in HALVED:
        stored[name] = stored.pop(f"{name}_half").astype(np.float32)
    weights, first = unpack(bits), 0
    for name, (rows, columns) in shapes.items():
        stored[name] = weights[first : first + rows * columns].reshape(rows, columns)
        first += rows * columns
    return stored
