"""What must be the same in a sentence and in the words of the book that carry it.

Models rarely invent whole sentences about a passage they were shown. They change a number, swap a
name, lose a "not" or an "if", turn "before" into "after". Each rule looks for one of these and none
tries to understand: where a rule cannot tell, the sentence is not carried, and the reason says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from bythebook.grounding.bindings import misplaced
from bythebook.grounding.certainty import changed_certainty
from bythebook.grounding.comparisons import reversed_comparisons
from bythebook.grounding.denials import changed_denials
from bythebook.grounding.exclusivity import unfounded_limits
from bythebook.grounding.identifiers import wrong_identifiers
from bythebook.grounding.inferences import consequences, turned_reasons
from bythebook.grounding.opposites import turned_words
from bythebook.grounding.quantities import wrong_quantities
from bythebook.grounding.reading import Reading, Word, read
from bythebook.grounding.roles import swapped_roles
from bythebook.grounding.substitutions import substituted
from bythebook.grounding.ways import turned_ways
from bythebook.grounding.wording import is_light, is_small, kin_of, stem_of
from bythebook.terms import stem, stem_set, words

# The least share of a claim's words that must stand in the book in the claim's own order, whatever
# the other rules say. It only stops what is shuffled: who does what is compared in roles.py, and
# above this share the rule found no false claim of tests/quality/claims.jsonl that was not found
# otherwise, and lost true ones that put the cause first.
_ORDER_FLOOR = 0.25

# The least share of a claim's words that must stand in the book as they are, endings aside, however
# many synonyms we know: a sentence all of other words is too far from the book to be its own.
# Of 253 true claims of the dev half one has less. tests/quality/test_small_model.py relies on it.
OWN_WORDS_FLOOR = 0.5

# Under this share of a sentence's words found in one span, the span does not carry it.
SUPPORT_FLOOR = 0.7

# What a small word that the rewording brought in costs, as a share of a word.
_LIGHT_COST = 0.5


@dataclass(frozen=True)
class Finding:
    """A rule that a claim breaks, and how, in words."""

    rule: str
    reason: str


# The rules whose word is final, whoever else thinks the claim is borne out: figures, names of
# commands, files and topics.
FIRM = frozenset(("quantity", "identifier"))


def support_of(claim: str, source: str) -> float:
    """Return the share of a claim's words that a source holds; 0 when the source says otherwise."""
    # Most spans have too little in common with a claim to be worth a closer look.
    if _too_far(claim, source):
        return 0.0
    here, there = read(claim), read(source)
    if _is_verbatim(here, there):
        return 1.0
    said, missing = _said(here, there)
    if not said or _absent(missing) or next(_wrong(claim, source, here, there, missing), None):
        return 0.0
    return 1 - _LIGHT_COST * len(missing) / len(said)


def is_verbatim(claim: str, source: str) -> bool:
    """Tell whether a claim is nothing but whole sentences of the source."""
    return _is_verbatim(read(claim), read(source))


def findings_of(claim: str, source: str) -> list[Finding]:
    """Return the rules that a claim breaks against a source, the plainest first."""
    here, there = read(claim), read(source)
    said, missing = _said(here, there)
    if not said:
        return [Finding("empty", "the claim says nothing that can be checked")]
    if _is_verbatim(here, there):
        return []
    return list(dict.fromkeys(_wrong(claim, source, here, there, missing)))


def reasons_of(claim: str, source: str) -> tuple[str, ...]:
    """Return why a source does not carry a claim, in words; nothing when it does."""
    return tuple(dict.fromkeys(finding.reason for finding in findings_of(claim, source)))


def shared_words(claim: str, source: str) -> int:
    """Return how many different words of a claim a source has, whatever it says of them."""
    return len(read(claim).tokens & read(source).tokens)


def _is_verbatim(claim: Reading, source: Reading) -> bool:
    sentences = {sentence.text for sentence in source.sentences}
    said = [sentence for sentence in claim.sentences if sentence.tokens]
    return bool(said) and all(sentence.text in sentences for sentence in said)


def _said(claim: Reading, source: Reading) -> tuple[list[Word], list[Word]]:
    """Return the words of a claim that carry meaning, and those that the source does not have."""
    said = [word for word in claim.words if word.is_content]
    return said, [word for word in said if not _is_there(word, source)]


