"""What is denied on one side only: a "not" lost, added, or moved to another word.

A denial is compared by what it reaches, not by where it stands: "no one knows the radius" denies
what "the radius is never known" does. It reaches the first words behind it in its own clause, and
where it ends a clause ("a sensor that does not"), what was said before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bythebook.grounding.reading import Clause, Reading, Word, forms_of, nearest
from bythebook.grounding.wording import is_light, kin_of, stem_of

_DENIALS = frozenset(
    "not no never none without neither nor nothing nobody hardly instead non".split()
)
# These say it the other way round: "values would otherwise stretch it", "this avoids a jump".
_TURNS = frozenset("otherwise avoid avoids avoided prevent prevents prevented".split())
_NOT_YET = frozenset("before until".split())  # "before it is finished" is unfinished
_WHOLE = frozenset("nothing none nobody".split())  # these deny by themselves: "costs nothing"
_SUPPOSED = frozenset("if when unless without".split())
_POINTS_BACK = frozenset("it one them this these".split())
_TIGHT = frozenset(("non",))  # "unchanged": the next word and no more

# How many words with content a denial reaches, and how many when it ends its clause.
_REACH = 3
_REACH_BACK = 8


@dataclass(frozen=True)
class _Denial:
    mark: str
    scope: tuple[Word, ...]  # what it reaches, the nearest first
    is_ellipsis: bool = False
    before: tuple[Word, ...] = ()  # what it is said of, in the same clause
    next: Clause | None = None  # what goes on with its list: "never print, open a file or wait"

    @property
    def head(self) -> Word | None:
        """What it denies first of all, when that is told."""
        return self.scope[0] if self.scope and not self.is_ellipsis else None


def changed_denials(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each statement that is denied on one side only."""
    here, there = _denials_of(claim, _DENIALS), _denials_of(source, _DENIALS)
    if here and not there and not _denials_of(source, _TURNS | _NOT_YET):
        return [f"{here[0].mark!r} is in only one of them"]
    return [
        *_added(here, [*there, *_denials_of(source, _TURNS)], _denials_of(source, _NOT_YET)),
        *_lost(claim, source, here, there),
        *_lost_phrases(claim, source, here, there),
        *_lost_statements(claim, source, here, there),
        *_turned_clauses(claim, source, here, there),
    ]


def _denials_of(text: Reading, marks: frozenset[str]) -> list[_Denial]:
    found = []
    earlier: list[Word] = []
    for sentence in text.sentences:
        before: list[Word] = []
        parts = [part for part in text.clauses if part.sentence == sentence.sentence]
        for clause, following in zip(parts, [*parts[1:], None], strict=False):
            goes_on = following if following and _is_listed(following) else None
            for place, word in enumerate(clause.words):
                if word.lower in marks:
                    denial = _denial(clause.words, place, before, earlier)
                    if goes_on and denial.mark in ("never", "not", "no") and denial.head:
                        scope = (*denial.scope, *_content(goes_on.words)[:_REACH])
                        denial = replace(denial, scope=scope, next=goes_on)
                    found.append(denial)
            before += clause.words
        earlier = [*earlier, *sentence.words]
    return found


def _is_listed(clause: Clause) -> bool:
    """Tell whether a clause goes on with a list: ", open a file or wait", not ", it opens"."""
    is_list = clause.text.startswith(", ") and "or" in clause.lowers
    return is_list and clause.words[0].is_content


