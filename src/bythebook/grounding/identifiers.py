"""Names that code is made of: commands, flags, paths, functions. They are the same or wrong."""

from __future__ import annotations

import re

_INLINE_CODE = re.compile(r"`([^`\n]+)`")
_FORMULA = re.compile(r"\$[^$\n]+\$|\\[A-Za-z]+")
_IDENTIFIER = re.compile(
    r"(?<![\w/-])--?[A-Za-z][\w-]*"  # a flag
    r"|<[A-Za-z/!][^>\n]*>?"  # a tag, which no answer needs
    r"|[\w~.-]*[\w~]/[\w./-]*\w|/[A-Za-z][\w./-]*"  # a path, an address
    r"|\w+(?:::\w+)+|\w+\(\)"  # a member, a call
    r"|\b[A-Za-z]+\.[A-Za-z]\w*(?:\.\w+)*\b"  # a file, an attribute
    r"|\b\w*[A-Za-z0-9]_\w+\b|\b_\w+\b"  # with an underscore
    r"|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b"  # camelCase, PascalCase
    r"|\w+(?::=|=)[\w./-]+"  # an argument
)
_ABBREVIATION = re.compile(r"^(?:[eE]\.g|[iI]\.e|a\.m|p\.m|U\.S|U\.K)$")
_RATE = re.compile(r"^(?:m|km|rad|deg|kg|and|or|he|his|input|read|his)/\w+$", re.IGNORECASE)

# The words behind one of these belong to it: "ros2 topic list" is not "ros2 list topic".
_COMMAND = re.compile(
    r"(?<![\w/.-])(?:ros2|colcon|gz|pip3?|apt|apt-get|git|docker|rosdep|cargo|npm)"
    r"(?: (?!(?:and|or|to|the|is|are|in|with|for|from|can|cannot|which|of)\b)[a-z][\w.-]*){1,2}"
)
_SPACE = re.compile(r"\s+")


def identifiers(text: str) -> list[str]:
    """Return the names of code in a text, quoted or plain."""
    quoted = [_SPACE.sub(" ", code).strip() for code in _INLINE_CODE.findall(text)]
    outside = _INLINE_CODE.sub(" ", text)
    plain = [name for name in _IDENTIFIER.findall(outside) if not _is_prose(name)]
    return [name for name in quoted if name] + plain


def _is_prose(name: str) -> bool:
    return _ABBREVIATION.match(name) is not None or _RATE.match(name) is not None


def wrong_identifiers(claim: str, source: str) -> list[str]:
    """Return a reason for each name, command or piece of code that a source does not have."""
    source = _SPACE.sub(" ", source)
    wanted = identifiers(claim)
    reasons = [f"{name!r} is not in the passage" for name in wanted if not _stands_in(name, source)]
    if (_FORMULA.search(claim) or " | " in claim) and _SPACE.sub(" ", claim).strip() not in source:
        reasons.append("a formula or a row of a table is not the book's own")
    if not reasons:
        for command in _COMMAND.findall(_INLINE_CODE.sub(" ", claim)):
            if command.split(" ")[0] in source and not _begins_in(command, source):
                reasons.append(f"{command!r} is not in the passage")
    return list(dict.fromkeys(reasons))


def _begins_in(command: str, source: str) -> bool:
    """Tell whether a command stands in a text, maybe without its last word, which may be prose."""
    shorter = command.rpartition(" ")[0]
    return _stands_in(command, source) or (" " in shorter and _stands_in(shorter, source))


def _stands_in(name: str, source: str) -> bool:
    """Tell whether a name stands in a text as it is, and not as a part of a longer one."""
    return re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])", source) is not None
