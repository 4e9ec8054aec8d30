"""What our path costs over one bare call to the same model server with the same prompt.

    python tools/bench_writer.py --runs 10

A stand-in answers at once, so that the difference is ours. The real model shows the size of a real
answer; its own times differ by more than the overhead from run to run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))  # the engines and stand-ins of the tests

from bythebook.grounding.support import check
from bythebook.types import Passage, Query
from bythebook.writers.agent import AgentWriter
from bythebook.writers.agent_options import AgentOptions
from bythebook.writers.prompts import Quoting
from tests.builders import P, make_passage
from tests.engines.model_server import CONTEXT_TOKENS, MODEL, running_model
from tests.standins.chat import ChatServer, says

QUESTION = "What is a node?"
ANSWER = "A node is one process that talks over topics [1]. It has a name [1]. "
PASSAGES = [
    make_passage(
        (P, "A node is one process that talks over topics. It has a name. " * 6), id=f"c{n}"
    )
    for n in range(3)
]


def bare_call(url: str, passages: list[Passage], tokens: int) -> None:
    """Send the same prompt with nothing but the standard library, and read the whole stream."""
    quoting = Quoting.fresh()
    messages = [
        {"role": "system", "content": quoting.instructions()},
        {"role": "user", "content": quoting.request(QUESTION, passages)},
    ]
    body = {"model": MODEL, "messages": messages, "max_tokens": tokens, "temperature": 0.2}
    request = urllib.request.Request(  # noqa: S310  # loopback
        f"{url}/chat/completions",
        json.dumps(body | {"stream": True}).encode(),
        {"content-type": "application/json", "authorization": "Bearer none"},
    )
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        answer.read()


def our_call(writer: AgentWriter, runner: asyncio.Runner) -> None:
    """Write and check, as the assistant of a server does: in one event loop."""
    check(runner.run(writer.write(Query(text=QUESTION), PASSAGES)), PASSAGES)


def middle_ms(call: Callable[[], None], runs: int) -> float:
    """Return the middle time of some runs, after one that warms up."""
    call()
    times = []
    for _ in range(runs):
        begin = perf_counter()
        call()
        times.append((perf_counter() - begin) * 1000)
    return statistics.median(times)


def compare(name: str, url: str, runs: int, tokens: int) -> None:
    options = AgentOptions(
        MODEL, base_url=url, max_output_tokens=tokens, context_tokens=CONTEXT_TOKENS
    )
    writer = AgentWriter(options)
    bare = middle_ms(lambda: bare_call(url, PASSAGES, tokens), runs)
    with asyncio.Runner() as runner:
        ours = middle_ms(lambda: our_call(writer, runner), runs)
    print(f"{name:10} bare {bare:8.1f} ms   ours {ours:8.1f} ms   overhead {ours - bare:+7.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the writer against a bare call.")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--tokens", type=int, default=60)
    given = parser.parse_args()
    with ChatServer() as server:
        server.will(*[says(ANSWER * 4)] * (2 * given.runs + 2))
        compare("stand-in", server.base_url, given.runs, given.tokens)
    with tempfile.TemporaryDirectory() as folder, running_model(Path(folder)) as url:
        compare("SmolLM2", url, given.runs, given.tokens)


if __name__ == "__main__":
    main()
