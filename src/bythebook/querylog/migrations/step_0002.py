"""Our own table: whether readers found answers helpful.

It does not refer to `queries`: with several workers a reader's word may be written before the
question it speaks of, and must not be lost for that.
"""

from __future__ import annotations


def statements(dialect: str) -> tuple[str, ...]:
    """Return the SQL of this step."""
    del dialect  # both take the same words
    return (
        """
CREATE TABLE IF NOT EXISTS query_feedback (
  query_id UUID PRIMARY KEY,
  helpful BOOLEAN NOT NULL,
  created_at TIMESTAMP NOT NULL
)""",
    )
