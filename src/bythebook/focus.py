"""What a question is about, as this book words it: its terms, their weights, their other names."""

from __future__ import annotations

from collections.abc import Callable

from bythebook.expectations import expected
from bythebook.lexicon import Lexicon, names_in
from bythebook.questions import Question
from bythebook.terms import manner_terms, stem, stems


class Focus:
    """A question seen through the lexicon of a book."""

    def __init__(
        self, question: Question, lexicon: Lexicon, is_everyday: Callable[[str], bool]
    ) -> None:
        self.question = question
        self.expected = expected(question.text)
        self._is_everyday = is_everyday
        self.weights = {term: lexicon.weight(term) for term in question.terms}
        self.manner = manner_terms(question.text)
        self.total = sum(self.weights.values())
        self._lexicon = lexicon
        self._other_names = {term: self._names_of(term) for term in question.terms}

    def _names_of(self, term: str) -> tuple[frozenset[str], ...]:
        """Return what else the book may say for a term: ZMP for each of zero, moment and point."""
        asked = set(self.question.terms)
        names = [
            frozenset({short})
            for short, spelled_out in self._lexicon.aliases.items()
            if term in spelled_out and spelled_out <= asked
        ]
        if term in self._lexicon.aliases:
            names.append(self._lexicon.aliases[term])
        return tuple(names)

    def speaks_of(self, term: str, text: frozenset[str]) -> bool:
        """Tell whether a text, given by its stems, speaks of a term of the question."""
        return term in text or any(name <= text for name in self._other_names[term])

    def share(self, text: frozenset[str]) -> float:
        """Return the share of the question that a text speaks of, telling terms counting more."""
        if not self.total:
            return 0.0
        found = sum(w for term, w in self.weights.items() if self.speaks_of(term, text))
        return min(1.0, found / self.total)

    def unknown(self) -> dict[str, bool]:
        """Return the reader's words that stand nowhere in the book, and whether each is everyday.

        An everyday word may be the reader's own for something the book words otherwise; a special
        one, or a name, is most likely a thing the book does not treat.
        """
        names = {name.lower(): name for name in self._names_asked_for()}
        missing: dict[str, bool] = {}
        for term, word in self.question.terms.items():
            if word in names and word not in self._lexicon.names:
                missing[names[word]] = False
            elif not self._lexicon.knows(term) and not (word.isdigit() and len(word) < 3):
                missing[word] = self._is_everyday(word)
        return missing

    def unspoken(self) -> tuple[str, ...]:
        """Return the words that the book never speaks of, not even in small letters."""
        return tuple(w for w in self.unknown() if not self._lexicon.knows(stem(w.lower())))

    def _names_asked_for(self) -> list[str]:
        """Return the names in a question; none when it Writes Every Word With a Capital."""
        later = self.question.text.split()[1:]
        content = [word for word in later if stems(word)]
        capitals = [word for word in content if word[:1].isupper()]
        is_title = any(word[:1].isupper() and not stems(word) and word != "I" for word in later)
        if is_title or (len(content) > 1 and len(capitals) == len(content)):
            return []
        return names_in(" ".join(later))

    def is_subject(self, named: frozenset[str]) -> bool:
        """Tell whether some words name the thing whose definition is asked for."""
        subject = frozenset(stems(self.question.subject))
        if not subject:
            return False
        return subject <= named or any(name <= named for name in self._subject_names(subject))

    def is_part_of_subject(self, words: frozenset[str]) -> bool:
        """Tell whether some words belong to the name of the subject, or to another name of it."""
        subject = frozenset(stems(self.question.subject))
        return bool(words & subject.union(*self._subject_names(subject)))

    def longest_name(self) -> int:
        """Return how many words the longest name of the subject has."""
        subject = frozenset(stems(self.question.subject))
        names = [len(name) for name in self._subject_names(subject)]
        return max([len(self.question.subject.split()), *names])

    def spells_out_subject(self, text: frozenset[str]) -> bool:
        """Tell whether a text says both what the subject is called and what that is short for."""
        subject = frozenset(stems(self.question.subject))
        names = self._subject_names(subject)
        return subject <= text and any(name <= text for name in names)

    def _subject_names(self, subject: frozenset[str]) -> list[frozenset[str]]:
        aliases = self._lexicon.aliases
        names = [
            frozenset({short}) for short, spelled_out in aliases.items() if spelled_out <= subject
        ]
        if len(subject) == 1 and (full := aliases.get(next(iter(subject)))):
            names.append(full)
        return names
