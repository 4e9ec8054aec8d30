from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest


@pytest.fixture
def write_book(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Return a function that writes files into a fresh folder and returns the folder."""
    root = tmp_path / "my-small_book"

    def write(files: Mapping[str, str | bytes]) -> Path:
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write
