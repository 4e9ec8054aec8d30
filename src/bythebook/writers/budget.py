"""Making passages fit what a model can read: the weakest go first, the question never."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bythebook.sentences import split_sentences
from bythebook.types import Passage

# Word pieces counted here are not the model's own tokens. SmolLM2 needed 0.85 to 1.25 times as many
# (median 1.06) over 143 stretches of 900 characters of the sample book. Other models were not
# measured: a server that still finds it too long says so, and the writer then drops more.
_MODEL_TOKENS_PER_OURS = 1.3

# The lines around a passage, its number and its titles.
_FRAME_TOKENS = 60


@dataclass(frozen=True)
class Fitted:
    """The passages that fit, strongest first, and what had to be done for it."""

    passages: tuple[Passage, ...]
    notes: tuple[str, ...] = ()


def left_out(dropped: int, given: int) -> str:
    """Return the note for passages that the model was not given."""
    return f"{dropped} of {given} passages left out to fit the model's context"


def model_tokens(text: str, count: Callable[[str], int]) -> int:
    """Return about how many tokens a text takes in a model, rather too many than too few."""
    return int(count(text) * _MODEL_TOKENS_PER_OURS) + 1


def fit(passages: Sequence[Passage], room: int, count: Callable[[str], int]) -> Fitted:
    """Return as many of the passages, strongest first, as fit into so many tokens."""
    kept: list[Passage] = []
    for passage in passages:
        room -= cost(passage, count)
        if room < 0:
            break
        kept.append(passage)
    dropped = len(passages) - len(kept)
    if kept or not passages:
        return Fitted(tuple(kept), (left_out(dropped, len(passages)),) if dropped else ())
    room += cost(passages[0], count) - _FRAME_TOKENS
    beginning = _beginning(passages[0], room, count)
    note = "only the beginning of a long passage was given to the model"
    return Fitted((beginning,), (note,)) if beginning else Fitted(())


def cost(passage: Passage, count: Callable[[str], int]) -> int:
    """Return about how many tokens a passage takes in a prompt."""
    return model_tokens(passage.chunk.text, count) + _FRAME_TOKENS


def _beginning(passage: Passage, room: int, count: Callable[[str], int]) -> Passage | None:
    """Return a passage with only its first sentences, for the prompt alone."""
    text = passage.chunk.text
    end = 0
    for start, stop in split_sentences(text):
        room -= model_tokens(text[start:stop], count)
        if room < 0:
            break
        end = stop
    if not end:
        return None
    chunk = passage.chunk.model_copy(update={"text": text[:end]})
    return passage.model_copy(update={"chunk": chunk})
