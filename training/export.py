"""Write a trained checkpoint as the fused int8 model that the package ships, and measure both.

`python -m training.export --data DIR --checkpoint FILE` writes model.onnx, matrices.npy,
config.json, LICENSE and checksums.json. The encoder is written node by node as for the embedder
(`tools/build_minilm.py`), with fixed scales, so that what is read of a passage does not depend on
the passages beside it. The ranges of the scales come from training rows. `packing.py` then stores
it with fewer bits.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from bythebook.readers import minilm
from tools.build_minilm import Floats, Ranges, _round_in_octaves, sha256
from training.calibrate import calibrate
from training.graph import ReaderWriter, published_names
from training.measure import Predict, Said, collect, measure, sample
from training.mining import add_mined
from training.mixing import Encoder, Mixer
from training.model import PUBLISHED, Linear, Reader, weights_of
from training.packing import Packed, pack
from training.plot import plot
from training.rows import (
    Data,
    drop_shared,
    load,
    load_glossary,
    load_judged,
    load_named,
    load_own,
)
from training.starting import MEMBER, NAME, PACKAGE, SHA256
from training.train import GLOSSARY, OWN, ROOT, SEED, TOKENIZER

OUTPUT_FOLDER = ROOT / "src/bythebook/readers/weights/minilm"
RANGE_DRAWS = 2
# What the cosine of question and passage counts beside the number of the head. On 700 dev rows of
# each kind, before the sixth run, 4 ranked adversarial ones best (AUC .872, .865 without); 8 gains
# more on mined ones and loses there.
CLOSENESS = 4.0
PLAIN = {head: {"temperature": 1.0, "bias": 0.0} for head in ("answer", "support")}


def measure_ranges(model: Reader, batches: Sequence[dict[str, Any]]) -> Ranges:
    """Return the largest magnitude of each input channel of each linear layer, over some rows."""
    largest: dict[str, Floats] = {}
    names = {
        module: [
            f"encoder.layer.{name.split('.')[1]}.{published}"
            for published in PUBLISHED[name.split(".")[2]]
        ]
        for name, module in model.named_modules()
        if isinstance(module, Linear)
    }
    is_read = torch.ones(0)

    def record(module: Any, inputs: tuple[torch.Tensor, ...]) -> None:
        seen = (inputs[0].abs() * is_read[..., None]).amax((0, 1)).double().numpy()
        for name in names[module]:
            largest[name] = np.maximum(largest.get(name, seen), seen)

    hooks = [module.register_forward_pre_hook(record) for module in names]
    with torch.inference_mode():
        for batch in batches:
            is_read = batch["mask"].float()
            model(batch["ids"], batch["types"], batch["mask"])
    for hook in hooks:
        hook.remove()
    return {name: _round_in_octaves(values) for name, values in largest.items()}


# --- Check and output --------------------------------------------------------------------------


def predict_as_shipped() -> Predict:
    """Return what runs a batch through the exported model."""
    session = minilm._session(2)

    def predict(batch: dict[str, Any]) -> dict[str, Any]:
        feed = {
            "input_ids": batch["ids"].numpy(),
            "token_type_ids": batch["types"].numpy(),
            "attention_mask": batch["mask"].long().numpy(),
        }
        answer, support, spans = session.run(["answer", "support", "spans"], feed)
        return {"answer": answer, "support": support, "start": spans[..., 0], "end": spans[..., 1]}

    return predict


def predict_in_torch(model: Reader) -> Predict:
    """Return what runs a batch through the trained network."""

    def predict(batch: dict[str, Any]) -> dict[str, Any]:
        with torch.inference_mode():
            output: dict[str, Any] = model(batch["ids"], batch["types"], batch["mask"])
            return output

    return predict


NOTICE = f"""\
The file model.onnx in this folder is derived from

    {NAME} (Zehan Li, Xin Zhang, Yanzhao Zhang, Dingkun Long, Pengjun Xie, Meishan Zhang:
    "Towards General Text Embeddings with Multi-stage Contrastive Learning", 2023)
    https://huggingface.co/{NAME}

which its model card publishes under the MIT License (reproduced below). It was taken from the npm
package {PACKAGE}, which carries it unchanged as an ONNX file, {MEMBER}, sha256
{SHA256}.

Changes made by this project (training/): the weights were trained further on the data sets that
MODEL_CARD.md names with their licences, given heads for answering, answer spans and support, and
quantised from 32-bit floating point to integers of eight, six and four bits.

--------------------------------------------------------------------------------------------------

MIT License

Copyright (c) 2023 the authors of {NAME}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