def _denial(
    words: Sequence[Word], place: int, before: Sequence[Word], earlier: Sequence[Word] = ()
) -> _Denial:
    mark = words[place].lower
    # "does not move and no error appears": the second denial ends what the first one reaches.
    ends = _DENIALS | {"and"} if mark in ("without", "instead") else _DENIALS
    end = next((n for n in range(place + 1, len(words)) if words[n].lower in ends), len(words))
    behind = _content(words[place + 1 : end])
    if mark == "otherwise":
        # "Enter it, otherwise it fails": what would not be done is what stands before it.
        around = [*_content(before)[-_REACH_BACK:], *_content(words)]
        return _Denial(mark, tuple(around), is_ellipsis=True)
    if mark in _WHOLE:
        around = [*reversed(_content(words[:place])[-2:]), *behind[:2]]
        return _Denial(mark, tuple(around), is_ellipsis=True)
    if behind:
        subject = () if mark in _TIGHT else tuple(_content(words[:place]))
        return _Denial(mark, tuple(behind[: 1 if mark in _TIGHT else _REACH]), before=subject)
    # "Without it" denies what the sentence before was about.
    said = [*_content(before), *_content(words[:place])][-_REACH_BACK:]
    if not said or any(word.lower in _POINTS_BACK for word in words[place + 1 : place + 2]):
        said = [*_content(earlier), *said]
    return _Denial(mark, tuple(reversed(said)), is_ellipsis=True)


def _content(words: Sequence[Word]) -> list[Word]:
    return [
        word for word in words if (word.is_content and not word.is_unit) or word.lower in _VERBAL
    ]


# Words that say too little to be looked for, and enough to be denied.
_VERBAL = frozenset("used use uses needed need needs given made".split())


def _is_same(one: _Denial, other: _Denial) -> bool:
    """Tell whether what the one denies first is within reach of the other."""
    if one.mark in _TIGHT or other.mark in _TIGHT:
        return _has_head_of(one, other)
    return (one.head is not None and _is_among(one.head, other.scope)) or (
        other.head is not None and _is_among(other.head, one.scope)
    )


def _is_among(word: Word, others: Sequence[Word]) -> bool:
    return not kin_of(word.lower).isdisjoint(form for other in others for form in forms_of(other))


def _added(
    here: Sequence[_Denial], there: Sequence[_Denial], not_yet: Sequence[_Denial]
) -> Iterator[str]:
    for denial in here:
        known = [*there, *not_yet] if denial.mark in _TIGHT else there
        if denial.head and not any(_is_same(denial, other) for other in known):
            yield f"{denial.head.lower!r} is denied, but not in the passage"


def _lost(
    claim: Reading, source: Reading, here: Sequence[_Denial], there: Sequence[_Denial]
) -> Iterator[str]:
    """Yield each word of a claim that the source has behind a "not" only."""
    reached = {id(word) for denial in there for word in denial.scope if not denial.is_ellipsis}
    free = [word for clause in source.clauses for word in clause.words if id(word) not in reached]
    said = _content(claim.words)
    for denial in there:
        if denial.head is None or _is_kept(denial, here, there):
            continue
        if is_light(denial.head.lower) and len(denial.scope) > 1:
            continue  # "costs no time at run time": the phrase tells, its first word does not
        if any(_is_head(word, denial) and not _is_among(word, free) for word in said):
            yield f"{denial.head.lower!r} is denied in the passage"
        listed = _content(denial.next.words)[:1] if denial.next else []
        if listed and any(_is_among(word, listed) and not _is_among(word, free) for word in said):
            yield f"{listed[0].lower!r} is denied in the passage"


def _is_head(word: Word, denial: _Denial) -> bool:
    if denial.head is None or denial.mark in _TIGHT:
        return denial.head is not None and stem_of(denial.head.lower) == stem_of(word.lower)
    return _is_among(word, (denial.head,))


def _is_kept(denial: _Denial, here: Sequence[_Denial], there: Sequence[_Denial]) -> bool:
    """Tell whether a claim has a denial of the source, and has it for no other one."""
    others = [other for other in there if other is not denial]
    return any(
        _is_same(denial, found)
        for found in here
        if _has_head_of(found, denial) or not any(_has_head_of(found, other) for other in others)
    )


def _has_head_of(one: _Denial, other: _Denial) -> bool:
    return one.head is not None and other.head is not None and _is_among(one.head, (other.head,))


