"""Document 001: a session with its messages, turns and grounded responses.

`turn_id` is said to be a UUID and is `turn-550e8400` in the example, so any text will do. A
`role` of "function" is kept as the document has it; only the model's border says "tool".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from bythebook import types
from bythebook.contracts.citing import cited, ranked, relabel
from bythebook.contracts.fields import (
    HttpAddress,
    Question,
    Score,
    Text,
    UtcTime,
    UuidText,
    address_of,
    is_absent,
    new_id,
    now,
)
from bythebook.contracts.profiles import Profile, load_profile
from bythebook.contracts.session_errors import (
    ErrorState,
    SessionError,
    error_of,
    session_error,
)
from bythebook.contracts.tokens import count_tokens
from bythebook.contracts.troubles import complaint
from bythebook.markup import inert
from bythebook.states import Exits, Journey

NO_INFORMATION = "I don't have information"
DEFAULT_MAX_HISTORY = 20

_NO_MODEL = "none"  # a refusal before writing has used no model
_SHORTEST_TURN_SECONDS = 1e-6  # a duration must be above 0, whatever the clock measured


class SessionState(StrEnum):
    """Where a session is in its life."""

    CREATED = "CREATED"
    ACTIVE = "ACTIVE"
    RESET = "RESET"
    COMPLETED = "COMPLETED"


SESSION_EXITS: Exits[SessionState] = {
    SessionState.CREATED: frozenset({SessionState.ACTIVE}),
    SessionState.ACTIVE: frozenset({SessionState.RESET, SessionState.COMPLETED}),
    SessionState.RESET: frozenset({SessionState.ACTIVE}),
    SessionState.COMPLETED: frozenset(),
}


def _retrieval_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    _RetrieveContext.model_validate(arguments)
    return arguments


class _RetrieveContext(BaseModel):
    """What `retrieve_context` may be called with."""

    model_config = ConfigDict(strict=True)

    query: str
    top_k: int = Field(default=5, ge=1, le=10)
    threshold: Score = 0.7


class FunctionCall(BaseModel):
    """The assistant's request to retrieve; the arguments are kept as they were given."""

    name: Literal["retrieve_context"]
    arguments: Annotated[dict[str, Any], AfterValidator(_retrieval_arguments)]


class Message(BaseModel):
    """One message; its JSON leaves out what it does not have."""

    role: Literal["system", "user", "assistant", "function"]
    content: str | None = Field(default=None, exclude_if=is_absent)
    function_call: FunctionCall | None = Field(default=None, exclude_if=is_absent)
    function_response: str | None = Field(default=None, exclude_if=is_absent)
    timestamp: UtcTime = Field(default_factory=now)

    @model_validator(mode="after")
    def _role_and_content_fit(self) -> Self:
        if not self.content and self.function_call is None:
            raise ValueError("content is required unless function_call is present")
        if self.function_call is not None and self.role != "assistant":
            raise ValueError("function_call is only valid when role is assistant")
        if self.function_response is not None and self.role != "function":
            raise ValueError("function_response is only valid when role is function")
        return self


class RetrievalResult(BaseModel):
    """A retrieved chunk; a book without a website gets addresses that lead nowhere."""

    chunk_id: str
    chunk_text: Text
    similarity_score: Score
    source_url: HttpAddress
    chapter_id: str
    module_name: str
    heading_hierarchy: list[str]
    token_count: int = Field(gt=0)
    chunk_index: int = Field(ge=0)


class AgentResponse(BaseModel):
    """The answer; `grounded` and the presence of citations always agree."""

    answer: Text
    citations: list[RetrievalResult]
    retrieval_count: int = Field(ge=0)
    model_used: str
    tokens_used: int = Field(gt=0)
    grounded: bool
    timestamp: UtcTime = Field(default_factory=now)

    @model_validator(mode="after")
    def _grounded_matches_the_answer(self) -> Self:
        if self.grounded and not self.citations:
            raise ValueError("a grounded answer must have citations")
        if not self.grounded and NO_INFORMATION not in self.answer:
            raise ValueError(f"an ungrounded answer must contain {NO_INFORMATION!r}")
        if not self.grounded and self.citations:
            raise ValueError("an ungrounded answer must have no citations")
        return self


