"""What the exit codes mean, in one place."""

from __future__ import annotations

from enum import IntEnum

from bythebook.errors import BythebookError, QueryError, SetupError
from bythebook.types import Answer, Failure, Outcome, Refusal


class ExitCode(IntEnum):
    """How a command ended."""

    ANSWERED = 0
    REFUSED = 1
    CONFIGURATION = 2
    FAILED = 3
    BAD_ARGUMENTS = 4
    UNDER_FLOOR = 5
    INTERRUPTED = 130


def of_error(problem: BythebookError) -> ExitCode:
    """Return the exit code for an error."""
    if isinstance(problem, QueryError):
        return ExitCode.BAD_ARGUMENTS
    return ExitCode.CONFIGURATION if isinstance(problem, SetupError) else ExitCode.FAILED


def of_outcome(outcome: Outcome) -> ExitCode:
    """Return the exit code for the outcome of a question."""
    match outcome.result:
        case Answer():
            return ExitCode.ANSWERED
        case Refusal():
            return ExitCode.REFUSED
        case Failure(is_setup=True):
            return ExitCode.CONFIGURATION
        case Failure(stage="validation"):
            return ExitCode.BAD_ARGUMENTS
        case Failure():
            return ExitCode.FAILED