def _lost_phrases(
    claim: Reading, source: Reading, here: Sequence[_Denial], there: Sequence[_Denial]
) -> Iterator[str]:
    """Yield what is said in a clause and nowhere in the source but behind a "not"."""
    free = [_stems(clause) for clause in source.clauses if not _is_denied(clause)]
    said = [_stems(clause) for clause in claim.clauses if not _is_denied(clause)]
    for denial in there:
        if denial.is_ellipsis or _is_kept(denial, here, there):
            continue
        denied = {stem_of(word.lower) for word in denial.scope if not is_light(word.lower)}
        for shared in (denied & stems for stems in said):
            if len(shared) > 1 and not any(shared <= stems for stems in free):
                yield f"{' '.join(sorted(shared))!r} is denied in the passage"


def _stems(clause: Clause) -> set[str]:
    return {stem_of(word.lower) for word in clause.words if word.is_content}


def _lost_statements(
    claim: Reading, source: Reading, here: Sequence[_Denial], there: Sequence[_Denial]
) -> Iterator[str]:
    """Yield what a claim says of a thing of which the source has it behind a "not" only."""
    free = [clause.words for clause in source.clauses if not _is_denied(clause)]
    for denial in there:
        told = [word for word in (*denial.before, denial.head) if word]
        if not denial.before or denial.head is None or _is_kept(denial, here, there):
            continue
        is_said = any(_are_among(told, clause.words) for clause in claim.clauses)
        if is_said and not any(_are_among(told, words) for words in free):
            yield f"{denial.head.lower!r} is denied in the passage"


def _are_among(words: Sequence[Word], others: Sequence[Word]) -> bool:
    return all(_is_among(word, others) for word in words)


def _turned_clauses(
    claim: Reading, source: Reading, here: Sequence[_Denial], there: Sequence[_Denial]
) -> Iterator[str]:
    """Yield a reason where the clause nearest to one of a claim says the same without "not"."""
    for clause in claim.clauses:
        near = nearest(clause, source.clauses)
        if near and all(_is_turned(clause, other, here, there) for other in near):
            names = sorted((clause.lowers | near[0].lowers) & _DENIALS)
            yield f"{names[0]!r} is in only one of them"


def _is_turned(
    clause: Clause, other: Clause, here: Sequence[_Denial], there: Sequence[_Denial]
) -> bool:
    """Tell whether one of two clauses denies what the other says."""
    if _is_denied(clause) == _is_denied(other):
        return False
    if _is_denied(clause):
        own = _own(clause)
        if own[0].mark in _TIGHT and other.lowers & _NOT_YET:
            return False
        if not _TURNS.isdisjoint(other.lowers) and all(
            denial.head is None or denial.head.lower not in _TURNS for denial in own
        ):
            return False  # "there is no lock" for "it avoids the lock"
        if clause.words[0].lower in _SUPPOSED:
            return False  # "if there is no pose" does not say that there is none
        goes_on = [denial for denial in there if denial.next is other]
        own = [denial for denial in own if not any(_is_same(denial, listed) for listed in goes_on)]
        return "otherwise" not in other.lowers and any(_is_said(denial, other) for denial in own)
    own = [denial for denial in _own(other) if not _is_kept(denial, here, there)]
    return any(_is_said(denial, clause) for denial in own if denial.mark not in _TIGHT)


def _own(clause: Clause) -> list[_Denial]:
    words = clause.words
    return [_denial(words, n, ()) for n, word in enumerate(words) if word.lower in _DENIALS]


def _is_said(denial: _Denial, clause: Clause) -> bool:
    if not denial.scope:
        return True
    telling = [word for word in denial.scope if not is_light(word.lower)]
    # Light words tell which is meant only together: "no time at run time".
    return any(_is_among(word, clause.words) for word in telling) or (
        not telling and _are_among(denial.scope, clause.words)
    )


def _is_denied(clause: Clause) -> bool:
    return not clause.lowers.isdisjoint(_DENIALS)
