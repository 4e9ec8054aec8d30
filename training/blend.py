"""Mix two checkpoints of one run: `python -m training.blend EARLY.pt LATE.pt --late 0.6 OUT.pt`.

A later part of a run forgets some of what an earlier one taught. The mean of the weights of both
ends keeps most of either: see the recipe in the model card.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("early", type=Path)
    parser.add_argument("late", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--late", dest="share", type=float, default=0.6, help="share of the later")
    arguments = parser.parse_args()
    early, late = (
        torch.load(path, weights_only=False) for path in (arguments.early, arguments.late)
    )
    mixed = {
        name: torch.lerp(early["model"][name], value, arguments.share)
        for name, value in late["model"].items()
    }
    torch.save({"model": mixed, "progress": late["progress"]}, arguments.output)


if __name__ == "__main__":
    main()
