"""From the numbers in an answer to the passages behind them, for the data models that differ."""

from __future__ import annotations

from collections.abc import Callable

from bythebook.markup import inert
from bythebook.types import Answer, Citation, Outcome, Passage, Retrieval


def ranked(retrieval: Retrieval | None) -> list[Passage]:
    """Return passages by descending similarity; the engine keeps them in the order of fusion."""
    passages = retrieval.passages if retrieval else ()
    return sorted(passages, key=lambda passage: passage.score, reverse=True)


def cited(outcome: Outcome, answer: Answer) -> list[Passage]:
    """Return the passages an answer cites, each once, by descending similarity."""
    used = {citation.chunk_id for citation in answer.citations}
    return [passage for passage in ranked(outcome.retrieval) if passage.chunk.id in used]


def carried_by(answer: Answer, citation: Citation) -> str:
    """Return the sentences of an answer that lean on a citation."""
    texts = (s.text for s in answer.sentences if citation.index in s.citations)
    return " ".join(text.strip() for text in texts)


def relabel(answer: Answer, label: Callable[[Citation], str]) -> str:
    """Return an answer's text with labels in place of its numbers, each once a sentence.

    A number is looked for only behind its own sentence, so that `a[1]` in a code block stays.
    """
    citations = {citation.index: citation for citation in answer.citations}
    parts: list[str] = []
    done = 0
    for sentence in answer.sentences:
        numbers = "".join(f"[{number}]" for number in sentence.citations)
        words = sentence.text.strip()
        at = answer.text.find(words, done)
        start = answer.text.find(numbers, done if at < 0 else at + len(words))
        if start < 0:
            continue
        # A title is the book's own words, which must not make a link of the brackets around them.
        labels = dict.fromkeys(inert(label(citations[number])) for number in sentence.citations)
        parts += [answer.text[done:start], " ".join(labels)]
        done = start + len(numbers)
    return "".join(parts) + answer.text[done:]
