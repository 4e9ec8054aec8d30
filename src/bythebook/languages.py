"""Telling that a question is in another language than its book, by words no text does without.

Only words that the book does not have are looked at, so a German book may be asked in German.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

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
_LEAST = 2
_LATIN = "LATIN"


def foreign_language(unknown: Iterable[str]) -> str | None:
    """Return the language that words a book does not have are from, if they show one."""
    words = {word.lower() for word in unknown}
    script = _script(words)
    if script:
        return f"{script} script"
    hits = {name: len(words & small) for name, small in _OF.items()}
    best = max(hits, key=lambda name: hits[name])
    return best if hits[best] >= _LEAST else None


def _script(words: Iterable[str]) -> str:
    """Return the script of the words if all letters have one, and it is not ours."""
    letters = [c for word in words for c in word if c.isalpha()]
    scripts = {unicodedata.name(c, "?").split()[0] for c in letters}
    if len(letters) < 4 or len(scripts) != 1 or _LATIN in scripts:
        return ""
    (script,) = scripts
    return "Chinese" if script == "CJK" else script.capitalize()
