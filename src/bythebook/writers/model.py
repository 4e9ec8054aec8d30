"""One run of a model through the OpenAI Agents SDK: text comes out as it is written.

Nothing else in the package knows the SDK. Its tracing, which would send questions and passages to
OpenAI, is off for every run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from bythebook.errors import MissingExtraError
from bythebook.writers.agent_options import AgentOptions
from bythebook.writers.chat import endings, make_client, translated
from bythebook.writers.failures import Model, NoToolsError
from bythebook.writers.prompts import TOOL_DESCRIPTION
from bythebook.writers.searching import NAME, Arguments, Search

try:
    from agents import (
        Agent,
        FunctionTool,
        ModelSettings,
        OpenAIChatCompletionsModel,
        RunConfig,
        Runner,
        RunResultStreaming,
        Tool,
    )
    from agents.exceptions import MaxTurnsExceeded
except ImportError as problem:
    raise MissingExtraError(
        "the agent writer needs the OpenAI Agents SDK", hint="pip install 'bythebook[agent]'"
    ) from problem


class SearchedTooLongError(NoToolsError):
    """The model went on searching and never answered."""


@dataclass
class Request:
    """What a model is asked, and afterwards how that went."""

    instructions: str
    text: str
    ends_at: float  # on the clock of the event loop
    search: Search | None = None
    was_cut_off: bool = False
    tokens: int = 0  # as the server counts; 0 when it does not


class ChatModel:
    """A model behind a server that speaks chat completions."""

    def __init__(self, options: AgentOptions, model: Model) -> None:
        self._options = options
        self._model = model
        # Connections belong to an event loop, and a script's `ask()` makes one for each question.
        self._chats: WeakKeyDictionary[Any, OpenAIChatCompletionsModel] = WeakKeyDictionary()
        self.not_taken: set[str] = set()  # options that this server turned out not to know

    async def pieces(self, request: Request) -> AsyncGenerator[str]:
        """Yield the text of a run as it comes; raise our errors only."""
        ended: list[str] = []
        result = self._start(request, ended)
        try:
            async for piece in _texts(result, request.ends_at, self._model):
                yield piece
        except TimeoutError as problem:
            raise self._model.timed_out() from problem
        except MaxTurnsExceeded as problem:
            raise SearchedTooLongError(f"model {self._model.name!r} never answered") from problem
        except Exception as problem:
            raise translated(problem, self._model) from problem
        finally:
            result.cancel()
            request.tokens = result.context_wrapper.usage.total_tokens
            request.was_cut_off = ended[-1:] == ["length"]

    def _start(self, request: Request, ended: list[str]) -> RunResultStreaming:
        token = endings.set(ended)
        try:
            return Runner.run_streamed(
                self._agent(request),
                request.text,
                max_turns=self._options.max_searches + 1,
                run_config=RunConfig(tracing_disabled=True),
            )
        finally:
            endings.reset(token)

    def _agent(self, request: Request) -> Agent[None]:
        return Agent(
            name="bythebook",
            instructions=request.instructions,
            tools=[_tool(request.search)] if request.search else [],
            model=self._chat(),
            model_settings=self._settings(searches=request.search is not None),
        )

    def _settings(self, searches: bool) -> ModelSettings:
        options = self._options
        takes_limit = "max_tokens" not in self.not_taken
        newer_limit = {"max_completion_tokens": options.max_output_tokens}
        return ModelSettings(
            temperature=None if "temperature" in self.not_taken else options.temperature,
            max_tokens=options.max_output_tokens if takes_limit else None,
            extra_args=None if takes_limit else newer_limit,
            # The SDK takes this back after the first call, so the model is free to answer.
            tool_choice="required" if searches else None,
            include_usage=None if "stream_options" in self.not_taken else True,
            # OpenAI would keep the conversation otherwise; others may not know the option.
            store=False if options.base_url is None else None,
        )

    def _chat(self) -> OpenAIChatCompletionsModel:
        loop = asyncio.get_running_loop()
        if loop not in self._chats:
            client = make_client(self._options, self._model)
            self._chats[loop] = OpenAIChatCompletionsModel(self._options.model, client)
        return self._chats[loop]


async def _texts(result: RunResultStreaming, ends_at: float, model: Model) -> AsyncGenerator[str]:
    events = result.stream_events()
    while True:
        async with asyncio.timeout_at(ends_at):
            event = await anext(events, None)
        if event is None:
            return
        if event.type == "raw_response_event":
            yield _text(event.data, model)


def _text(event: Any, model: Model) -> str:
    if event.type == "response.refusal.delta":
        raise model.filtered()
    if event.type == "response.created":
        return "\n\n"  # a new message is a new paragraph
    return str(event.delta) if event.type == "response.output_text.delta" else ""


def _tool(search: Search) -> Tool:
    async def invoke(_: Any, arguments: str) -> str:
        return await search.run(arguments)

    return FunctionTool(
        name=NAME,
        description=TOOL_DESCRIPTION,
        params_json_schema=Arguments.model_json_schema(),
        on_invoke_tool=invoke,
        # Strict schemas allow neither defaults nor bounds, and few compatible servers know them.
        strict_json_schema=False,
    )
