"""Every error bythebook raises, in one tree.

BythebookError
├── SetupError                 somebody set it up wrong; trying again will not help
│   ├── SettingsError          an option has a value that cannot work
│   ├── MissingExtraError      an optional package is not installed
│   ├── SourceError            the book cannot be read at all
│   ├── QuestionsError         a file of questions, or an evaluation, cannot be used
│   ├── IndexMissingError      there is no index at the given place
│   ├── IndexMismatchError     the index was made by another version or another embedder
│   ├── IndexBusyError         another process holds the index
│   ├── IndexWriteError        the index cannot be written (disk full, no permission)
│   └── QueryLogUnusableError  the query log is missing, or of a newer version
├── QueryError                 the question or its options cannot be used
│   └── SessionMissingError    there is no such session, or no longer
├── IllegalTransitionError     a state does not lead where it was told to
└── RunError                   something failed while running
    ├── EmbeddingError         the embedder failed
    ├── StoreError             the vector store failed
    ├── WriterError            the writer failed
    ├── GroundingError         the check could not run, so nothing may be shown
    ├── QueryLogError          the database of the query log failed
    └── RedisAwayError         Redis, which several workers share, does not answer
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


class QuestionsError(SetupError):
    """A file of questions, or an evaluation, cannot be used."""


class IndexMissingError(SetupError):
    """There is no index at the given place."""


class IndexMismatchError(SetupError):
    """The index was made by another version or another embedder."""


class IndexBusyError(SetupError):
    """Another process holds the index."""


class IndexWriteError(SetupError):
    """The index cannot be written, because the disk is full or the place is not ours."""


class QueryLogUnusableError(SetupError):
    """The query log is missing, or was made by a newer version."""


class QueryError(BythebookError):
    """The question or its options cannot be used; `field` names the culprit."""

    def __init__(self, message: str, *, field: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.field = field


class SessionMissingError(QueryError):
    """There is no such session, or no longer."""


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


class QueryLogError(RunError):
    """The database of the query log failed."""


class RedisAwayError(RunError):
    """Redis, which several workers share, does not answer."""

    retryable = True
