"""What may be asked over HTTP: document 004's request, and its sisters for the other profiles."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import (
    UUID4,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    HttpUrl,
    Tag,
    field_validator,
)

from bythebook.contracts.grounded import QueryRequest
from bythebook.contracts.profiles import DEFAULT_PROFILE, ContractName, load_profile
from bythebook.settings import Settings
from bythebook.types import Query

# A question of nothing but white space and invisible characters is none. The schema says so to
# whoever reads it, character by character: what `\s` means differs from one language to the next.
_VISIBLE = r"[^\x00-\x20\x7f-\xa0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]"
NOT_BLANK: dict[str, Any] = {"pattern": _VISIBLE}


def visible(text: str | None) -> str | None:
    """Return a text as it is; raise ValueError when there is nothing to see in it."""
    if text is not None and not re.search(_VISIBLE, text):
        raise ValueError("Query cannot be empty")
    return text


def _whole(value: object) -> object:
    """Take 5 and, as JSON does, 5.0, but neither "5" nor true."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a whole number")
    return value


WholeNumber = Annotated[int, BeforeValidator(_whole)]

ModuleFilter = Annotated[
    str | None,
    Field(default=None, max_length=200, description="Only this module of the book."),
]
RelevanceThreshold = Annotated[
    Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False, strict=True)] | None,
    Field(default=None, description="Least similarity of a passage; the index's own if left out."),
]


class GroundedRequest(QueryRequest):
    """A question as document 004 puts it, and what this service takes besides."""

    query: str = Field(min_length=1, max_length=500, json_schema_extra=NOT_BLANK)
    top_k: WholeNumber = Field(default=5, ge=1, le=20)
    profile: Literal["grounded"] = "grounded"
    module_filter: ModuleFilter
    relevance_threshold: RelevanceThreshold

    _visible = field_validator("query")(visible)


class _ProfileRequest(BaseModel):
    """What the questions of the other profiles have in common."""

    model_config = ConfigDict(frozen=True)

    query: str = Field(min_length=1, max_length=2000, json_schema_extra=NOT_BLANK)
    selected_text: str | None = Field(default=None, min_length=1, json_schema_extra=NOT_BLANK)
    session_id: UUID4 | None = None
    page_url: HttpUrl | None = None
    module_filter: ModuleFilter
    relevance_threshold: RelevanceThreshold

    _visible = field_validator("query", "selected_text")(visible)


class ScoredRequest(_ProfileRequest):
    """A question with the limits of document 000."""

    profile: Literal["scored"]
    query: str = Field(min_length=1, max_length=500, json_schema_extra=NOT_BLANK)
    top_k: WholeNumber = Field(default=5, ge=1, le=100)


class SessionRequest(_ProfileRequest):
    """A question with the limits of document 001."""

    profile: Literal["session"]
    top_k: WholeNumber = Field(default=5, ge=1, le=10)


class SearchRequest(_ProfileRequest):
    """A question with the limits of document 002."""

    profile: Literal["search"]
    top_k: WholeNumber = Field(default=5, ge=1, le=20)


class ModulesRequest(_ProfileRequest):
    """A question with the limits of document 003."""

    profile: Literal["modules"]
    top_k: WholeNumber = Field(default=5, ge=1, le=100)


PROFILE_ERROR = "profile"  # what pydantic calls an error of this choice


def _profile_of(value: Any) -> str | None:
    if isinstance(value, dict):
        profile = value.get("profile", DEFAULT_PROFILE)
        return profile if isinstance(profile, str) else None
    return getattr(value, "profile", None)


AnyRequest = Annotated[
    Annotated[GroundedRequest, Tag("grounded")]
    | Annotated[ScoredRequest, Tag("scored")]
    | Annotated[SessionRequest, Tag("session")]
    | Annotated[SearchRequest, Tag("search")]
    | Annotated[ModulesRequest, Tag("modules")],
    Discriminator(
        _profile_of,
        custom_error_type=PROFILE_ERROR,
        custom_error_message="profile must be one of: scored, session, search, modules, grounded",
    ),
]


def to_query(
    request: GroundedRequest | ScoredRequest | SessionRequest | SearchRequest | ModulesRequest,
    request_id: UUID,
    settings: Settings,
) -> Query:
    """Return the question as the engine takes it."""
    name: ContractName = request.profile
    threshold = request.relevance_threshold
    if threshold is None:
        threshold = load_profile(name).threshold_for(settings.embedder)
    return Query(
        text=request.query.strip(),
        top_k=request.top_k,
        threshold=threshold,
        module=request.module_filter,
        selected_text=request.selected_text,
        page_url=str(request.page_url) if request.page_url else None,
        session_id=request.session_id,
        request_id=request_id,
    )
