"""What docs/agents.md shows is what one gets: its programs are run, its configuration used."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters

from bythebook.mcp.tools import TOOLS
from bythebook.settings import Settings, load_settings, variable_of
from bythebook.web.routes.mcp import allowed_from
from tests.builders import ROOT
from tests.mcp.conftest import Connect
from tests.web.serving import Service

PAGE = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"
PROGRAMS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def at_home(tmp_path: Path, sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be where the page is read: beside an index, with the command on the path."""
    (tmp_path / ".bythebook").symlink_to(sample_index)
    folder = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_no_program_of_the_page_goes_untested() -> None:
    assert len(PROGRAMS) == PAGE.count("```python") == 5


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(("program", "shown"), PROGRAMS)
def test_a_program_of_the_page_prints_what_the_page_shows(
    program: str, shown: str, http: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(program.replace(ADDRESS, http.url), {})  # noqa: S102  # it is our own page
    assert capsys.readouterr().out.strip() == shown.strip()


@pytest.mark.usefixtures("at_home")
def test_the_configuration_of_the_page_starts_the_tools(connect: Connect, tmp_path: Path) -> None:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    book = json.loads(block)["mcpServers"]["book"]
    agent = connect(StdioServerParameters(**book, cwd=tmp_path))
    assert set(agent.tools()) == {tool.name for tool in TOOLS}


def test_the_page_names_every_tool_with_all_its_arguments() -> None:
    for tool in TOOLS:
        (row,) = re.findall(rf"^\| `{tool.name}` \|.*$", PAGE, re.MULTILINE)
        assert all(f"`{name}`" in row for name in tool.arguments.model_fields), tool.name


def test_the_settings_of_the_page_mean_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in re.findall(r"^export (\w+)=(\S+)", PAGE, re.MULTILINE):
        monkeypatch.setenv(name, value)
    allowed = allowed_from(load_settings())
    assert {"book.example.org", "localhost:*"} <= set(allowed.allowed_hosts)
    assert "https://reader.example.org" in allowed.allowed_origins


def test_every_setting_the_page_speaks_of_is_one() -> None:
    known = {variable_of(name) for name in Settings.model_fields}
    assert set(re.findall(r"BYTHEBOOK_[A-Z_]+", PAGE)) <= known
