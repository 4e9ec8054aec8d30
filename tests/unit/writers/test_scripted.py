from __future__ import annotations

import asyncio

import pytest

from bythebook.errors import WriterError
from bythebook.types import Draft, Query
from bythebook.writers.scripted import ScriptedWriter, ScriptError
from tests.builders import P, make_passage

QUERY = Query(text="What is a node?")
NODE = make_passage((P, "A node is a process."))


def test_it_writes_what_it_was_told_in_order() -> None:
    told = Draft(sentences=(), model="mine")
    with ScriptedWriter(["A node is a process [1].", told, WriterError("broken")]) as writer:
        (sentence,) = asyncio.run(writer.write(QUERY, [NODE])).sentences
        assert (sentence.text, sentence.cites) == ("A node is a process.", ("chunk-1",))
        assert asyncio.run(writer.write(QUERY, [NODE])) is told
        with pytest.raises(WriterError, match="broken"):
            asyncio.run(writer.write(QUERY, [NODE]))
    assert writer.asked == [(QUERY, (NODE,))] * 3


def test_a_step_nobody_used_fails() -> None:
    with pytest.raises(ScriptError, match="nobody used"), ScriptedWriter(["Unused."]):
        pass


def test_a_call_nobody_expected_fails_at_once_and_again_at_the_end() -> None:
    writer = ScriptedWriter([])
    with pytest.raises(ScriptError, match="What is a node"):
        asyncio.run(writer.write(QUERY, []))
    with pytest.raises(ScriptError, match="nobody expected"):
        writer.check()


def test_it_does_not_hide_the_error_of_the_test_itself() -> None:
    with pytest.raises(ZeroDivisionError), ScriptedWriter(["Unused."]):
        _ = 1 / 0
