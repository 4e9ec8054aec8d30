"""The graph of the reader for ONNX Runtime: the encoder of `tools/build_minilm.py` with heads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper

from tools.build_minilm import (
    EncoderWriter,
    GraphWriter,
    Ranges,
    Weights,
)
from training.mixing import LONGEST
from training.model import FAR_BELOW, LAYERS, PUBLISHED, Reader

INPUTS = ("input_ids", "token_type_ids", "attention_mask")


@dataclass
class ReaderGraph(GraphWriter):
    """The same as for the embedder, with the inputs and outputs of a reader."""

    def model(self) -> onnx.ModelProto:
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in INPUTS
        ]
        outputs = [
            helper.make_tensor_value_info("answer", TensorProto.FLOAT, ["batch"]),
            helper.make_tensor_value_info("support", TensorProto.FLOAT, ["batch"]),
            helper.make_tensor_value_info("spans", TensorProto.FLOAT, ["batch", "tokens", 2]),
        ]
        graph = helper.make_graph(self.nodes, "reader", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=8, producer_name="bythebook"
        )


class ReaderWriter(EncoderWriter):
    """Writes the encoder with two kinds of tokens, and the heads on top of it."""

    layers = LAYERS

    def __init__(self, weights: Weights, ranges: Ranges, heads: Weights) -> None:
        super().__init__(weights, ranges)
        self._graph = ReaderGraph()
        self._heads = heads

    def _embeddings(self) -> str:
        graph = self._graph
        self._words()
        first = graph.constant("first_axis", np.zeros(1, np.int64))
        graph.add("Shape", ["input_ids"], "length", start=1, end=2)
        positions = self._weights["embeddings.position_embeddings.weight"][:LONGEST]
        graph.add(
            "Slice",
            [graph.floats("position_table", positions), first, "length", first],
            "positions",
        )
        types = graph.floats("type_table", self._weights["embeddings.token_type_embeddings.weight"])
        graph.add("Gather", [types, "token_type_ids"], "kinds")
        graph.add("Sum", ["words", "positions", "kinds"], "embedded")
        return self._norm("embedded", "embeddings.LayerNorm", "hidden")

    def _pooling(self, hidden: str) -> None:
        """Write the heads; `model.Reader.forward` says the same in PyTorch."""
        graph = self._graph
        one = graph.constant("one", np.ones(1, np.int64))
        two = graph.constant("two", np.full(1, 2, np.int64))
        graph.add("Cast", ["attention_mask"], "read", to=TensorProto.FLOAT)
        graph.add("Cast", ["token_type_ids"], "in_passage", to=TensorProto.FLOAT)
        graph.add("Sub", ["read", "in_passage"], "in_first")
        self._spans(hidden, two)
        graph.add("Transpose", ["spans"], "spans_across", perm=[0, 2, 1])
        graph.add("Softmax", ["spans_across"], "span_odds", axis=-1)
        graph.add("MatMul", ["span_odds", hidden], "at_span")
        for name in ("in_first", "in_passage"):
            graph.add("Unsqueeze", [name, one], f"{name}_row")
        graph.add("Concat", ["in_first_row", "in_passage_row"], "parts", axis=1)
        graph.add("ReduceSum", ["parts", two], "part_sizes", keepdims=1)
        least = graph.constant("least", np.ones(1, np.float32))
        graph.add("Max", ["part_sizes", least], "part_lengths")
        graph.add("Div", ["parts", "part_lengths"], "part_shares")
        graph.add("MatMul", ["part_shares", hidden], "means")
        zero = graph.constant("zero", np.zeros(1, np.int64))
        graph.add("Gather", [hidden, zero], "first_token", axis=1)
        graph.add("Slice", ["means", zero, one, one], "mean_first")
        graph.add("Concat", ["first_token", "mean_first", "at_span"], "answer_parts", axis=1)
        graph.add("Concat", ["first_token", "means"], "support_parts", axis=1)
        for name in ("answer", "support"):
            self._head(name, one)

    def _spans(self, hidden: str, two: str) -> None:
        graph = self._graph
        weight = graph.floats("span_weight", self._heads["span.weight"].T)
        bias = graph.floats("span_bias", self._heads["span.bias"])
        graph.add("MatMul", [hidden, weight], "span_products")
        graph.add("Add", ["span_products", bias], "span_logits")
        graph.add("Sub", ["in_passage", graph.constant("unit", np.ones(1, np.float32))], "outside")
        far = graph.constant("far_below", np.full(1, -FAR_BELOW, np.float32))
        graph.add("Mul", ["outside", far], "penalty_row")
        graph.add("Unsqueeze", ["penalty_row", two], "penalty")
        graph.add("Add", ["span_logits", "penalty"], "spans")

    def _head(self, name: str, one: str) -> None:
        graph = self._graph
        flat = graph.constant(f"{name}_flat", np.array([0, -1], np.int64))
        graph.add("Reshape", [f"{name}_parts", flat], f"{name}_features")
        values = f"{name}_features"
        for layer in (1, 2):
            weight = graph.floats(f"{name}{layer}_weight", self._heads[f"{name}{layer}.weight"].T)
            bias = graph.floats(f"{name}{layer}_bias", self._heads[f"{name}{layer}.bias"])
            values = graph.add("Gemm", [values, weight, bias], f"{name}{layer}")
            if layer == 1:
                values = graph.add_fused("Gelu", [values], f"{name}_gelu")
        graph.add("Squeeze", [values, one], name)


def published_names(model: Reader) -> tuple[Weights, Weights]:
    """Return the encoder's weights under their published names, and those of the heads."""
    state = {name: value.double().numpy() for name, value in model.state_dict().items()}
    weights: Weights = {
        "embeddings.word_embeddings.weight": state["words.weight"],
        "embeddings.position_embeddings.weight": state["positions.weight"],
        "embeddings.token_type_embeddings.weight": state["types.weight"],
        "embeddings.LayerNorm.weight": state["norm.weight"],
        "embeddings.LayerNorm.bias": state["norm.bias"],
    }
    for layer in range(LAYERS):
        for ours, theirs in PUBLISHED.items():
            for kind in ("weight", "bias"):
                parts = np.split(state[f"layers.{layer}.{ours}.{kind}"], len(theirs))
                for name, part in zip(theirs, parts, strict=True):
                    weights[f"encoder.layer.{layer}.{name}.{kind}"] = part
    heads = {n: v for n, v in state.items() if n.startswith(("span", "answer", "support"))}
    return weights, heads
