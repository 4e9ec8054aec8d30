"""Every option, described where it is declared.

Values come from the caller, then the environment (`BYTHEBOOK_INDEX=...`), then these defaults.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bythebook.errors import SettingsError


class Settings(BaseSettings):
    """What can be set, once for the whole program."""

    model_config = SettingsConfigDict(env_prefix="BYTHEBOOK_", extra="ignore", frozen=True)

    index: Path = Field(default=Path(".bythebook"), description="Folder of the index.")
    embedder: str = Field(default="minilm", description="Which embedder reads the book: minilm.")
    writer: str = Field(default="extractive", description="Who drafts answers: extractive.")
    threads: int = Field(
        default=0, ge=0, description="Processor threads for the embedder; 0 takes all cores."
    )


def load_settings(**given: object) -> Settings:
    """Return the settings, options that are None left to the environment and the defaults."""
    chosen = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**chosen)  # type: ignore[arg-type]  # pydantic checks the values
    except ValidationError as problem:
        first = problem.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise SettingsError(
            f"setting {name!r} has the value {first['input']!r}: {first['msg']}",
            hint=f"correct {name!r}, or unset BYTHEBOOK_{name.upper()}",
        ) from problem