def _wrong(
    claim: str, source: str, here: Reading, there: Reading, missing: list[Word]
) -> Iterator[Finding]:
    """Yield all that is wrong with a claim, the plainest first."""
    yield from _broken_rules(claim, source, here, there, missing)
    yield from (Finding("far", reason) for reason in _too_far(claim, source))
    for part in consequences(here):
        said = read(part)
        yield from _broken_rules(part, source, said, there, _said(said, there)[1])


def _broken_rules(
    claim: str, source: str, here: Reading, there: Reading, missing: list[Word]
) -> Iterator[Finding]:
    rules: dict[str, Callable[[], Iterable[str]]] = {
        "quantity": lambda: wrong_quantities(here.text, there.text),
        "identifier": lambda: wrong_identifiers(claim, source),
        "opposite": lambda: turned_words(here, there),
        "absent": lambda: _absent(missing),
        "denial": lambda: changed_denials(here, there),
        "certainty": lambda: changed_certainty(here, there),
        "limit": lambda: unfounded_limits(here, there),
        "role": lambda: swapped_roles(here, there),
        "way": lambda: turned_ways(here, there),
        "comparison": lambda: reversed_comparisons(here, there),
        "binding": lambda: misplaced(here, there),
        "substitution": lambda: substituted(here, there),
        "cause": lambda: turned_reasons(here, there),
        "order": lambda: _disorder(here, there),
    }
    for name, rule in rules.items():
        yield from (Finding(name, reason) for reason in rule())


def _too_far(claim: str, source: str) -> list[str]:
    """Return a reason when too few words of a claim, as it is written, stand in the source."""
    said = _weighty(claim)
    there = stem_set(source) | _plain_stems(source)
    own = [word for word in said if {stem(word), stem_of(word)} & there or word.isdigit()]
    if len(own) >= OWN_WORDS_FLOOR * len(said):
        return []
    return ["too few of its words are the book's"]


@lru_cache(maxsize=4_096)
def _plain_stems(source: str) -> frozenset[str]:
    """Return the stems of a text with irregular forms made plain: "sent" is "send"."""
    return frozenset(stem_of(word) for word in words(source))


@lru_cache(maxsize=1_024)
def _weighty(claim: str) -> tuple[str, ...]:
    return tuple(word for word in words(claim) if not (is_small(word) or is_light(word)))


def _is_there(word: Word, source: Reading) -> bool:
    is_known = not kin_of(word.lower).isdisjoint(source.stems)
    return is_known or word.is_unit or word.lower[0].isdigit()


def _may_be_missing(word: Word) -> bool:
    return is_light(word.lower) and word.text in (word.lower, word.lower.capitalize())


def _absent(missing: list[Word]) -> list[str]:
    return [f"{word.text!r} is not in the passage" for word in missing if not _may_be_missing(word)]


def _disorder(claim: Reading, source: Reading) -> list[str]:
    said = [word.token for word in claim.words if word.is_content]
    there = [word.token for word in source.words if word.is_content]
    endings = _endings(claim)
    is_turned = "than" in endings or any(pair in _PASSIVE for pair in pairwise(endings))
    if is_turned or _in_order(said, there) >= _ORDER_FLOOR * len(said):
        return []  # a passive or a comparison may be turned round, and has its own rule
    return ["the words stand in another order in the passage"]


def _endings(text: Reading) -> list[str]:
    return [word.lower if word.lower in (*_BE, "than") else word.lower[-2:] for word in text.words]


_BE = ("is", "are", "was", "were", "be", "been", "gets")
_PASSIVE = {(auxiliary, ending) for auxiliary in _BE for ending in ("ed", "en", "nt", "ad")}


def _in_order(left: list[str], right: list[str]) -> int:
    """Return the length of the longest run of words, gaps allowed, that both have in order."""
    row = [0] * (len(right) + 1)
    for word in left:
        before = 0
        for column, other in enumerate(right, start=1):
            above = row[column]
            row[column] = before + 1 if word == other else max(above, row[column - 1])
            before = above
    return row[-1]