class ConversationTurn(BaseModel):
    """One question with what was retrieved for it and what was answered."""

    turn_id: Text = Field(default_factory=new_id)
    user_query: Question
    retrieval_results: list[RetrievalResult]
    agent_response: AgentResponse
    timestamp: UtcTime = Field(default_factory=now)
    duration_seconds: float = Field(gt=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _without_results_there_is_no_information(self) -> Self:
        if not self.retrieval_results and self.agent_response.grounded:
            raise ValueError('without retrieval_results the response must say "no information"')
        return self


def sort_results(results: Iterable[RetrievalResult]) -> list[RetrievalResult]:
    """Return results in the document's default order: by descending similarity."""
    return sorted(results, key=lambda result: result.similarity_score, reverse=True)


class AgentSession(BaseModel):
    """A conversation. Its history begins with the system message and slides at `max_history`.

    The state and the turns are not among the document's fields, so a session read from JSON
    counts as active once it has more than its system message, and starts with no turns.
    """

    session_id: UuidText = Field(default_factory=new_id)
    started_at: UtcTime = Field(default_factory=now)
    model: str
    conversation_history: list[Message] = Field(min_length=1)
    max_history: int = Field(default=DEFAULT_MAX_HISTORY, gt=0, le=100)
    is_interactive: bool = False

    _journey: Journey[SessionState] = PrivateAttr(
        default_factory=lambda: Journey(SESSION_EXITS, SessionState.CREATED)
    )
    _turns: list[ConversationTurn] = PrivateAttr(default_factory=list)

    @classmethod
    def start(cls, model: str, system_message: str, **options: Any) -> Self:
        """Return a new session that holds only its system message."""
        first = Message(role="system", content=system_message)
        return cls(model=model, conversation_history=[first], **options)

    @model_validator(mode="after")
    def _history_begins_with_the_system_and_fits(self) -> Self:
        if self.conversation_history[0].role != "system":
            raise ValueError("the first message must be a system message")
        self._slide()
        if len(self.conversation_history) > 1 and self.state is SessionState.CREATED:
            self._journey.move(SessionState.ACTIVE)
        return self

    @property
    def state(self) -> SessionState:
        """Where the session is in its life."""
        return self._journey.state

    @property
    def turns(self) -> tuple[ConversationTurn, ...]:
        """The turns recorded so far."""
        return tuple(self._turns)

    @property
    def retrieval_results(self) -> list[RetrievalResult]:
        """The results of all turns."""
        return [result for turn in self._turns for result in turn.retrieval_results]

    def add(self, message: Message) -> None:
        """Append a message, dropping the oldest ones behind the system message if need be."""
        if self.state is not SessionState.ACTIVE:
            self._journey.move(SessionState.ACTIVE)
        self.conversation_history.append(message)
        self._slide()

    def record(
        self, outcome: types.Outcome, profile: Profile | None = None
    ) -> ConversationTurn | SessionError:
        """Keep a settled question as a turn; a failure changes nothing and comes back as such."""
        response = from_outcome(outcome, profile)
        if isinstance(response, SessionError):
            return response
        turn = _turn(outcome, response)
        self.add(Message(role="user", content=outcome.query.text))
        self.add(Message(role="assistant", content=response.answer))
        self._turns.append(turn)
        return turn

    def reset(self) -> None:
        """Forget everything but the system message and stay active."""
        self._journey.move(SessionState.RESET)
        del self.conversation_history[1:]
        self._turns.clear()
        self._journey.move(SessionState.ACTIVE)

    def complete(self) -> None:
        """End the session."""
        self._journey.move(SessionState.COMPLETED)

    def fit(
        self, max_tokens: int, count: Callable[[str], int] = count_tokens
    ) -> SessionError | None:
        """Drop the oldest messages until the model's context holds them; return the warning."""
        dropped = 0
        while len(self.conversation_history) > 1 and self._tokens(count) > max_tokens:
            del self.conversation_history[1]
            dropped += 1
        if not dropped:
            return None
        wording = load_profile("session").wording["token_limit"]
        return session_error(ErrorState.TOKEN_LIMIT, wording.format(dropped=dropped))

    def _tokens(self, count: Callable[[str], int]) -> int:
        return sum(count(message.content or "") for message in self.conversation_history)

    def _slide(self) -> None:
        excess = len(self.conversation_history) - self.max_history
        if excess > 0:
            del self.conversation_history[1 : 1 + excess]


def from_outcome(
    outcome: types.Outcome, profile: Profile | None = None
) -> AgentResponse | SessionError:
    """Return the response of document 001 to a settled question, or its error state.

    A writer without a model counts no tokens; the tokens of the question stand in, as they do
    for a refusal.
    """
    profile = profile or load_profile("session")
    tokens = outcome.tokens_used
    citations: list[RetrievalResult] = []
    match outcome.result:
        case types.Failure() as failure:
            return error_of(failure, profile)
        case types.Answer() as found:
            answer = relabel(found, _label)
            citations = [_result(passage) for passage in cited(outcome, found)]
        case types.Refusal() as refusal:
            answer, tokens = _refusal(refusal, outcome.mode, profile), 0
    return AgentResponse(
        answer=answer,
        citations=citations,
        retrieval_count=len(ranked(outcome.retrieval)),
        model_used=outcome.model or _NO_MODEL,
        tokens_used=tokens or count_tokens(outcome.query.text),
        grounded=bool(citations),
        timestamp=outcome.finished_at,
    )


def invalid(
    query_text: str,  # noqa: ARG001  # every contract is called alike; this one does not echo it
    field: str,
    message: str,
    hint: str | None = None,
    profile: Profile | None = None,
) -> SessionError:
    """Return the INVALID_INPUT state of document 001 for a question that cannot be used."""
    wording = (profile or load_profile("session")).wording["invalid_input"]
    reason = complaint(field, message, hint)
    return session_error(ErrorState.INVALID_INPUT, f"{wording} {reason}")


def from_retrieval(retrieval: types.Retrieval) -> list[RetrievalResult]:
    """Return the results of document 001 for a search."""
    return [_result(passage) for passage in ranked(retrieval)]


def _turn(outcome: types.Outcome, response: AgentResponse) -> ConversationTurn:
    return ConversationTurn(
        user_query=outcome.query.text,
        retrieval_results=[_result(passage) for passage in ranked(outcome.retrieval)],
        agent_response=response,
        timestamp=outcome.finished_at,
        duration_seconds=max(_SHORTEST_TURN_SECONDS, outcome.timings.total_ms / 1000),
    )


def _result(passage: types.Passage) -> RetrievalResult:
    chunk = passage.chunk
    page = chunk.id if chunk.is_selection else str(PurePosixPath(chunk.page_path).with_suffix(""))
    return RetrievalResult(
        chunk_id=chunk.id,
        chunk_text=chunk.text,
        similarity_score=passage.score,
        source_url=address_of(chunk.page_url, chunk.page_path),
        chapter_id=page,
        module_name=chunk.module or "",
        heading_hierarchy=list(chunk.heading_path),
        token_count=chunk.token_count,
        chunk_index=chunk.index,
    )


def _label(citation: types.Citation) -> str:
    names = (citation.module, citation.page_title or citation.section)
    return f"[Source: {' - '.join(name for name in names if name)}]"


def _refusal(refusal: types.Refusal, mode: types.Mode, profile: Profile) -> str:
    is_selection = mode is types.Mode.SELECTED_TEXT_ONLY
    sentence = profile.wording["refusal"].format(
        topic=", ".join(refusal.missing_terms) or "this",
        place="selected text" if is_selection else "textbook",
    )
    # A title of the book stands in a sentence of Markdown here.
    topics = ", ".join(dict.fromkeys(inert(link.title) for link in refusal.nearest))
    return f"{sentence} {profile.wording['instead'].format(topics=topics)}" if topics else sentence
