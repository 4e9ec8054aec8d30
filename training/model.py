"""The network: the encoder of gte-small with a head for each thing the reader says.

* Spans: for each token of the passage, how likely an answer starts and ends there.
* Answer: does the passage answer? It looks at the first token, at the mean of the question and at
  the places where the span head thinks the answer starts and ends.
* Support: does the passage say what the claim says? From the first token and the means of both.

The table of words stays as it is: training it would double the work of a step, and hardly helps.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

LAYERS, HEADS, WIDTH, INNER = 12, 12, 384, 1536
WORDS, POSITIONS = 30_522, 512
HEAD_WIDTH = 128
# Without it people's unanswerable questions were learnt by heart: AUC .95 on those trained on, .82
# on others.
DROPPED = 0.1
NORM_EPSILON = 1e-12
FAR_BELOW = -1e4


class _Bfloat16Product(torch.autograd.Function):
    """A linear layer whose products are taken in bfloat16; everything around it stays in fp32.

    On a processor with AVX512-BF16 a step takes 0.6 of the time of fp32. (PyTorch's autocast, which
    also turns the other operations, was slower than fp32.)
    """

    @staticmethod
    def forward(context: Any, values: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        values, weight = values.bfloat16(), weight.bfloat16()
        context.save_for_backward(values, weight)
        return functional.linear(values, weight).float().add_(bias)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        values, weight = context.saved_tensors
        rows = gradient.flatten(0, -2)
        short = rows.bfloat16()
        to_values = (short @ weight).float().view(*gradient.shape[:-1], -1)
        to_weight = (short.t() @ values.flatten(0, -2)).float()
        return to_values, to_weight, rows.sum(0)


# Where the processor has no such instructions, products in bfloat16 take four times as long.
HAS_BFLOAT16 = bool(torch.cpu.get_capabilities().get("avx512_bf16"))


class Linear(nn.Linear):
    """A linear layer, with products in bfloat16 where they are fast."""

    def forward(self, values: Tensor) -> Tensor:
        if not HAS_BFLOAT16:
            return functional.linear(values, self.weight, self.bias)
        product: Tensor = _Bfloat16Product.apply(values, self.weight, self.bias)
        return product


class Layer(nn.Module):
    """One layer of the encoder; the names of its parts are those of the published weights."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = Linear(WIDTH, 3 * WIDTH)
        self.attended = Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, NORM_EPSILON)
        self.inner = Linear(WIDTH, INNER)
        self.outer = Linear(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, NORM_EPSILON)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        batch, length, _ = hidden.shape
        split = self.qkv(hidden).view(batch, length, 3, HEADS, WIDTH // HEADS)
        query, key, value = split.permute(2, 0, 3, 1, 4).unbind(0)
        context = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        context = context.transpose(1, 2).reshape(batch, length, WIDTH)
        hidden = self.norm1(hidden + self._drop(self.attended(context)))
        return self.norm2(hidden + self._drop(self.outer(functional.gelu(self.inner(hidden)))))

    def _drop(self, values: Tensor) -> Tensor:
        is_learning = self.training and torch.is_grad_enabled()
        return functional.dropout(values, DROPPED) if is_learning else values


PUBLISHED = {
    "qkv": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attended": ("attention.output.dense",),
    "norm1": ("attention.output.LayerNorm",),
    "inner": ("intermediate.dense",),
    "outer": ("output.dense",),
    "norm2": ("output.LayerNorm",),
}
"""What the parts of a layer are called in the published weights."""


class Reader(nn.Module):
    """Encoder and heads."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, NORM_EPSILON)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.span = nn.Linear(WIDTH, 2)
        self.answer1 = nn.Linear(4 * WIDTH, HEAD_WIDTH)
        self.answer2 = nn.Linear(HEAD_WIDTH, 1)
        self.support1 = nn.Linear(3 * WIDTH, HEAD_WIDTH)
        self.support2 = nn.Linear(HEAD_WIDTH, 1)
        self.words.weight.requires_grad_(False)
        self.frozen = 0  # how many of the first layers are left as they are

    def load_published(self, weights: dict[str, Tensor]) -> None:
        """Take over the weights of gte-small; the heads stay as they were."""
        state = {
            "words.weight": weights["embeddings.word_embeddings.weight"],
            "positions.weight": weights["embeddings.position_embeddings.weight"],
            "types.weight": weights["embeddings.token_type_embeddings.weight"],
            "norm.weight": weights["embeddings.LayerNorm.weight"],
            "norm.bias": weights["embeddings.LayerNorm.bias"],
        }
        for layer in range(LAYERS):
            for ours, theirs in PUBLISHED.items():
                for kind in ("weight", "bias"):
                    parts = [weights[f"encoder.layer.{layer}.{name}.{kind}"] for name in theirs]
                    state[f"layers.{layer}.{ours}.{kind}"] = torch.cat(parts)
        missing, unexpected = self.load_state_dict(state, strict=False)
        if unexpected or any(
            not name.startswith(("span", "answer", "support")) for name in missing
        ):
            raise ValueError(f"the weights do not fit: {missing} {unexpected}")

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> dict[str, Tensor]:
        places = torch.arange(ids.shape[1], device=ids.device)
        allowed = mask[:, None, None, :]
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            hidden = self.norm(self.words(ids) + self.positions(places) + self.types(types))
            for layer in self.layers[: self.frozen]:
                hidden = layer(hidden, allowed)
        for layer in self.layers[self.frozen :]:
            hidden = layer(hidden, allowed)
        in_passage = (types == 1) & mask
        in_first = (types == 0) & mask
        start, end = self.span(hidden).masked_fill(~in_passage[..., None], FAR_BELOW).unbind(-1)
        first = hidden[:, 0]
        mean_first, mean_passage = _mean(hidden, in_first), _mean(hidden, in_passage)
        at_start = (start.softmax(-1)[:, None] @ hidden)[:, 0]
        at_end = (end.softmax(-1)[:, None] @ hidden)[:, 0]
        answer = torch.cat([first, mean_first, at_start, at_end], -1)
        support = torch.cat([first, mean_first, mean_passage], -1)
        return {
            "start": start,
            "end": end,
            "answer": self.answer2(functional.gelu(self.answer1(answer)))[:, 0],
            "support": self.support2(functional.gelu(self.support1(support)))[:, 0],
        }


def weights_of(checkpoint: Path) -> dict[str, Tensor]:
    """Return the weights a run left: the mean over its last steps, if it kept one."""
    state = torch.load(checkpoint, weights_only=False)
    weights: dict[str, Tensor] = state.get("mean", state["model"])
    return weights


def _mean(hidden: Tensor, chosen: Tensor) -> Tensor:
    share = chosen.float()
    share = share / share.sum(-1, keepdim=True).clamp(min=1)
    return (share[:, None] @ hidden)[:, 0]


def losses(output: dict[str, Tensor], batch: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the loss of each head, as a mean over the rows of the batch."""
    label, weight, is_support = batch["label"], batch["weight"], batch["is_support"]
    rows = len(label)
    bce = functional.binary_cross_entropy_with_logits
    answer = bce(output["answer"], label, weight * ~is_support, reduction="sum") / rows
    support = bce(output["support"], label, weight * is_support, reduction="sum") / rows
    is_positive = (label > 0) & ~is_support
    spans = torch.zeros(())
    for name in ("start", "end"):
        odds = output[name].log_softmax(-1)
        marked = is_positive & (batch[name] >= 0)
        picked = odds.gather(1, batch[name].clamp(min=0)[:, None])[:, 0]
        spans = spans - (picked * marked).sum() / rows
        # Where only the sentence is known, any token of it may be the one.
        vague = is_positive & (batch[name] < 0) & batch["in_evidence"].any(-1)
        inside = odds.masked_fill(~batch["in_evidence"], FAR_BELOW).logsumexp(-1)
        spans = spans - (inside * vague).sum() / rows
    return {
        "answer": answer,
        "support": support,
        "spans": spans / 2,
        "order": _order(output["answer"], label, batch["group"]),
    }


def _order(numbers: Tensor, label: Tensor, group: Tensor) -> Tensor:
    """Return how badly questions on one passage are ordered: answered ones belong above others.

    Two questions on one passage share everything but what makes one of them answered. A group of
    -1 is compared with nothing.
    """
    is_pair = (group[:, None] == group) & (group >= 0) & (label[:, None] > label)
    if not is_pair.any():
        return torch.zeros(())
    gap = numbers[:, None] - numbers
    return functional.softplus(-gap)[is_pair].sum() / len(label)
