"""How much an answer can be leaned on: the four factors of document 000, computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bythebook.focus import Focus
from bythebook.grounding.support import CheckedSentence
from bythebook.terms import stem_set
from bythebook.types import Confidence, Passage


def assess(
    focus: Focus,
    checked: Sequence[CheckedSentence],
    passages: Mapping[str, Passage],
) -> Confidence:
    """Return the confidence in an answer made of checked sentences."""
    cited = [passages[span.chunk_id] for sentence in checked for span in sentence.evidence]
    source = stem_set(" ".join(f"{p.chunk.context} {p.chunk.text}" for p in cited))
    words = stem_set(" ".join(sentence.sentence.text for sentence in checked))
    answer = words | stem_set(" ".join(passage.chunk.context for passage in cited))
    return Confidence(
        retrieval_quality=max((passage.score for passage in cited), default=0.0),
        coverage_score=focus.share(answer),
        entailment_score=min((sentence.support for sentence in checked), default=0.0),
        lexical_overlap=len(words & source) / len(words) if words else 0.0,
    )