def write_outputs(folder: Path, packed: Packed, config: dict[str, dict[str, float]]) -> None:
    """Write the files, how numbers become probabilities, and the checksums."""
    told = {**config, "closeness": CLOSENESS, "line_ends": True, "matrices": packed.shapes}
    outputs = {
        **packed.files,
        "LICENSE": NOTICE.encode(),
        "config.json": (json.dumps(told) + "\n").encode(),
    }
    checksums = {
        "source": {"name": NAME, "package": PACKAGE, MEMBER: SHA256},
        "outputs": {name: sha256(content) for name, content in sorted(outputs.items())},
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in outputs.items():
        (folder / name).write_bytes(content)
    (folder / "checksums.json").write_text(json.dumps(checksums, indent=2) + "\n", "utf-8")


def read_as_shipped(data: Data, count: int, folder: Path) -> dict[str, list[Said]]:
    """Return what the reader of the package says of dev rows: long passages are read in parts."""
    minilm.WEIGHTS = folder
    reader = minilm.MiniLMReader()
    said: dict[str, list[Said]] = {}
    for name, pairs in data.dev.items():
        rows = said[name] = []
        for pair in sample(pairs, count):
            if name.startswith("support"):
                (probability,) = reader.supports([pair.first], [pair.passage])
                rows.append(Said(pair, 0.0, _number(probability), (0, 0)))
            else:
                (reading,) = reader.read(pair.first, [pair.passage])
                sentence = (reading.sentence_start, reading.sentence_end)
                rows.append(Said(pair, _number(reading.probability), 0.0, sentence))
    return said


def scaled(said: dict[str, list[Said]], support: dict[str, float]) -> dict[str, list[Said]]:
    """Return what was said of claims as the product sees it: even odds are at zero."""

    def scale(one: Said) -> Said:
        return replace(one, support=one.support / support["temperature"] + support["bias"])

    return {name: [scale(one) for one in ones] for name, ones in said.items()}


def _number(probability: float) -> float:
    """Return the number of a head, from the probability that a plain scale makes of it."""
    certain = min(max(probability, 1e-12), 1 - 1e-12)
    return float(np.log(certain / (1 - certain)))


def compare(data: Data, encoder: Encoder, network: Reader, count: int) -> dict[str, dict[str, Any]]:
    """Return the figures of fp32 and of int8 on the same few rows, each read at once."""
    ways = {"fp32 few": predict_in_torch(network), "int8 few": predict_as_shipped()}
    return {name: measure(collect(data, encoder, way, count)) for name, way in ways.items()}


def note(log: Path, progress: dict[str, Any], figures: dict[str, Any]) -> None:
    """Add the figures to the log of the run, and draw it again."""
    if log.exists():
        minutes = round(progress["elapsed"] / 60, 2)
        line = {"step": progress["step"], "minutes": minutes, "dev": figures}
        with log.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(line) + "\n")
        plot(log, log.with_name("training.svg"))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with qa/ and grounding/")
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=OUTPUT_FOLDER)
    parser.add_argument("--figures", type=Path, help="file for the dev figures")
    parser.add_argument("--rows", type=int, default=1000, help="dev rows of each set for int8")
    parser.add_argument("--fp32-rows", type=int, default=200, help="the same for fp32; 0 for none")
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    torch.set_num_threads(2)
    data = load(arguments.data)
    data.train["sample book"] = list(load_glossary(GLOSSARY))
    load_own(OWN, data)
    load_named(OWN / "named.jsonl", data)
    drop_shared(data)
    add_mined(data)
    load_judged(OWN / "judged.jsonl", data)
    encoder = Encoder(Tokenizer.from_file(str(TOKENIZER)))
    network = Reader()
    state = torch.load(arguments.checkpoint, weights_only=False)
    network.load_state_dict(weights_of(arguments.checkpoint))
    network.eval()
    mixer = Mixer(data, encoder, SEED)
    batches = [batch for number in range(RANGE_DRAWS) for batch in mixer.draw(number)]
    weights, heads = published_names(network)
    writer = ReaderWriter(weights, measure_ranges(network, batches), heads)
    packed = pack(writer.write())
    size = sum(map(len, packed.files.values())) / 1e6
    print(f"{size:.1f} MB, step {state['progress']['step']}", flush=True)

    write_outputs(arguments.output, packed, PLAIN)
    said = read_as_shipped(data, arguments.rows, arguments.output)
    scales = calibrate(said)
    write_outputs(arguments.output, packed, scales.config)
    figures: dict[str, Any] = {"progress": state["progress"], "calibration": scales.figures}
    figures["int8"] = measure(scaled(said, scales.config["support"]), intervals=True)
    print(json.dumps(figures, indent=2), flush=True)
    note(arguments.checkpoint.parent / "log.jsonl", state["progress"], figures["int8"])
    if arguments.fp32_rows:
        figures |= compare(data, encoder, network, arguments.fp32_rows)
        print(json.dumps({name: figures[name] for name in ("fp32 few", "int8 few")}, indent=2))
    if arguments.figures:
        arguments.figures.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
