"""Train the reader: `python -m training.train --data DIR --minutes 80`.

A checkpoint is written every few minutes and when the run is asked to stop; started again with the
same work folder, the run goes on. The learning rate follows the clock (`--minutes`), because a
shared machine gives no fixed number of steps an hour, or the number of steps (`--steps`), with
which two runs give the same weights.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from training.measure import collect, measure
from training.mining import add_mined
from training.mixing import LONG, SHORT, Encoder, Mixer
from training.model import Reader, losses
from training.plot import plot
from training.rows import (
    Data,
    drop_shared,
    load,
    load_glossary,
    load_judged,
    load_named,
    load_own,
    load_said,
    load_traps,
)
from training.starting import read_start, read_weights

ROOT = Path(__file__).parents[1]
TOKENIZER = ROOT / "src/bythebook/embedders/weights/minilm/tokenizer.json"
OWN = ROOT / "training/own"
GLOSSARY = ROOT / "examples/physical-ai/glossary.md"

SEED = 7
HEAD_RATE_FACTOR = 5.0
WARM_UP = 0.05
SHORT_UNTIL = 0.8
# The first layers learn their part early; leaving them alone then makes a step a fifth faster.
FREEZE_FROM, FROZEN_LAYERS = 0.3, 4
# The mean of the weights over the last thousand steps or so reads better than the last ones.
MEAN_EVERY, MEAN_KEEPS = 4, 0.996
DECAY = 0.01
LARGEST_STEP = 1.0
LOSS_WEIGHTS = {"answer": 2.0, "support": 2.0, "spans": 1.0, "order": 1.0}
SAVE_SECONDS = 200
QUICK_ROWS = 120
LAST_ROWS = 300


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with qa/ and grounding/")
    start = parser.add_mutually_exclusive_group(required=True)
    start.add_argument("--start", type=Path, help="packed package to start from")
    start.add_argument("--from", dest="earlier", type=Path, help="checkpoint or shipped model.onnx")
    parser.add_argument("--work", type=Path, default=ROOT / "training/work")
    parser.add_argument("--minutes", type=float, default=80, help="time to train, in all")
    parser.add_argument("--steps", type=int, help="train this many steps, whatever they take")
    parser.add_argument("--measure-minutes", type=float, default=20, help="between dev figures")
    parser.add_argument("--rate", type=float, default=1.5e-4, help="highest learning rate")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=SEED)
    return parser.parse_args()


class Run:
    """One training run: the model, its optimiser, and how far it has come."""

    def __init__(self, arguments: argparse.Namespace, data: Data) -> None:
        self.arguments = arguments
        self.data = data
        self.encoder = Encoder(Tokenizer.from_file(str(TOKENIZER)))
        self.mixer = Mixer(data, self.encoder, arguments.seed)
        torch.manual_seed(arguments.seed)
        self.model = Reader()
        if arguments.earlier:
            self.model.load_state_dict(read_weights(arguments.earlier))
        else:
            self.model.load_published(read_start(arguments.start))
        self.mean = {name: value.clone() for name, value in self._learned().items()}
        self.optimiser = self._optimiser()
        self.step = self.draw = self.position = 0
        self.elapsed = 0.0
        self.rows = self.tokens = 0
        self.wants_stop = False
        arguments.work.mkdir(parents=True, exist_ok=True)
        self._resume()

    def _learned(self) -> dict[str, torch.Tensor]:
        return {
            name: value.data for name, value in self.model.named_parameters() if value.requires_grad
        }

    def _optimiser(self) -> torch.optim.AdamW:
        groups: dict[tuple[bool, bool], list[Any]] = {}
        for name, value in self.model.named_parameters():
            if value.requires_grad:
                is_head = name.startswith(("span", "answer", "support"))
                groups.setdefault((is_head, value.ndim > 1), []).append(value)
        return torch.optim.AdamW(
            [
                {
                    "params": values,
                    "weight_decay": DECAY if is_matrix else 0.0,
                    "factor": HEAD_RATE_FACTOR if is_head else 1.0,
                }
                for (is_head, is_matrix), values in groups.items()
            ],
            lr=0.0,
            betas=(0.9, 0.98),
        )

    # --- Keeping ---

    @property
    def _checkpoint(self) -> Path:
        return Path(self.arguments.work) / "checkpoint.pt"

    def _resume(self) -> None:
        if not self._checkpoint.exists():
            return
        state = torch.load(self._checkpoint, weights_only=False)
        self.model.load_state_dict(state["model"])
        self.mean = {name: state["mean"][name].clone() for name in self.mean}
        self.optimiser.load_state_dict(state["optimiser"])
        for name, value in state["progress"].items():
            setattr(self, name, value)
        print(f"goes on at step {self.step} after {self.elapsed / 60:.1f} min", flush=True)

    def save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "mean": {**self.model.state_dict(), **self.mean},
            "optimiser": self.optimiser.state_dict(),
            "progress": {
                name: getattr(self, name)
                for name in ("step", "draw", "position", "elapsed", "rows", "tokens")
            },
        }
        new = self._checkpoint.with_suffix(".new")
        torch.save(state, new)
        os.replace(new, self._checkpoint)  # noqa: PTH105

    def note(self, **values: Any) -> None:
        line = {
            "step": self.step,
            "minutes": round(self.elapsed / 60, 2),
            "rows": self.rows,
            "tokens": self.tokens,
            **values,
        }
        with (self.arguments.work / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)

    # --- Training ---

    @property
    def progress(self) -> float:
        if self.arguments.steps:
            return float(self.step / self.arguments.steps)
        return float(self.elapsed / (self.arguments.minutes * 60))

    def train(self) -> None:
        last = saved = noted = measured = time.monotonic()
        sums: dict[str, float] = {}
        steps = 0
        while self.progress < 1 and not self.wants_stop:
            batches = self.mixer.draw(self.draw, SHORT if self.progress < SHORT_UNTIL else LONG)
            while self.position < len(batches) and self.progress < 1 and not self.wants_stop:
                parts = self._step(batches[self.position])
                for name, value in parts.items():
                    sums[name] = sums.get(name, 0.0) + value
                steps += 1
                self.position += 1
                now = time.monotonic()
                self.elapsed += now - last
                last = now
                if now - noted > 60:
                    self.note(
                        rate=round(self._rate(), 7),
                        **{f"loss {name}": round(value / steps, 4) for name, value in sums.items()},
                    )
                    sums, steps, noted = {}, 0, now
                if now - saved > SAVE_SECONDS:
                    self.save()
                    saved = now
                if now - measured > self.arguments.measure_minutes * 60:
                    self.measure(QUICK_ROWS)
                    # Measuring counts as time too: the run has to end when it was told to.
                    measured = time.monotonic()
            if self.position >= len(batches):
                self.draw, self.position = self.draw + 1, 0
        self.save()

    def _rate(self) -> float:
        left = 1 - self.progress
        warm = min(1.0, self.progress / WARM_UP) if self.progress < WARM_UP else 1.0
        return float(self.arguments.rate * warm * min(1.0, left / (1 - WARM_UP)))

    def _step(self, batch: dict[str, Any]) -> dict[str, float]:
        rate = max(self._rate(), self.arguments.rate * 0.01)
        for group in self.optimiser.param_groups:
            group["lr"] = rate * group["factor"]
        is_settled = self.arguments.earlier or self.progress >= FREEZE_FROM
        self.model.frozen = FROZEN_LAYERS if is_settled else 0
        # What is dropped in a step is the same in every run, wherever it was taken up.
        torch.manual_seed(self.arguments.seed * 1_000_003 + self.step)
        output = self.model(batch["ids"], batch["types"], batch["mask"])
        parts = losses(output, batch)
        total = sum(LOSS_WEIGHTS[name] * value for name, value in parts.items())
        self.optimiser.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[union-attr]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), LARGEST_STEP)
        self.optimiser.step()
        self.step += 1
        if self.step % MEAN_EVERY == 0:
            torch._foreach_lerp_(
                list(self.mean.values()), list(self._learned().values()), 1 - MEAN_KEEPS
            )
        self.rows += len(batch["rows"])
        self.tokens += int(batch["mask"].sum())
        return {name: float(value.detach()) for name, value in parts.items()}

    def measure(self, count: int | None, *, intervals: bool = False) -> dict[str, Any]:
        """Return the dev figures of the mean of the weights, which is what is exported."""
        reader = Reader()
        reader.load_state_dict({**self.model.state_dict(), **self.mean})
        reader.eval()

        def predict(batch: dict[str, Any]) -> dict[str, Any]:
            with torch.inference_mode():
                return reader(batch["ids"], batch["types"], batch["mask"])

        said = collect(self.data, self.encoder, predict, count)
        figures = measure(said, intervals=intervals)
        self.note(dev=figures)
        plot(self.arguments.work / "log.jsonl", self.arguments.work / "training.svg")
        return figures

    def stop(self, *_: object) -> None:
        self.wants_stop = True


def main() -> None:
    arguments = parse()
    torch.set_num_threads(arguments.threads)
    torch.use_deterministic_algorithms(mode=True)
    # We read no memory that was never written, and filling all of it takes a twentieth of the time.
    torch.utils.deterministic.fill_uninitialized_memory = False
    data = load(arguments.data)
    data.train["sample book"] = list(load_glossary(GLOSSARY))
    load_own(OWN, data)
    load_named(OWN / "named.jsonl", data)
    drop_shared(data)
    load_traps(OWN / "traps.jsonl", data)
    load_traps(OWN / "changed.jsonl", data, "changed")
    load_said(OWN / "said.jsonl", data)
    add_mined(data)
    load_judged(OWN / "judged.jsonl", data)
    for name, pairs in [*data.train.items(), *data.dev.items()]:
        print(f"{name:40} {len(pairs):6} rows, {sum(p.label for p in pairs):6} true", flush=True)
    run = Run(arguments, data)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, run.stop)
    run.train()
    if not run.wants_stop:
        figures = run.measure(LAST_ROWS, intervals=True)
        (arguments.work / "figures.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
