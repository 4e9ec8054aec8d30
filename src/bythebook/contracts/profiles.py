"""Each document's defaults: limits, thresholds, names and wording, read from `profiles/`."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Literal, Self

from pydantic import Field, model_validator

from bythebook.errors import SettingsError
from bythebook.types import MAX_QUESTION_CHARACTERS, MAX_TOP_K, Value

ContractName = Literal["scored", "session", "search", "modules", "grounded"]
PROFILE_NAMES: tuple[ContractName, ...] = ("scored", "session", "search", "modules", "grounded")
DEFAULT_PROFILE: ContractName = "grounded"


class Profile(Value):
    """What one document says where the engine leaves a choice; None where it says nothing."""

    contract: ContractName
    document: str = Field(pattern=r"^00[0-4]$")
    max_question_characters: int = Field(ge=1, le=MAX_QUESTION_CHARACTERS)
    min_top_k: int = Field(ge=1)
    max_top_k: int = Field(ge=1, le=MAX_TOP_K)
    default_top_k: int = Field(ge=1)
    relevance_threshold: float = Field(ge=0.0, le=1.0)
    embedding_model: str | None = None
    collection_name: str | None = None
    llm_model: str | None = None
    temperature: float | None = Field(default=None, ge=0.0, le=2.0)
    max_history: int | None = Field(default=None, ge=1, le=100)
    min_selected_characters: int = Field(default=1, ge=1)
    max_selected_characters: int | None = Field(default=None, ge=1)
    wording: dict[str, str]

    @model_validator(mode="after")
    def _default_lies_between_the_bounds(self) -> Self:
        if not self.min_top_k <= self.default_top_k <= self.max_top_k:
            raise ValueError(
                f"default_top_k {self.default_top_k} is not between "
                f"{self.min_top_k} and {self.max_top_k}"
            )
        return self

    def threshold_for(self, embedder: str) -> float | None:
        """Return the document's threshold for its own Cohere model, None for any other embedder.

        A threshold belongs to an embedder: for another one the index's calibrated value holds.
        `embedder` is as in settings, such as `cohere:embed-english-v3.0`.
        """
        vendor, _, model = embedder.partition(":")
        is_own = vendor == "cohere" and self.embedding_model in (None, model)
        return self.relevance_threshold if is_own else None


@lru_cache
def load_profile(name: str) -> Profile:
    """Return a profile by its name; raise SettingsError when there is none."""
    if name not in PROFILE_NAMES:
        raise SettingsError(
            f"there is no profile {name!r}", hint=f"valid profiles: {', '.join(PROFILE_NAMES)}"
        )
    text = (files("bythebook") / "profiles" / f"{name}.toml").read_text(encoding="utf-8")
    return Profile.model_validate(tomllib.loads(text))
