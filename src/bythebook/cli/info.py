"""`bythebook info`: what an index holds."""

from __future__ import annotations

from pathlib import Path

from bythebook.cli.console import data
from bythebook.cli.options import IndexOption, JsonOption
from bythebook.manifest import Manifest, read_manifest
from bythebook.settings import load_settings


def info(index: IndexOption = None, json: JsonOption = False) -> int:
    """Show what an index holds."""
    folder = load_settings(index=index).index
    manifest = read_manifest(folder)
    data(manifest.model_dump_json(indent=2) if json else _describe(manifest, folder))
    return 0


def _describe(book: Manifest, folder: Path) -> str:
    rows = [
        ("Title", book.title),
        ("Source", f"{book.source} ({book.generator})"),
        ("Address", book.base_url or next((p.url for p in book.pages if p.url), None) or "none"),
        ("Pages", f"{len(book.pages):,}"),
        ("Passages", f"{book.chunks:,} ({book.tokens:,} tokens)"),
        ("Modules", ", ".join(book.modules) or "none"),
        ("Embedder", f"{book.embedder}, {book.dimensions} dimensions"),
        ("Threshold", f"{book.threshold:.2f}"),
        ("Calibrated", _calibration(book)),
        ("Built", f"{book.created_at:%Y-%m-%d %H:%M} UTC by bythebook {book.version}"),
        ("Size", f"{_megabytes(folder):.1f} MB"),
    ]
    if book.skipped:
        rows.append(("Skipped", f"{len(book.skipped):,}"))
    lines = [f"{name + ':':<12}{value}" for name, value in rows]
    lines += [f"  {skipped.path}: {skipped.reason}" for skipped in book.skipped]
    return "\n".join(lines)


def _calibration(book: Manifest) -> str:
    found = book.calibration
    if found is None:
        return "no: run 'bythebook calibrate'"
    return f"{found.made_at:%Y-%m-%d} on {found.questions:,} questions, reader {found.reader}"


def _megabytes(folder: Path) -> float:
    # Blocks, not lengths: the engine's files are sparse and mostly holes.
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file()) / 1e6
