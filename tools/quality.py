"""Ask a file of questions and count right answers, right refusals and verbatim citations.

    python tools/quality.py QUESTIONS.jsonl --index DIR [--show]

A question has `answerable`, and if it is true `gold_pages` and maybe `gold_sentences`. An answer is
right when it cites a gold page; it is *on the spot* when a cited excerpt or the answer shares most
of the words of a gold sentence.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from bythebook import Answer, Query, open_book
from bythebook.terms import stem_set
from bythebook.types import Outcome

_MARKUP = re.compile(r"[*_`|]+")
_ON_THE_SPOT = 0.7


def main() -> None:
    """Run the questions and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="print every answer")
    parser.add_argument("--wrong", action="store_true", help="print what went wrong")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.questions.read_text().splitlines() if line]
    assistant = open_book(options.index)
    counts: Counter[str] = Counter()
    for row in rows:
        outcome = asyncio.run(assistant.ask(Query(text=row["question"])))
        verdict = judge(row, outcome)
        counts.update([verdict, "answerable" if row["answerable"] else "unanswerable"])
        counts["verbatim"] += count_verbatim(outcome)
        counts["citations"] += count_citations(outcome)
        counts["on the spot"] += is_on_the_spot(row, outcome)
        if options.show or (options.wrong and verdict.startswith("wrong")):
            show(row, verdict, outcome)
    for name, count in sorted(counts.items()):
        print(f"{name:<22}{count:>5}")


def judge(row: dict[str, Any], outcome: Outcome) -> str:
    """Return what happened to a question in two words."""
    answered = isinstance(outcome.result, Answer)
    if not row["answerable"]:
        return "wrong answer" if answered else "right refusal"
    if not isinstance(outcome.result, Answer):
        return "wrong refusal"
    pages = {citation.page_path for citation in outcome.result.citations}
    return "right page" if pages & set(row["gold_pages"]) else "wrong page"


def is_on_the_spot(row: dict[str, Any], outcome: Outcome) -> bool:
    """Tell whether the answer says what a gold sentence says."""
    if not row["answerable"] or not isinstance(outcome.result, Answer):
        return False
    shown = stem_set(outcome.result.text + " ".join(c.excerpt for c in outcome.result.citations))
    for sentence in row.get("gold_sentences", []):
        gold = stem_set(_MARKUP.sub(" ", sentence))
        if gold and len(gold & shown) >= _ON_THE_SPOT * len(gold):
            return True
    return False


def count_citations(outcome: Outcome) -> int:
    """Return how many citations an answer has."""
    return len(outcome.result.citations) if isinstance(outcome.result, Answer) else 0


def count_verbatim(outcome: Outcome) -> int:
    """Return how many citations quote the stored text exactly."""
    if not isinstance(outcome.result, Answer) or outcome.retrieval is None:
        return 0
    texts = {p.chunk.id: p.chunk.text for p in outcome.retrieval.passages}
    return sum(texts[c.chunk_id][c.start : c.end] == c.excerpt for c in outcome.result.citations)


def show(row: dict[str, Any], verdict: str, outcome: Outcome) -> None:
    """Print one question with what came of it."""
    print(f"--- {row['id']} [{verdict}] {row['question']}")
    result = outcome.result
    if isinstance(result, Answer):
        print(result.text)
        for citation in result.citations:
            print(f"   [{citation.index}] {citation.page_path} > {citation.section}")
        confidence = result.confidence
        print(f"   {confidence.model_dump()}")
    else:
        print(f"   {result.kind}: {getattr(result, 'explanation', getattr(result, 'message', ''))}")
    print(
        f"   gold: {row.get('gold_pages')} {row.get('gold_sentences', row.get('why_unanswerable'))}"
    )


if __name__ == "__main__":
    main()
