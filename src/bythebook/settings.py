"""Every option, described where it is declared.

Values come from the caller, then the environment, then a `.env` file, then `bythebook.toml`, then
these defaults. Our own options carry the prefix `BYTHEBOOK_` in the environment; keys and addresses
have the names that their vendors gave them. In `bythebook.toml` every option goes by its name here.
"""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from dotenv import dotenv_values
from pydantic import AliasChoices, BeforeValidator, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from bythebook.errors import SettingsError

TOML_FILE = "bythebook.toml"
ENV_FILE = ".env"
_PREFIX = "BYTHEBOOK_"


def _vendor(name: str) -> AliasChoices:
    """Return the names of an option that has a vendor's name in the environment."""
    return AliasChoices(name.lower(), name)


def _split(value: object) -> object:
    """Return the names of a list, which in the environment stand between commas or as JSON."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return json.loads(value)  # what is wrong with it, pydantic says
    return tuple(name.strip().rstrip("/") for name in value.split(",") if name.strip())


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]


class Settings(BaseSettings):
    """What can be set, once for the whole program."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        env_file=ENV_FILE,
        env_ignore_empty=True,
        toml_file=TOML_FILE,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    index: Path = Field(default=Path(".bythebook"), description="Folder of the index.")
    threads: int = Field(
        default=0, ge=0, description="Processor threads for embedder and reader; 0 takes all cores."
    )

    embedder: str = Field(
        default="minilm",
        description="Who embeds: minilm, cohere:MODEL or openai:MODEL.",
    )
    embedder_base_url: str | None = Field(
        default=None, description="Address of the embedding service, when it is not the vendor's."
    )
    embedder_dimensions: int | None = Field(
        default=None, ge=1, description="Length of the vectors, for models that let one choose."
    )
    cohere_api_key: SecretStr | None = Field(
        default=None, validation_alias=_vendor("COHERE_API_KEY"), description="Key for Cohere."
    )

    reader: Literal["minilm", "none"] = Field(
        default="minilm",
        description="Who tells whether a passage answers: minilm, or none for rules alone.",
    )

    writer: str = Field(default="extractive", description="Who drafts: extractive or agent.")
    agent_mode: Literal["direct", "tool"] = Field(
        default="direct",
        description="direct: one call with the passages; tool: the model searches the book itself.",
    )
    temperature: float = Field(
        default=0.2, ge=0.1, le=0.3, description="How freely the model writes, 0.1 to 0.3."
    )
    context_tokens: int = Field(
        default=8192, ge=512, description="What the model can read and write together."
    )
    model_timeout_seconds: float = Field(
        default=30.0, gt=0, description="How long one call of the model may take."
    )
    model_deadline_seconds: float = Field(
        default=60.0, gt=0, description="How long all calls for one answer may take together."
    )
    openai_api_key: SecretStr | None = Field(
        default=None,
        validation_alias=_vendor("OPENAI_API_KEY"),
        description="Key for OpenAI or a compatible server.",
    )
    openai_base_url: str | None = Field(
        default=None,
        validation_alias=_vendor("OPENAI_BASE_URL"),
        description="Address of a compatible server, such as Ollama, vLLM or llama.cpp.",
    )
    openai_model: str = Field(
        default="gpt-4o-mini",
        validation_alias=_vendor("OPENAI_MODEL"),
        description="Model that writes.",
    )
    openrouter_api_key: SecretStr | None = Field(
        default=None,
        validation_alias=_vendor("OPENROUTER_API_KEY"),
        description="Key for OpenRouter, which is used when no key for OpenAI is set.",
    )

    qdrant_url: str | None = Field(
        default=None,
        validation_alias=_vendor("QDRANT_URL"),
        description="Address of a Qdrant server, or of several nodes of a cluster, by commas.",
    )
    qdrant_api_key: SecretStr | None = Field(
        default=None, validation_alias=_vendor("QDRANT_API_KEY"), description="Key for Qdrant."
    )
    qdrant_collection: str = Field(
        default="bythebook",
        validation_alias=AliasChoices("qdrant_collection", "QDRANT_COLLECTION_NAME"),
        description="Name of the book on the Qdrant server.",
    )
    qdrant_prefer_grpc: bool = Field(default=False, description="Speak gRPC with Qdrant.")
    qdrant_shard_number: int | None = Field(
        default=None, ge=1, description="Parts of a new collection in a cluster."
    )
    qdrant_replication_factor: int | None = Field(
        default=None, ge=1, description="Copies of each part of a new collection."
    )
    qdrant_write_consistency_factor: int | None = Field(
        default=None, ge=1, description="Copies that must confirm a write."
    )
    qdrant_quantization: bool = Field(
        default=False, description="Keep int8 vectors in memory on the server."
    )
    fields: dict[str, str] = Field(
        default_factory=dict,
        description="Which payload keys of someone else's collection hold text, url, chapter, ...",
    )

    concurrency: int = Field(
        default=0,
        ge=0,
        description="Questions the service works on at once; 0 fits it to the cores and engines.",
    )
    cors_origins: Names = Field(
        default=(), description="Websites whose pages may ask the service, such as the book's own."
    )
    allowed_hosts: Names = Field(
        default=(),
        description="Names /mcp is reached by besides this machine's own; '*' stands for any.",
    )
    max_body_bytes: int = Field(
        default=65_536, ge=1024, description="Largest request the service reads."
    )
    heartbeat_seconds: float = Field(
        default=10.0, gt=0, description="How often a stream with nothing to say shows it is alive."
    )
    session_idle_seconds: int = Field(
        default=1800, ge=1, description="How long an unused session is kept."
    )
    max_sessions: int = Field(
        default=10_000, ge=1, description="Sessions kept at once; the longest unused goes first."
    )
    shutdown_seconds: int = Field(
        default=30, ge=1, description="How long running answers may take when the service ends."
    )

    rate_limit: str = Field(
        default="30/minute", description="Questions of one address, like 30/minute; off for any."
    )
    rate_limit_per_key: str = Field(
        default="300/minute", description="Questions with one API key; off for any."
    )
    trusted_proxies: Names = Field(
        default=(),
        description="Networks of proxies whose X-Forwarded-For is believed, like 10.0.0.0/8.",
    )
    keys_file: Path | None = Field(
        default=None, description="File of the API keys; without it, one beside the index."
    )
    require_key: bool = Field(default=False, description="Whether asking needs an API key.")
    daily_token_budget: int = Field(
        default=0,
        ge=0,
        description="Model tokens a day; then the book is quoted until midnight UTC. 0 for any.",
    )
    redis_url: SecretStr | None = Field(
        default=None,
        validation_alias=_vendor("REDIS_URL"),
        description="Redis for what several workers share: sessions, limits and the budget.",
    )
    redis_prefix: str = Field(
        default="bythebook", description="Beginning of all names in Redis, one for each book."
    )

    log_format: Literal["text", "json"] = Field(
        default="text", description="How the service logs: lines for people, or JSON."
    )
    otel_exporter_otlp_endpoint: str | None = Field(
        default=None,
        validation_alias=_vendor("OTEL_EXPORTER_OTLP_ENDPOINT"),
        description="Address of an OpenTelemetry collector that takes traces over HTTP.",
    )
    source: Path | None = Field(
        default=None,
        description="Folder of the book, to index it anew; without it, where the index came from.",
    )
    watch: bool = Field(
        default=False, description="Whether the service indexes the book anew when it changes."
    )
    reload_seconds: float = Field(
        default=5.0,
        ge=0,
        description="How often the service looks for an index another process made; 0 for never.",
    )

    query_log: bool = Field(
        default=True, description="Whether the service logs questions; answers never are."
    )
    database_url: SecretStr | None = Field(
        default=None,
        validation_alias=_vendor("DATABASE_URL"),
        description="PostgreSQL for the query log; without it, a file beside the index.",
    )
    log_ip: Literal["full", "hashed", "none"] = Field(
        default="hashed", description="What the query log keeps of a reader's address."
    )
    log_salt: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="Secret for hashing addresses alike on several machines.",
    )
    log_retention_days: int = Field(
        default=90, ge=0, description="Days after which logged questions are deleted; 0 for never."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read `bythebook.toml` after everything else."""
        del file_secret_settings
        toml = TomlConfigSettingsSource(settings_cls)
        return init_settings, env_settings, dotenv_settings, toml


def variable_of(name: str) -> str:
    """Return the environment variable of an option."""
    alias = _field(name).validation_alias
    if isinstance(alias, AliasChoices):
        return str(alias.choices[-1])
    return f"{_PREFIX}{name.upper()}"


def load_settings(**given: object) -> Settings:
    """Return the settings, options that are None left to the environment and the defaults."""
    chosen = {name: value for name, value in given.items() if value is not None}
    try:
        settings = Settings(**chosen)  # type: ignore[arg-type]  # pydantic checks the values
    except ValidationError as problem:
        raise _settings_error(problem) from problem
    except tomllib.TOMLDecodeError as problem:
        raise SettingsError(
            f"{TOML_FILE} is not valid TOML: {problem}", hint=f"correct {TOML_FILE}"
        ) from problem
    _refuse_unknown()
    return settings


def _refuse_unknown() -> None:
    """Raise for a name that is like ours but is none: what it was meant to set would not be set."""
    options = list(Settings.model_fields)
    variables = [variable_of(name) for name in options]
    for place, name in _ours_in_environment():
        if name not in variables:
            raise _unknown(place, name, variables)
    for name in _in_toml():
        if name not in options and name not in variables:
            raise _unknown(TOML_FILE, name, options)


def _ours_in_environment() -> Iterator[tuple[str, str]]:
    """Yield the variables with our prefix; as everywhere, small letters are as good as capitals."""
    places = {"the environment": list(os.environ), ENV_FILE: list(dotenv_values(ENV_FILE))}
    for place, found in places.items():
        for name in found:
            if name.upper().startswith(_PREFIX):
                yield place, name.upper()


def _in_toml() -> list[str]:
    file = Path(TOML_FILE)
    return list(tomllib.loads(file.read_text(encoding="utf-8"))) if file.is_file() else []


def _unknown(place: str, name: str, options: Sequence[str]) -> SettingsError:
    bare = name.removeprefix(_PREFIX)
    alike = [bare] if bare in options else difflib.get_close_matches(name, options, n=1)
    return SettingsError(
        f"{place} has the setting {name!r}, which does not exist",
        hint=f"did you mean {alike[0]}?" if alike else "remove it or correct its name",
    )


def _settings_error(problem: ValidationError) -> SettingsError:
    first = problem.errors(include_input=True)[0]
    name = _option(str(first["loc"][0]))
    # A key must not be shown, not even a wrong one.
    is_secret = name.endswith("key") or "SecretStr" in str(_field(name).annotation)
    shown = "" if is_secret else f" has the value {first['input']!r}"
    return SettingsError(
        f"setting {name!r}{shown}: {first['msg']}",
        hint=f"correct {name!r}, or unset {variable_of(name)}",
    )


def _option(location: str) -> str:
    """Return the name of the option that an error speaks of by its name or its variable."""
    by_variable = {variable_of(name).lower(): name for name in Settings.model_fields}
    return by_variable.get(location.lower(), location)


def _field(name: str) -> FieldInfo:
    return Settings.model_fields[name]
