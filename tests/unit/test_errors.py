from __future__ import annotations

import inspect
import re

import pytest

from bythebook import errors
from bythebook.cli.exits import ExitCode, of_error
from bythebook.errors import BythebookError, QueryError, RunError, SetupError

CLASSES = [
    value
    for _, value in inspect.getmembers(errors, inspect.isclass)
    if value.__module__ == errors.__name__
]


def drawn_tree() -> dict[str, str | None]:
    """Return each class the docstring draws, with the one it hangs on."""
    parents: dict[str, str | None] = {}
    trail: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^((?:[│ ]   |[├└]── )*)([A-Z]\w+Error)\b", line)
        if found:
            depth = len(found[1]) // 4
            trail = [*trail[:depth], found[2]]
            parents[found[2]] = trail[depth - 1] if depth else None
    return parents


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes() -> None:
    real = {
        cls.__name__: None if cls is BythebookError else cls.__bases__[0].__name__
        for cls in CLASSES
    }
    assert drawn_tree() == real


@pytest.mark.parametrize("cls", CLASSES)
def test_every_error_descends_from_the_root_and_says_what_it_means(
    cls: type[BythebookError],
) -> None:
    assert issubclass(cls, BythebookError)
    assert cls.__doc__
    assert cls.__doc__.strip().endswith(".")


def test_an_error_carries_its_message_and_what_to_do() -> None:
    problem = SetupError("it broke", hint="mend it")
    assert (str(problem), problem.message, problem.hint) == ("it broke", "it broke", "mend it")
    assert not problem.retryable


def test_what_failed_while_running_may_be_tried_again_except_the_check() -> None:
    retryable = {cls.__name__ for cls in CLASSES if getattr(cls, "retryable", False)}
    assert retryable == {"EmbeddingError", "StoreError", "WriterError", "RedisAwayError"}


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if issubclass(cls, SetupError)])
def test_every_setup_error_ends_with_the_code_for_configuration(cls: type[SetupError]) -> None:
    assert of_error(cls("no")) is ExitCode.CONFIGURATION


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if issubclass(cls, RunError)])
def test_every_run_error_ends_with_the_code_for_failure(cls: type[RunError]) -> None:
    assert of_error(cls("no")) is ExitCode.FAILED


def test_a_bad_question_ends_with_the_code_for_bad_arguments() -> None:
    assert of_error(QueryError("no", field="text")) is ExitCode.BAD_ARGUMENTS
