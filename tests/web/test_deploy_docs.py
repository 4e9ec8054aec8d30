"""What the page on deploying, the image and the compose file name is really there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from bythebook.cli.main import app
from bythebook.contracts.grounded import ErrorCode
from bythebook.settings import Settings, variable_of
from tests.builders import ROOT, SAMPLE
from tests.web.processes import running_service
from tests.web.serving import Service

PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))

OURS = {variable_of(name) for name in Settings.model_fields}
# Read by OpenTelemetry, watchfiles, Qdrant and PostgreSQL themselves.
THEIRS = {"OTEL_SERVICE_NAME", "WATCHFILES_FORCE_POLLING", "POSTGRES_PASSWORD"}
_NAME = re.compile(
    r"\b(?:BYTHEBOOK|QDRANT|OPENAI|OPENROUTER|COHERE|DATABASE|REDIS|OTEL|WATCHFILES|POSTGRES)"
    r"_[A-Z][A-Z_]*[A-Z]\b"
)
_BLOCK = re.compile(r"```(?P<language>\w+)\n(?P<body>.*?)```", re.DOTALL)


def blocks(*languages: str) -> list[str]:
    return [found["body"] for found in _BLOCK.finditer(PAGE) if found["language"] in languages]


@pytest.mark.parametrize("text", [PAGE, DOCKERFILE], ids=["deploy.md", "Dockerfile"])
def test_every_setting_that_is_named_exists(text: str) -> None:
    named = set(_NAME.findall(text)) - set(ErrorCode)
    assert named
    assert named <= OURS | THEIRS


def test_every_setting_of_the_compose_file_exists_and_is_handed_on_under_its_name() -> None:
    environment = COMPOSE["services"]["app"]["environment"]
    assert set(environment) <= OURS
    for name, value in environment.items():
        for inner in re.findall(r"\$\{([A-Z_]+)", str(value)):
            assert inner in {name, "POSTGRES_PASSWORD"}


def test_the_compose_file_holds_together() -> None:
    services = COMPOSE["services"]
    assert set(services) == {"app", "qdrant", "postgres"}
    hosts = services["app"]["environment"]
    assert "//qdrant:" in hosts["QDRANT_URL"]
    assert "@postgres/" in hosts["DATABASE_URL"]
    assert set(services["app"]["depends_on"]) == {"qdrant", "postgres"}
    for name, service in services.items():
        assert "healthcheck" in service or name == "app"  # the app's stands in its image
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            assert source.startswith("./") or source in COMPOSE["volumes"], volume
    assert services["app"]["ports"] == ["127.0.0.1:8000:8000"]
    assert not services["postgres"].get("ports")
    assert not services["qdrant"].get("ports")


def test_whoever_ends_the_service_waits_long_enough_for_its_answers() -> None:
    needed = Settings.model_fields["shutdown_seconds"].default + 5
    waits = int(re.findall(r"TimeoutStopSec=(\d+)", PAGE)[0])
    assert waits > needed
    assert int(COMPOSE["services"]["app"]["stop_grace_period"].rstrip("s")) > needed


def test_the_image_runs_without_rights_and_is_watched() -> None:
    lines = [line.split() for line in DOCKERFILE.splitlines() if line]
    assert ["USER", "bythebook"] in lines
    assert "/healthz" in DOCKERFILE
    froms = [line[1] for line in lines if line[0] == "FROM"]
    assert all(re.fullmatch(r"python:3\.\d+-slim", image) for image in froms)
    assert COMPOSE["services"]["app"]["image"] == "bythebook"


def test_the_image_copies_everything_the_package_is_built_from() -> None:
    copied = set(" ".join(re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.M)).split())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = [
        "pyproject.toml",
        project["project"]["readme"],
        *project["project"]["license-files"],
        project["tool"]["hatch"]["version"]["path"],
        *wheel["packages"],
    ]
    assert {name.partition("/")[0] for name in needed} <= copied
    let_in = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{name}" for name in copied} <= set(let_in)


# Commands that name the service without calling it.
_OTHERS = {"build", "useradd", "logs", "venv", "install", "enable", "journalctl", "systemctl"}


def commands() -> list[list[str]]:
    """Return each call of `bythebook` on the page, as words."""
    lines = "".join(blocks("sh")).splitlines()
    lines += re.findall(r"^ExecStart=(.+)$", PAGE, re.MULTILINE)
    found = []
    for line in lines:
        words = shlex.split(line, comments=True)
        places = [n for n, word in enumerate(words) if Path(word).name in ("bythebook", "app")]
        if places and not _OTHERS & set(words):
            found.append(words[places[-1] + 1 :])
    return [words for words in found if words]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_of_the_page_exists_with_its_options(words: list[str]) -> None:
    command: Any = typer.main.get_command(app)
    words = list(words)
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    options = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


def test_the_page_shows_some_of_each() -> None:
    assert len(commands()) >= 8
    assert {words[0] for words in commands()} == {"index", "serve", "keys", "doctor"}


def test_every_address_of_the_page_is_a_route(service: Service) -> None:
    described = set(service.client.get("/openapi.json").json()["paths"]) | {"/mcp"}
    asked = set(re.findall(r"https?://(?:127\.0\.0\.1:8000|ask\.example\.org)(/[a-z/]+)", PAGE))
    assert {"/healthz", "/readyz", "/api/query", "/api/admin/reindex"} <= asked
    assert asked <= described
    events = re.findall(r"location ~ \^/\((.+)\)\$", PAGE)[0].split("|")
    assert {f"/{route}" for route in events} <= described


def test_the_figures_the_page_names_are_there(service: Service) -> None:
    named = set(re.findall(r"bythebook_\w+", PAGE))
    text = service.client.get("/metrics").text
    known = {name for name in named if re.search(rf"^(?:# TYPE )?{name}\b", text, re.MULTILINE)}
    assert named
    assert named == known


def test_the_first_step_works_as_it_is_written(tmp_path: Path) -> None:
    """The commands of step 1, but for the installation; with the sample as the book."""
    first = blocks("sh")[0].splitlines()
    index = next(line for line in first if " index " in line).replace("BOOK", str(SAMPLE))
    program = str(Path(sys.executable).with_name("bythebook"))
    subprocess.run([program, *shlex.split(index)[1:], "--no-calibrate"], check=True, cwd=tmp_path)
    with running_service(tmp_path / ".bythebook") as service:
        asks = [line for line in blocks("sh")[1].splitlines() if line.startswith("curl")]
        for line in asks:
            words = [
                word.replace("http://127.0.0.1:8000", service.url) for word in shlex.split(line)
            ]
            said = subprocess.run(
                [*words, "--silent", "--fail"], check=True, capture_output=True, text=True
            )
            assert '"status"' in said.stdout
    assert (tmp_path / ".bythebook-log").is_dir()
