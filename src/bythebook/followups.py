"""Making a follow-up stand alone, by rule: "How do I use it?" after "What is Isaac Sim?".

The topic of the last question is carried over only when the new one cannot stand without it: a
pronoun with nothing before it to point to, or a fragment such as "And in Gazebo?". A question with
a topic of its own is left alone.
"""

from __future__ import annotations

import re

from bythebook.questions import analyse
from bythebook.terms import QUESTION_WORDS, STOP_WORDS, words

_PRONOUN = re.compile(
    r"\b(it|its|they|them|their|this|these|those|that one|this one"
    r"|that(?=\W*$|\s+(?:work|mean|do)\b))\b(?!\s+(?:book|chapter|page))",
    re.IGNORECASE,
)
_POSSESSIVE = frozenset({"its", "their"})
# "Is it possible to ..." points to nothing.
_EMPTY_IT = re.compile(
    r"\b(?:is|was|does|would|could) it (?:possible|true|necessary|better|safe|hard|easy|worth|make"
    r" sense|matter)\b|\bit (?:is|was|possible)\b|\bthis (?:is|means)\b",
    re.IGNORECASE,
)
# What a question opens with: the question word, its own noun, and the auxiliary verb.
_OPENING = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay|then|also|now)\W+)*"
    r"(?:what|which|who|whose|when|where|why|how)?\b.*?"
    r"\b(?:is|are|was|were|do|does|did|can|could|should|would|will|must|may|has|have|had)\b",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay|then)\s+)?(?:(?:what|how)\s+about|and)\s+"
    r"(?!(?:what|which|who|whose|when|where|why|how|is|are|was|do|does|did|can|should|will)\b)"
    r"(?P<rest>.+?)[\s?.!]*$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"^\W*(?:(?:can|could) you |please )*(?:tell me more|more|go on|explain|elaborate|why|how"
    r"|how so|why is that|for example|an example|give (?:me )?an example|any examples?)"
    r"(?: please)?\W*$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"^(?:for|in|on|with|without|of|to|using|by|at|from|under|during)\b", re.IGNORECASE
)
_ENDS_IN_PREPOSITION = re.compile(
    r"\b(?:for|in|on|with|without|of|to|about|by|at|from|than|like)\s*$", re.IGNORECASE
)
# Something that a pronoun behind it could stand for: a noun with its article, a plural, a name.
_COULD_BE_MEANT = re.compile(
    r"\b(?:an?|the|my|your|our|each|every|some|any|all|two|one)\s+\w|\b[A-Z]\w+|\b\w{3,}[^s\W]s\b"
)
_TOKEN = re.compile(r"\S+")
_WITH_ARTICLE = re.compile(r"\b(?:the|an?)\s+[\w-]+", re.IGNORECASE)


def stand_alone(question: str, topic: str, previous: str) -> str:
    """Return the question with what it leans on put in, or as it is when it leans on nothing."""
    if not topic:
        return question
    if fragment := _FRAGMENT.match(question):
        return _continue(previous, topic, _with_topic(fragment["rest"], topic))
    if _MORE.match(question):
        return f"{question.rstrip(' ?.!')} ({topic})?"
    return _with_topic(question, topic)


def _with_topic(text: str, topic: str) -> str:
    """Return a text with the topic in the place of a pronoun that stands for it."""
    pronoun = _leaning_pronoun(text)
    if pronoun is None:
        return text
    name = f"{topic}'s" if pronoun.group().lower() in _POSSESSIVE else topic
    return text[: pronoun.start()] + name + text[pronoun.end() :]


def topic_of(question: str) -> str:
    """Return what a question is about, in its own words; nothing when that is not clear."""
    subject = analyse(question).subject
    if subject:
        # With what follows it: "services in ROS 2" is more of a topic than "services".
        start = question.lower().find(subject.lower())
        tail = question[start + len(subject) :].strip(" ?.!")
        words_behind = tail.split()
        if (
            words_behind
            and words_behind[0].lower() in ("in", "of", "for")
            and len(words_behind) < 5
        ):
            return f"{subject} {tail}"
        return subject
    runs = _runs_of_content(question)
    named = [name for run in runs if (name := _name_in(run))]
    return max(named or [" ".join(run) for run in runs], key=len, default="")


def _leaning_pronoun(question: str) -> re.Match[str] | None:
    """Return the first pronoun, if it points outside the question."""
    pronoun = _PRONOUN.search(question)
    if pronoun is None or _EMPTY_IT.search(question):
        return None
    opening = _OPENING.match(question)
    begin = min(opening.end() if opening else 0, pronoun.start())
    before = question[begin : pronoun.start()]
    if begin == 0:
        before = before.lstrip()[:1].lower() + before.lstrip()[1:]  # a first word is no name
    content = _content(before)
    if not content or not _COULD_BE_MEANT.search(before):
        return pronoun  # only verbs before it: "How do I install it?"
    # "the opposite of it" leans back in spite of the noun before it, unless that is a name.
    has_name = any(character.isupper() for character in before)
    leans = bool(_ENDS_IN_PREPOSITION.search(before)) and len(content) < 3 and not has_name
    return pronoun if leans else None


def _continue(previous: str, topic: str, rest: str) -> str:
    """Return the last question asked of another thing, or of the same thing elsewhere."""
    if _PREPOSITION.match(rest):
        return f"{previous.rstrip(' ?.!')} {rest}?"
    is_thing = any(map(str.isupper, topic)) or bool(analyse(previous).subject)
    if topic in previous and is_thing:
        return previous.replace(topic, _ARTICLE.sub("", rest))
    if _ARTICLE.match(rest) and (noun := _WITH_ARTICLE.search(previous)):
        return previous[: noun.start()] + rest + previous[noun.end() :]
    return f"What about {rest}?"  # what was asked does not fit: "how do I send a goal"


def _content(text: str) -> list[str]:
    return [w for w in words(text) if w not in STOP_WORDS and w not in QUESTION_WORDS]


def _name_in(run: list[str]) -> str:
    """Return a run from its first to its last name: "Unitree G1" of "Unitree G1 walk"."""
    marked = [number for number, word in enumerate(run) if any(map(str.isupper, word))]
    if not marked:
        return ""
    end = marked[-1] + 1
    while end < len(run) and run[end].isdigit():
        end += 1  # the 2 of "ROS 2"
    return " ".join(run[marked[0] : end])


def _runs_of_content(question: str) -> list[list[str]]:
    """Return the stretches of words that carry meaning, as written."""
    runs: list[list[str]] = [[]]
    for position, token in enumerate(_TOKEN.findall(question)):
        word = token.strip("?.!,;:\"'()")
        is_name = position > 0 and word[:1].isupper() and word != "I"
        if is_name or _content(word) or (runs[-1] and word.isdigit()):
            runs[-1].append(word)
            if token[-1:] in ",;:":
                runs.append([])
        else:
            runs.append([])
    return [run for run in runs if run]
