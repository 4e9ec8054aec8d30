"""Every error bythebook raises, in one tree.

BythebookError
├── SetupError                 somebody set it up wrong; trying again will not help
│   ├── SettingsError          an option has a value that cannot work
│   ├── MissingExtraError      an optional package is not installed
│   ├── SourceError            the book cannot be read at all
│   ├── IndexMissingError      there is no index at the given place
│   ├── IndexMismatchError     the index was made by another version or another embedder
│   ├── IndexBusyError         another process holds the index
│   └── IndexWriteError        the index cannot be written (disk full, no permission)
├── QueryError                 the question or its options cannot be used
├── IllegalTransitionError     a state does not lead where it was told to
└── RunError                   something failed while running
    ├── EmbeddingError         the embedder failed
    ├── StoreError             the vector store failed
    ├── WriterError            the writer failed
    └── GroundingError         the check could not run, so nothing may be shown
"""

from __future__ import annotations


class BythebookError(Exception):
    """The root: `message` says what happened to which value, `hint` what to do next."""

    retryable = False

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SetupError(BythebookError):
    """Somebody set it up wrong; trying again will not help."""


class SettingsError(SetupError):
    """An option has a value that cannot work."""


class MissingExtraError(SetupError):
    """An optional package is not installed."""


class SourceError(SetupError):
    """The book cannot be read at all."""


class IndexMissingError(SetupError):
    """There is no index at the given place."""


class IndexMismatchError(SetupError):
    """The index was made by another version or another embedder."""


class IndexBusyError(SetupError):
    """Another process holds the index."""


class IndexWriteError(SetupError):
    """The index cannot be written, because the disk is full or the place is not ours."""


class QueryError(BythebookError):
    """The question or its options cannot be used; `field` names the culprit."""

    def __init__(self, message: str, *, field: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.field = field


class IllegalTransitionError(BythebookError):
    """A state does not lead where it was told to."""


class RunError(BythebookError):
    """Something failed while running."""

    def __init__(
        self, message: str, *, hint: str | None = None, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class EmbeddingError(RunError):
    """The embedder failed."""

    retryable = True


class StoreError(RunError):
    """The vector store failed."""

    retryable = True


class WriterError(RunError):
    """The writer failed."""

    retryable = True


class GroundingError(RunError):
    """The check could not run, so nothing may be shown."""
