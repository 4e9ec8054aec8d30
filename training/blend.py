"""Mix two checkpoints: `python -m training.blend EARLY.pt LATE.pt OUT.pt --late 0.6`.

A later part of a run forgets some of what an earlier one taught. The mean of the weights of both
ends keeps most of either: see the recipe in the model card. EARLY may also be a shipped model.onnx.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from training.starting import read_weights


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("early", type=Path)
    parser.add_argument("late", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--late", dest="share", type=float, default=0.6, help="share of the later")
    arguments = parser.parse_args()
    early, late = read_weights(arguments.early), read_weights(arguments.late)
    mixed = {name: torch.lerp(early[name], late[name], arguments.share) for name in late}
    progress = torch.load(arguments.late, weights_only=False)["progress"]
    torch.save({"model": mixed, "progress": progress}, arguments.output)


if __name__ == "__main__":
    main()
