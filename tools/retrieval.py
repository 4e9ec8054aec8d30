"""Measure what is found for questions in other words than the book's.

    python tools/retrieval.py QUESTIONS.jsonl --index DIR [--split dev] [--check]

Counted for each question: whether the first passage, or one of the first five, stands on a gold
page, and whether a gold sentence stands in the first five. *Plain* is the search as it is, *handed
over* is what the assistant gives to the writer. The rows in between change one thing at a time.
`--check` shows which questions share a rare word with their page.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bythebook import open_book
from bythebook.assistant import Assistant
from bythebook.retrieval import Retriever
from bythebook.stores.base import Scope
from bythebook.terms import stem_set
from bythebook.types import Chunk, Passage, Query

# A word is rare when fewer than this share of the passages have it.
RARE = 0.05
TOP = 5

Row = dict[str, Any]
Find = Callable[[str], Sequence[Passage]]


def main() -> None:
    """Measure every way of finding passages and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--split", help="only the questions of this split")
    parser.add_argument("--check", action="store_true", help="show rare words that are shared")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.questions.read_text().splitlines() if line]
    rows = [row for row in rows if row["answerable"]]
    if options.split:
        rows = [row for row in rows if row.get("split") == options.split]
    assistant = open_book(options.index)
    if options.check:
        chunks = list(assistant._store.chunks())
        for row in rows:
            if shared := shared_rare_words(row, chunks):
                print(f"{row['id']} {row['question']!r} shares {', '.join(sorted(shared))}")
        return
    print(f"{'':<34}{'page @1':>18}{'page @5':>18}{'sentence @5':>18}")
    for name, find in ways(assistant).items():
        print(f"{name:<34}" + "".join(f"{cell:>18}" for cell in measure(rows, find)))


def ways(assistant: Assistant) -> dict[str, Find]:
    """Return each way of finding passages by its name."""
    retriever = assistant._retriever

    def weighted(weight: int) -> Find:
        return lambda text: retriever.store.search(
            text, retriever.embedder.embed_query(text), TOP, Scope(), weight
        )

    def handed_over(part: Retriever, threshold: float | None = None) -> Find:
        def find(text: str) -> Sequence[Passage]:
            assistant._retriever = part
            query = Query(text=text, top_k=TOP, threshold=threshold)
            outcome = asyncio.run(assistant.ask(query))
            return outcome.retrieval.passages if outcome.retrieval else ()

        return find

    same = replace(retriever, lexicon=None)
    return {
        "plain, words and meaning the same": weighted(1),
        "plain, meaning always twice": weighted(2),
        "plain, by the question": lambda text: retriever.retrieve(Query(text=text)).hits,
        "handed over, threshold 0.25, same": handed_over(same, 0.25),
        "handed over, threshold 0.25": handed_over(retriever, 0.25),
        "handed over, same": handed_over(same),
        "handed over": handed_over(retriever),
    }


def measure(rows: Iterable[Row], find: Find) -> list[str]:
    """Return the three counts as shares with their 95 % intervals."""
    first, page, sentence, asked = 0, 0, 0, 0
    for row in rows:
        asked += 1
        passages = list(find(row["question"]))[:TOP]
        right = [passage.chunk.page_path in row["gold_pages"] for passage in passages]
        first += right[:1] == [True]
        page += any(right)
        sentence += any(holds_gold(row, passage.chunk) for passage in passages)
    return [share(count, asked) for count in (first, page, sentence)]


def holds_gold(row: Row, chunk: Chunk) -> bool:
    """Tell whether a gold sentence stands in a chunk of a gold page."""
    text = plain(chunk.text)
    gold = (plain(sentence) for sentence in row.get("gold_sentences", []))
    return chunk.page_path in row["gold_pages"] and any(sentence in text for sentence in gold)


def plain(text: str) -> str:
    """Return the words of a text without its markup."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def share(count: int, total: int) -> str:
    """Return a share in percent with its 95 % Wilson interval."""
    if not total:
        return "-"
    z = 1.96
    middle = (count + z * z / 2) / (total + z * z)
    width = z * math.sqrt(count * (total - count) / total + z * z / 4) / (total + z * z)
    return f"{100 * count / total:.0f} [{100 * (middle - width):.0f}, {100 * (middle + width):.0f}]"


def shared_rare_words(row: Row, chunks: Sequence[Chunk]) -> set[str]:
    """Return the rare words that a question shares with its page, or with another gold sentence."""
    passages = [(chunk.page_path, stem_set(f"{chunk.context}\n{chunk.text}")) for chunk in chunks]
    asked = stem_set(row["question"])
    rare = {
        word for word in asked if sum(word in stems for _, stems in passages) < RARE * len(passages)
    }
    page = set().union(*(stems for path, stems in passages if path == row["gold_pages"][0]))
    others = set().union(*(stem_set(sentence) for sentence in row["gold_sentences"]))
    return rare & (page | others)


if __name__ == "__main__":
    main()
