"""The SQL of the page runs on both databases and finds what it says."""

from __future__ import annotations

import re
from uuid import uuid4

from bythebook.querylog.base import Feedback
from bythebook.querylog.database import LogDatabase
from bythebook.querylog.tables import metadata
from bythebook.settings import Settings, variable_of
from tests.builders import ROOT
from tests.querylog.entries import NOW, entry, refused
from tests.querylog.places import Place

PAGE = (ROOT / "docs" / "querylog.md").read_text(encoding="utf-8")


def test_the_sql_of_the_page_finds_what_it_says(database: LogDatabase, place: Place) -> None:
    session = uuid4()
    liked, disliked = entry("liked"), entry("disliked")
    database.write(
        [
            *(refused(text, session_id=session) for text in ("Why?", "why?", "When?")),
            liked,
            disliked,
            Feedback(query_id=liked.query_id, helpful=True, created_at=NOW),
            Feedback(query_id=disliked.query_id, helpful=False, created_at=NOW),
        ]
    )
    blocks = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    open_questions, reasons, unhelpful, unlucky = (place.query(block) for block in blocks)
    assert [row[:2] for row in open_questions] == [("why?", 2), ("when?", 1)]
    assert reasons == [("low_relevance:off_topic", 3)]
    assert [row[0] for row in unhelpful] == ["disliked"]
    assert [(str(row[0]), row[1]) for row in unlucky] == [(str(session), 3)]


def test_every_table_and_column_stands_on_the_page() -> None:
    for name, table in metadata.tables.items():
        (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{name}`"))
        listed = re.findall(r"`(\w+)`", row)
        assert listed == [name, *(column.name for column in table.columns)]


def test_every_setting_of_the_log_stands_on_the_page() -> None:
    names = [
        name for name in Settings.model_fields if name.startswith("log_") and name != "log_format"
    ]
    for name in (*names, "query_log", "database_url"):
        assert f"| `{variable_of(name)}` | `{name}` |" in PAGE
