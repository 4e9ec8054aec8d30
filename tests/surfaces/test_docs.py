"""What the documentation shows is what a reader gets: its commands are run, its code too."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bythebook.cli.main import main
from bythebook.settings import Settings
from tests.builders import SAMPLE

ROOT = SAMPLE.parents[1]
PAGES = ("README.md", "docs/cli.md")

_BLOCK = re.compile(r"```(?P<language>\w+)\n(?P<body>.*?)```", re.DOTALL)
# Seconds differ from run to run, and the last digit of a score from processor to processor, with
# what hangs on it: how many answers of a calibration were called high.
_VARYING = re.compile(
    r"(?<=in )\d+\.\d(?= s$)|(?<=^Confidence: )\w+ \(0\.\d\d\)$"
    r"|(?<=^Calibrated on )\d+ questions: of \d+(?= held)|\d+%(?= were right\.$)",
    re.MULTILINE,
)
_INDEX = "bythebook index examples/physical-ai --base-url https://example.org/physical-ai/"


def _blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [found["body"] for found in _BLOCK.finditer(text) if found["language"] == language]


def _sessions(page: str) -> list[tuple[str, str]]:
    """Return each command of a page's console blocks with the output shown below it."""
    sessions = []
    for block in _blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            sessions.append((command, output.strip()))
    return sessions


@pytest.fixture
def beside_the_sample_book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert main(shlex.split(_INDEX)[1:]) == 0
    capsys.readouterr()


@pytest.mark.usefixtures("beside_the_sample_book")
@pytest.mark.parametrize("page", PAGES)
def test_every_command_prints_what_the_page_shows(
    page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions = _sessions(page)
    assert sessions
    for command, shown in sessions:
        if command == _INDEX:  # as for a newcomer, with nothing to reuse
            (tmp_path / ".bythebook" / "index.json").unlink()
        main(shlex.split(command)[1:])
        printed = capsys.readouterr()
        output = printed.out or printed.err
        assert _VARYING.sub("N", output.strip()) == _VARYING.sub("N", shown), command


@pytest.mark.usefixtures("beside_the_sample_book")
def test_the_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for block in _blocks("README.md", "python"):
        exec(block, {})  # noqa: S102  # it is our own README
    assert "A costmap is a grid" in capsys.readouterr().out


@pytest.mark.usefixtures("beside_the_sample_book")
def test_the_response_shown_for_http_has_fields_that_a_real_one_has(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (shown,) = _blocks("docs/http.md", "json")
    main(["ask", "What is a costmap?", "--json"])
    real = json.loads(capsys.readouterr().out)
    _is_part(json.loads(shown), real)
    assert real["answer"]["text"].startswith(
        json.loads(shown)["answer"]["text"].removesuffix(" ...")
    )


def _is_part(shown: object, real: object, where: str = "response") -> None:
    assert type(shown) is type(real), where
    if isinstance(shown, dict) and isinstance(real, dict):
        for name, value in shown.items():
            assert name in real, f"{where} has no {name}"
            _is_part(value, real[name], f"{where}.{name}")
    elif isinstance(shown, list) and isinstance(real, list):
        _is_part(shown[0], real[0], f"{where}[0]")


def test_every_link_of_the_pages_leads_to_a_file() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_module_of_the_package_stands_on_the_architecture_page() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "bythebook"
    plain = {"__init__", "version", "api", "links", "markup", "sentences", "queries"}
    modules = {path.stem for path in package.glob("*.py")} - plain
    folders = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    assert {name for name in modules if f"{name}.py" not in page} == set()
    assert {name for name in folders if f"{name}/" not in page} == set()


def test_the_page_of_settings_is_made_of_the_options() -> None:
    written = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    tool = [sys.executable, str(ROOT / "tools/settings_page.py")]
    made = subprocess.run(tool, capture_output=True, text=True, check=True)
    assert written == made.stdout, "python tools/settings_page.py --write"
    listed = set(re.findall(r"^\| `(\w+)` \|", written, re.MULTILINE))
    assert listed == set(Settings.model_fields)
