"""Record what the shipped reader says of a few pairs, for the test that it still says so.

Run after an export, with the project's own environment: `python -m training.record`.
"""

from __future__ import annotations

import json
from pathlib import Path

from bythebook.readers.minilm import MiniLMReader

RECORDED = Path(__file__).parents[1] / "tests/unit/readers/recorded.jsonl"

LIGHTHOUSE = (
    "The lighthouse at Cape Arrow was built in 1822 by Anna Lindqvist, who also drew the plans of"
    " the harbour. Its lamp burned whale oil until 1874. Today an electric lamp of 400 watts is"
    " seen from 30 kilometres away."
)
CONFIG = (
    "Settings\n- port: the port the server listens on; 8080 unless you set it\n"
    "- workers: how many processes answer requests\n\n"
    "A change of these settings takes effect after a restart. The log level is read again every"
    " minute."
)
TEA = "Green tea is steeped at 70 degrees for two minutes. Black tea stands boiling water."

PAIRS = [
    ("Who built the lighthouse at Cape Arrow?", LIGHTHOUSE),
    ("Who painted the lighthouse at Cape Arrow?", LIGHTHOUSE),
    ("What did the lamp burn before it was electric?", LIGHTHOUSE),
    ("How many keepers lived in the lighthouse?", LIGHTHOUSE),
    ("Which port does the server use by default?", CONFIG),
    ("When does a changed setting take effect?", CONFIG),
    ("How do I encrypt the log?", CONFIG),
    ("How hot should the water for green tea be?", TEA),
    ("The lighthouse was built in 1822.", LIGHTHOUSE),
    ("The lighthouse was built in 1922.", LIGHTHOUSE),
    ("Green tea is made with boiling water.", TEA),
    ("The server answers requests with several processes.", CONFIG),
]


def main() -> None:
    reader = MiniLMReader(threads=1)
    lines = []
    for first, passage in PAIRS:
        (reading,) = reader.read(first, [passage])
        (support,) = reader.supports([first], [passage])
        line = {
            "first": first,
            "passage": passage,
            "answerable": round(reading.probability, 4),
            "evidence_sentence": passage[reading.sentence_start : reading.sentence_end],
            "supported": round(support, 4),
        }
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    RECORDED.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
