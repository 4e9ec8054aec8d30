"""Rules that teach markdown-it to read past JSX, HTML, comments, admonitions and imports.

Tags are transparent: they are taken out and what stands between them is read as Markdown, as
MDX does. So an element that is never closed cannot swallow the rest of the page. Only what a
tag shows a reader by itself (a tab's label, a listing's caption) becomes a token of its own.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from bythebook.sources import jsx
from bythebook.sources.dialect import Dialect
from bythebook.sources.elements import (
    BLOCK_ELEMENTS,
    line_at,
    push_caption,
    stands_as_block,
    take_element,
    text_follows,
)

_INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}

# Unclosed braces are looked for to the end of a construct's reach; a page full of them would
# take minutes. No page written by a person has this many.
_MAX_FAILED_SCANS = 300

_DIRECTIVE = re.compile(
    r":{3,}[ \t]*(?:\{?(?P<name>[A-Za-z][\w-]*)\}?(?:\[(?P<label>[^\n]*)\])?(?P<rest>[^\n]*))?"
)
_DIRECTIVE_ATTRIBUTES = re.compile(r"\{[^{}]*\}")
_TITLE_ATTRIBUTE = re.compile(r"""title=(?:"([^"]*)"|'([^']*)')""")
_ADMONITIONS = frozenset(
    "note tip info warning danger caution important success secondary error question".split()
)

# Prose has dollars, too: a digit beside one means money, a backtick a shell variable in code. With
# spaces inside the dollars it is only a formula if it holds a TeX command.
_FORMULA = re.compile(
    r"""
      \$\$ (?:\\.|[^$\\])+ \$\$
    | (?<!\d) \$ (?![\s$]) (?:\\.|[^$`\\])+ (?<!\s) \$ (?![\d$])
    | \$ [ \t] [^$`\n]* \\[A-Za-z]+ [^$`\n]* \$
    """,
    re.VERBOSE | re.DOTALL,
)


def teach_markup(md: MarkdownIt, dialect: Dialect) -> None:
    """Replace markdown-it's HTML rules by ours."""
    block, inline = md.block.ruler, md.inline.ruler
    block.at("html_block", _markup_rule, _INTERRUPTS)
    block.before("fence", "directive", _directive_rule, _INTERRUPTS)
    if dialect.has_modules:
        block.before("table", "module_code", _module_code_rule)
    inline.at("html_inline", _inline_markup_rule)
    inline.at("math_inline", _formula_rule)


# --- blocks -----------------------------------------------------------------------------------


def _module_code_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001
    if silent or state.level > 0 or state.tShift[start] > 0:
        return False
    stop = jsx.scan_module_code(state.src, state.bMarks[start])
    if stop is None:
        return False
    state.line = line_at(state, stop) + 1
    return True


def _directive_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001
    if state.is_code_block(start):
        return False
    found = _DIRECTIVE.fullmatch(
        state.src,
        state.bMarks[start] + state.tShift[start],
        state.skipSpacesBack(state.eMarks[start], state.bMarks[start] + state.tShift[start]),
    )
    if found is None:
        return False
    if not silent:
        push_caption(state, start, _directive_title(found))
        state.line = start + 1
    return True


def _directive_title(directive: re.Match[str]) -> str:
    name, rest = directive["name"] or "", directive["rest"] or ""
    attribute = _TITLE_ATTRIBUTE.search(rest)
    title = (
        directive["label"]
        or (attribute and (attribute[1] or attribute[2]))
        or _DIRECTIVE_ATTRIBUTES.sub("", rest).strip()
    )
    return title or (name.capitalize() if name.lower() in _ADMONITIONS else "")


