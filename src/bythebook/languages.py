"""Telling that a question is in another language than its book, by words no text does without.

Only words that the book does not have are looked at, so a German book may be asked in German.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

# Short words that are no English ones and hardly ever names. Two of them make a language.
_SMALL_WORDS = {
    "German": "wie was ist der das und ein eine einen für nicht mit wird kann ich welche welcher"
    " warum wofür wozu wer wo sind auf bei von zum zur dem den des im über",
    "French": "quel quelle quels est le la les des une que qui pour dans comment pourquoi avec"
    " sont sur du et où ce cette quoi",
    "Spanish": "qué que es el los las una para cómo como por cuál cual cuáles en del y con son se"
    " dónde donde",
    "Italian": "che cosa è il lo gli una per come quale quali perché con sono del della di dove",
    "Portuguese": "o que é os as um uma para como por qual quais em do da e com são não onde",
    "Dutch": "wat is de het een hoe waarom welke voor met zijn van wie waar niet wordt op",
}
_OF = {
    name: frozenset(words.split()) - {"is", "as", "do", "in", "per", "come", "on", "op", "die"}
    for name, words in _SMALL_WORDS.items()
}
_PARTICLES = frozenset("von van der den de la le el los las du da di del".split())
_LEAST = 2
_LEAST_LETTERS = 3
_KANA = {"HIRAGANA", "KATAKANA"}
_HAS_LONG_WORDS = {"GREEK", "CYRILLIC", "ARABIC", "HEBREW", "DEVANAGARI", "HANGUL"}


def foreign_language(unknown: Iterable[str]) -> str | None:
    """Return the language that words a book does not have are from, if they show one.

    A name such as "Los Angeles" or "von der Leyen" shows nothing.
    """
    words = list(unknown)
    script = _script(words)
    if script:
        return script
    plain = {w for w in words if w.islower() and len(w) > 1} - _in_names(words)
    hits = {name: len(plain & small) for name, small in _OF.items()}
    best = max(hits, key=lambda name: hits[name])
    return best if hits[best] >= _LEAST else None


def _in_names(words: Sequence[str]) -> frozenset[str]:
    """Return the small words of names such as "von der Leyen"."""
    if not any(word[:1].isupper() for word in words):
        return frozenset()
    return _PARTICLES.intersection(words)


def _script(words: Sequence[str]) -> str:
    """Return what all letters are written in, if it is not ours; single signs are no words."""
    scripts = {unicodedata.name(c, "?").split()[0] for word in words for c in word if c.isalpha()}
    if scripts & _KANA and scripts <= _KANA | {"CJK"}:
        return "Japanese"
    if scripts == {"CJK"} and sum(map(len, words)) > 1:
        return "Chinese"
    is_text = any(len(word) >= _LEAST_LETTERS for word in words)
    if is_text and len(scripts) == 1 and scripts <= _HAS_LONG_WORDS:
        return f"{scripts.pop().capitalize()} script"
    return ""
