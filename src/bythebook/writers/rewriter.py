"""A model that makes a follow-up stand alone, kept on a short lead.

What it writes is used only when every telling word of it was said before, by the reader or in an
answer, and none of the question's own is lost: a rewriting may put a name in the place of a
pronoun, and nothing else. A model that was talked into asking something else gets nowhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from bythebook.conversation import Completed, Turn
from bythebook.embedders.tokens import count_tokens
from bythebook.errors import WriterError
from bythebook.terms import question_terms, stem_set
from bythebook.writers.agent_options import AgentOptions
from bythebook.writers.budget import model_tokens
from bythebook.writers.failures import Model
from bythebook.writers.model import ChatModel, Request
from bythebook.writers.prompts import REACH, REWRITE, conversation_prompt

_MAX_CHARACTERS = 300
_MAX_OUTPUT_TOKENS = 80


class ModelRewriter:
    """Rewrites questions with a chat model."""

    def __init__(self, options: AgentOptions) -> None:
        self._options = replace(options, max_output_tokens=_MAX_OUTPUT_TOKENS, mode="direct")
        self._model = Model(options.model, options.api_key)
        self._chat = ChatModel(self._options, self._model)

    async def rewrite(self, question: str, turns: Sequence[Turn]) -> Completed:
        """Return the question complete in itself; raise WriterError when that fails."""
        kept = self._within_limit(question, turns)
        text = conversation_prompt(question, [(turn.standalone, turn.answer) for turn in kept])
        written = _one_line(await self.say(REWRITE, text))
        said = " ".join([question, *(f"{turn.standalone} {turn.answer}" for turn in kept)])
        is_said = set(question_terms(written)) <= stem_set(said)
        is_asked = set(question_terms(question, needs_one=False)) <= stem_set(written)
        if not written or not is_said or not is_asked:
            raise WriterError("the model did not complete the question as it should")
        forgotten = len(turns) - len(kept)
        note = f"the {forgotten} oldest questions were left out to fit the model's context"
        return Completed(written, (note,) if forgotten else ())

    async def say(self, instructions: str, text: str) -> str:
        """Return what the model answers to one request."""
        ends_at = asyncio.get_running_loop().time() + self._options.deadline_seconds
        request = Request(instructions, text, ends_at)
        return "".join([piece async for piece in self._chat.pieces(request)])

    def _within_limit(self, question: str, turns: Sequence[Turn]) -> Sequence[Turn]:
        """Return the newest turns that fit the model; the oldest go first."""
        room = self._options.context_tokens - _MAX_OUTPUT_TOKENS - _tokens(REWRITE + question)
        kept: list[Turn] = []
        for turn in reversed(turns):
            room -= _tokens(f"{turn.standalone} {turn.answer}")
            if room < 0:
                break
            kept.insert(0, turn)
        return kept


def reach(options: AgentOptions) -> None:
    """Ask a model for a word; raise our error when it does not answer."""
    asyncio.run(ModelRewriter(options).say(REACH, "ok?"))


def _tokens(text: str) -> int:
    return model_tokens(text, count_tokens)


def _one_line(text: str) -> str:
    lines = [line.strip().strip("\"'“”") for line in text.splitlines() if line.strip()]
    return lines[0] if lines and len(lines[0]) <= _MAX_CHARACTERS else ""
