"""The one table of contracts, so that a surface needs no branches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel

from bythebook.contracts import grounded, modules, scored, search, session
from bythebook.contracts.profiles import Profile, load_profile
from bythebook.types import Outcome


class FromOutcome(Protocol):
    """Builds a contract's response."""

    def __call__(self, outcome: Outcome, profile: Profile | None = None) -> BaseModel:
        """Return the response to a settled question."""
        ...


class Invalid(Protocol):
    """Builds a contract's validation error."""

    def __call__(
        self,
        query_text: str,
        field: str,
        message: str,
        hint: str | None = None,
        profile: Profile | None = None,
    ) -> BaseModel:
        """Return the error for a question that cannot be used."""
        ...


@dataclass(frozen=True)
class Contract:
    """How one document speaks."""

    from_outcome: FromOutcome
    invalid: Invalid


CONTRACTS = {
    "scored": Contract(scored.from_outcome, scored.invalid),
    "session": Contract(session.from_outcome, session.invalid),
    "search": Contract(search.from_outcome, search.invalid),
    "modules": Contract(modules.from_outcome, modules.invalid),
    "grounded": Contract(grounded.from_outcome, grounded.invalid),
}


def respond(profile_name: str, outcome: Outcome) -> BaseModel:
    """Return a profile's response to a settled question; raise SettingsError for no profile."""
    profile = load_profile(profile_name)
    return CONTRACTS[profile.contract].from_outcome(outcome, profile)


def invalid(
    profile_name: str, query_text: str, field: str, message: str, hint: str | None = None
) -> BaseModel:
    """Return a profile's own error for a question that cannot be used."""
    profile = load_profile(profile_name)
    return CONTRACTS[profile.contract].invalid(query_text, field, message, hint, profile)


def to_json(response: BaseModel, indent: int | None = 2) -> str:
    """Return a response as JSON: the document's fields always, ours only when they are set."""
    return response.model_dump_json(indent=indent)
