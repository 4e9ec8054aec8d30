"""However badly a model behaves, nothing is shown that the book does not carry.

Forty questions on the sample book go through a real model of 135 million parameters. The proof does
not use the gate's own reading: independent.py looks at numbers, names and letters for itself. What
the model writes differs from one processor to the next; what the gate promises does not.
"""

from __future__ import annotations

import asyncio
import copy
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from bythebook.assembly import make_reader, open_assistant
from bythebook.assistant import Assistant
from bythebook.grounding.support import check
from bythebook.settings import load_settings
from bythebook.types import Answer, AnswerSentence, Draft, Failure, Outcome, Passage, Query
from bythebook.writers.agent import AgentWriter
from bythebook.writers.agent_options import AgentOptions
from bythebook.writers.scripted import ScriptedWriter
from tests.builders import ROOT
from tests.engines.model_server import MODEL, SLOTS, running_model
from tests.quality.independent import faults, firm_faults

pytestmark = pytest.mark.timeout(600)  # the model writes for all of them in one fixture

# Thirty that the book answers and ten that it does not. No passage is too weak here: with the usual
# threshold six of the ten would be refused before the model could say anything wrong about them.
# The model is given what fits its budget, one or two passages; grounding looks through all three.
_ANSWERABLE, _OTHERS = 30, 10
_OPTIONS = AgentOptions(
    MODEL,
    base_url="",
    max_output_tokens=60,
    context_tokens=800,
    timeout_seconds=300.0,
    deadline_seconds=500.0,
)

_MARK = re.compile(r"\[\d+\]")


class Overheard:
    """A writer that remembers what it wrote."""

    def __init__(self, writer: AgentWriter) -> None:
        self._writer = writer
        self.drafts: list[Draft] = []
        self.given: list[list[Passage]] = []

    async def write(self, query: Query, passages: list[Passage]) -> Draft:
        draft = await self._writer.write(query, passages)
        self.drafts.append(draft)
        self.given.append(passages)
        return draft


