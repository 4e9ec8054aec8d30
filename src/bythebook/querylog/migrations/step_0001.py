"""Document 004's two tables and three indexes, in its own words.

SQLite takes the same text; only its way to make a UUID and to tell the time differ.
"""

from __future__ import annotations

_DEFAULTS = {
    "postgresql": {"new_uuid": "gen_random_uuid()", "now": "NOW()"},
    "sqlite": {
        "new_uuid": "(lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4'"
        " || substr(hex(randomblob(2)), 2) || '-' || substr('89AB', 1 + (random() & 3), 1)"
        " || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))))",
        "now": "(strftime('%Y-%m-%d %H:%M:%f', 'now') || '000')",
    },
}

_SESSIONS = """
CREATE TABLE IF NOT EXISTS query_sessions (
  session_id UUID PRIMARY KEY DEFAULT {new_uuid},
  created_at TIMESTAMP DEFAULT {now},
  user_ip VARCHAR(45),
  query_count INTEGER DEFAULT 0,
  last_query_at TIMESTAMP
)"""

_QUERIES = """
CREATE TABLE IF NOT EXISTS queries (
  query_id UUID PRIMARY KEY DEFAULT {new_uuid},
  session_id UUID REFERENCES query_sessions(session_id),
  query_text TEXT NOT NULL,
  selected_text_length INTEGER,  -- Length only (privacy)
  mode VARCHAR(20) NOT NULL CHECK (mode IN ('standard_rag', 'selected_text_only')),
  status VARCHAR(20) NOT NULL CHECK (status IN ('success', 'refused', 'error')),
  refusal_reason TEXT,
  chunks_retrieved INTEGER,
  top_chunk_score FLOAT,
  processing_time_ms INTEGER,
  created_at TIMESTAMP DEFAULT {now}
)"""

_INDEXES = (
    "CREATE INDEX IF NOT EXISTS idx_sessions_ip_created ON query_sessions(user_ip, created_at)",
    "CREATE INDEX IF NOT EXISTS idx_queries_status ON queries(status, created_at)",
    "CREATE INDEX IF NOT EXISTS idx_queries_session ON queries(session_id)",
)


def statements(dialect: str) -> tuple[str, ...]:
    """Return the SQL of this step."""
    tables = (text.format(**_DEFAULTS[dialect]) for text in (_SESSIONS, _QUERIES))
    return (*tables, *_INDEXES)