def _markup_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take out the markup a line begins with, then read the rest of the line as a block."""
    if state.is_code_block(start):
        return False
    position = first = state.bMarks[start] + state.tShift[start]
    line = start
    while (stop := _take_construct(state, position, silent)) is not None:
        if silent:
            return True
        line = line_at(state, stop)
        position = state.skipSpaces(stop)
        if position >= state.eMarks[line]:
            state.line = line + 1
            return True
    if position == first:
        return False
    return _parse_rest_of_line(state, start, line, position, end)


def _parse_rest_of_line(state: StateBlock, start: int, line: int, position: int, end: int) -> bool:
    # markdown-it wants every rule to use up a line, so the rest is handed on right here.
    state.bMarks[line], state.tShift[line], state.sCount[line] = position, 0, state.sCount[start]
    return any(
        rule(state, line, end, False)
        for rule in state.md.block.ruler.getRules("")
        if rule is not _markup_rule
    )


def _take_construct(state: StateBlock, position: int, silent: bool) -> int | None:
    """Return where block-level markup ends and push what it shows; None when there is none."""
    text = state.src
    if text[position : position + 1] not in ("<", "{"):
        return None
    if stop := _patient_comment(state, position) or jsx.scan_declaration(text, position):
        return None if silent and text_follows(text, stop) else stop
    if text[position] == "{":
        return _take_expression(state, position)
    tag = _patient_tag(state, position)
    if tag is None or not stands_as_block(text, tag):
        return None
    if silent:
        return tag.end
    return take_element(state, tag, position)


def _take_expression(state: StateBlock, position: int) -> int | None:
    if not _has_expressions(state):
        return None
    stop = _patient_braces(state, position)
    # With text behind it, the expression is a part of a sentence.
    return None if stop is None or text_follows(state.src, stop) else stop


# --- inside a line ----------------------------------------------------------------------------


def _inline_markup_rule(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "<{":
        return False
    found = _inline_construct(state)
    if found is None:
        return False
    stop, shown = found
    if stop > state.posMax:
        return False
    if not silent:
        state.push("markup", "", 0).content = shown
    state.pos = stop
    return True


def _inline_construct(state: StateInline) -> tuple[int, str] | None:
    """Return where markup inside a line ends and what it leaves behind."""
    text, position = state.src, state.pos
    if stop := _patient_comment(state, position) or jsx.scan_declaration(text, position):
        return stop, ""
    if text[position] == "{":
        stop = _patient_braces(state, position) if _has_expressions(state) else None
        return None if stop is None else (stop, jsx.string_value(text[position:stop]) or "")
    tag = _patient_tag(state, position)
    if tag is None:
        return None
    stop = jsx.scan_mute_element(text, tag) or tag.end
    return stop, " " if tag.name.lower() in BLOCK_ELEMENTS else ""


def _formula_rule(state: StateInline, silent: bool) -> bool:
    """Keep a formula as it is written, with its dollars."""
    found = _FORMULA.match(state.src, state.pos)
    if found is None or found.end() > state.posMax:
        return False
    if not silent:
        state.push("math_inline", "math", 0).content = found[0]
    state.pos = found.end()
    return True


def _patient_tag(state: StateBlock | StateInline, position: int) -> jsx.Tag | None:
    if _is_out_of_patience(state):
        return None
    tag = jsx.scan_tag(state.src, position)
    # Fragments are JSX; elsewhere `<>` is just two characters.
    if tag is not None and not tag.name and not _has_expressions(state):
        return None
    if tag is None and state.src[position + 1 : position + 2].isalpha():
        _note_failed_scan(state)
    return tag


def _patient_comment(state: StateBlock | StateInline, position: int) -> int | None:
    if _is_out_of_patience(state) or not jsx.opens_comment(state.src, position):
        return None
    stop = jsx.scan_comment(state.src, position)
    if stop is None:
        _note_failed_scan(state)
    return stop


def _patient_braces(state: StateBlock | StateInline, position: int) -> int | None:
    if _is_out_of_patience(state):
        return None
    stop = jsx.scan_braces(state.src, position)
    if stop is None:
        _note_failed_scan(state)
    return stop


def _has_expressions(state: StateBlock | StateInline) -> bool:
    dialect = state.env["dialect"]
    return isinstance(dialect, Dialect) and dialect.has_expressions


def _is_out_of_patience(state: StateBlock | StateInline) -> bool:
    return bool(state.env.get("failed_scans", 0) > _MAX_FAILED_SCANS)


def _note_failed_scan(state: StateBlock | StateInline) -> None:
    state.env["failed_scans"] = state.env.get("failed_scans", 0) + 1