def questions() -> list[str]:
    lines = (ROOT / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    answerable = [row["question"] for row in rows if row["answerable"]]
    others = [row["question"] for row in rows if not row["answerable"]]
    return answerable[:_ANSWERABLE] + others[:_OTHERS]


@pytest.fixture(scope="module")
def model_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_model(tmp_path_factory.mktemp("model")) as url:
        yield url


@pytest.fixture(scope="module")
def overheard(model_url: str) -> Overheard:
    options = replace(_OPTIONS, base_url=model_url)
    return Overheard(AgentWriter(options))


@pytest.fixture(scope="module")
def asked(sample_index: Path, overheard: Overheard) -> Iterator[list[Outcome]]:
    """What comes of it by the rules alone, which promise more than a trained reader can."""
    assistant = open_assistant(load_settings(index=sample_index, reader="none"))
    assistant._writer = overheard  # type: ignore[assignment]  # all else is the real thing

    async def ask_all() -> list[Outcome]:
        slots = asyncio.Semaphore(SLOTS)

        async def ask(question: str) -> Outcome:
            async with slots:
                return await assistant.ask(Query(text=question, top_k=3, threshold=0.0))

        return await asyncio.gather(*map(ask, questions()))

    yield asyncio.run(ask_all())
    assistant.close()


def shown(asked: list[Outcome]) -> Iterator[tuple[Outcome, Answer, AnswerSentence]]:
    for outcome in asked:
        if isinstance(outcome.result, Answer):
            for sentence in outcome.result.sentences:
                yield outcome, outcome.result, sentence


def excerpts(answer: Answer, sentence: AnswerSentence) -> str:
    return "\n".join(answer.citations[number - 1].excerpt for number in sentence.citations)


def test_all_forty_were_written_by_the_model(asked: list[Outcome], overheard: Overheard) -> None:
    assert len(asked) == 40
    assert not [outcome.result for outcome in asked if isinstance(outcome.result, Failure)]
    assert len(overheard.drafts) == 40
    assert all(draft.tokens_used > 0 for draft in overheard.drafts)


def test_the_model_did_misbehave(asked: list[Outcome], overheard: Overheard) -> None:
    """If it had written nothing worth dropping, the proof would prove nothing."""
    drafted = sum(len(draft.sentences) for draft in overheard.drafts)
    assert drafted >= 40
    assert sum(1 for _ in shown(asked)) < drafted / 2


def test_every_citation_is_verbatim_in_its_stored_chunk(asked: list[Outcome]) -> None:
    for outcome, answer, _ in shown(asked):
        assert outcome.retrieval
        stored = {p.chunk.id: p.chunk.text for p in outcome.retrieval.passages}
        for citation in answer.citations:
            assert citation.excerpt == stored[citation.chunk_id][citation.start : citation.end]


def test_not_one_shown_sentence_lacks_a_supporting_span(asked: list[Outcome]) -> None:
    for _, answer, sentence in shown(asked):
        source = excerpts(answer, sentence)
        assert not faults(sentence.text, source), (sentence.text, source)


def test_with_the_reader_no_figure_and_no_name_is_made_up_either(
    asked: list[Outcome], overheard: Overheard
) -> None:
    assert asked
    reader = make_reader(load_settings(reader="minilm"))
    for draft, passages in zip(overheard.drafts, overheard.given, strict=True):
        stored = {passage.chunk.id: passage.chunk.text for passage in passages}
        for passed in check(draft, passages, reader):
            source = "\n".join(stored[s.chunk_id][s.start : s.end] for s in passed.evidence)
            assert not firm_faults(passed.sentence.text, source), (passed.sentence.text, source)


def test_no_shown_sentence_carries_a_mark_of_the_models_own(asked: list[Outcome]) -> None:
    texts = chain.from_iterable(_MARK.findall(sentence.text) for _, _, sentence in shown(asked))
    assert not list(texts)


# What a careful writer would say: the book's words, and the same in other words.
CAREFUL = {
    "What is a node?": (
        "A node is a single unit of computation in ROS 2 that takes part in the graph under its own"
        " name.",
        "Usually a node has one job, for example reading a lidar or following a path.",
    ),
    "Which delivery should camera images over Wi-Fi use?": (
        "For camera images over Wi-Fi best effort is the right choice, because resending an old"
        " frame only delays the new one.",
        "With best-effort delivery each message is sent once and forgotten.",
    ),
    "What does a watchdog do?": (
        "A watchdog is a timer that triggers a safe reaction unless it is reset regularly.",
        "If a watchdog is not reset regularly, it triggers a safe reaction.",
    ),
    "Why can URDF not describe closed kinematic loops?": (
        "URDF can't describe closed kinematic loops, since each link must have exactly one parent.",
    ),
    "Why does odometry drift?": (
        "Odometry drifts because the wheels slip and their radius is never exactly known.",
    ),
    "Why does lidar work in darkness?": (
        "Since it carries its own light source, a lidar works in complete darkness.",
        "An ordinary camera requires ambient light.",
    ),
    "What is integral windup and how is it prevented?": (
        "Windup can be prevented by clamping the integral or stopping the integration while the"
        " output is at its limit.",
    ),
    "What does TensorRT do?": (
        "TensorRT compiles a trained neural network into an engine that is optimised for one"
        " particular GPU.",
        "For a different GPU model or TensorRT version the engine has to be built again.",
    ),
    "What is temporal ensembling?": (
        "Temporal ensembling averages the overlapping predictions of several chunks for the same"
        " moment.",
    ),
    "Why must an emergency stop not pass through ROS 2?": (
        "The emergency stop must not pass through ROS 2, as software and network can fail exactly"
        " in the situation in which it is needed.",
    ),
}


def test_what_a_careful_writer_says_is_shown(book: Assistant) -> None:
    """A gate that shows nothing would pass every test above."""
    with ScriptedWriter([" ".join(said) for said in CAREFUL.values()]) as writer:
        assistant = copy.copy(book)
        assistant._writer = writer

        async def ask_all() -> list[Outcome]:
            return [await assistant.ask(Query(text=text, threshold=0.0)) for text in CAREFUL]

        outcomes = asyncio.run(ask_all())
    texts = {sentence.text for _, _, sentence in shown(outcomes)}
    assert [said for said in chain.from_iterable(CAREFUL.values()) if said not in texts] == []
    test_not_one_shown_sentence_lacks_a_supporting_span(outcomes)
