"""Finding and reading the files of a book's folder without ever leaving it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from bythebook.types import SkippedFile

MARKDOWN_SUFFIXES = frozenset({".md", ".mdx", ".markdown"})
MAX_FILE_BYTES = 10 * 1024 * 1024

# Invisible characters that would only keep a word from being found.
_INVISIBLE = re.compile("[\u200b\ufeff\u00ad]")


class Folder:
    """A book's folder; what cannot be read is noted in `skipped` instead of raised."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.skipped: list[SkippedFile] = []
        self._real_root = root.resolve()

    def relative(self, path: Path) -> str:
        """Return the path as pages name it."""
        return path.relative_to(self.root).as_posix()

    def skip(self, path: Path | str, reason: str) -> None:
        """Note that a file was left out and why."""
        name = path if isinstance(path, str) else self.relative(path)
        self.skipped.append(SkippedFile(path=name, reason=reason))

    def holds(self, path: Path) -> bool:
        """Tell whether the path, all links followed, stays inside the folder."""
        try:
            return path.resolve().is_relative_to(self._real_root)
        except (OSError, RuntimeError, ValueError):
            return False

    def has_file(self, path: Path) -> bool:
        """Tell whether there is such a file inside the folder; odd names are no error."""
        try:
            return path.is_file() and self.holds(path)
        except (OSError, ValueError):
            return False

    def markdown_files(
        self, below: Path, leaves_out: Callable[[Path], bool] = lambda _: False
    ) -> Iterator[Path]:
        """Yield every Markdown file below a folder, except hidden ones and those left out."""
        waiting = [below]
        while waiting:
            for entry in self._entries(waiting.pop()):
                if entry.name.startswith(".") or entry.name == "node_modules" or leaves_out(entry):
                    continue
                if entry.is_symlink() and not self._accepts_link(entry):
                    continue
                if entry.is_dir():
                    waiting.append(entry)
                elif entry.suffix.lower() in MARKDOWN_SUFFIXES:
                    yield entry

    def read(self, path: Path) -> str | None:
        """Return a file's text with plain line ends and spaces; None when it was skipped."""
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                self.skip(path, "not an ordinary file")  # reading a pipe would wait for ever
                return None
            if found.st_size > MAX_FILE_BYTES:
                self.skip(path, "larger than 10 MB")
                return None
            content = path.read_bytes()
        except OSError as error:
            self.skip(path, error.strerror or str(error))
            return None
        if b"\0" in content:
            self.skip(path, "not a text file (it holds NUL bytes)")
            return None
        try:
            return tidy(content.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            byte = content[error.start]
            self.skip(path, f"not valid UTF-8 (byte 0x{byte:02x} at {error.start})")
            return None

    def _entries(self, folder: Path) -> list[Path]:
        try:
            return sorted(folder / name for name in os.listdir(folder))  # noqa: PTH208 (iterdir raises late)
        except OSError as error:
            self.skip(folder, error.strerror or str(error))
            return []

    def _accepts_link(self, link: Path) -> bool:
        """Tell whether a link may be read; folders are only read where they really stand."""
        try:
            target = link.resolve(strict=True)
        except FileNotFoundError:
            self.skip(link, "a link to a file that does not exist")
            return False
        except (OSError, RuntimeError):
            self.skip(link, "a link that goes in a circle")
            return False
        if not target.is_relative_to(self._real_root):
            self.skip(link, "a link that leaves the book's folder")
            return False
        if target.is_dir():
            self.skip(link, "a link to another folder of the book; links to folders are not read")
            return False
        return True


def tidy(text: str) -> str:
    """Return the text with one kind of line end and of space, and no invisible characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _INVISIBLE.sub("", text.replace("\u00a0", " "))
