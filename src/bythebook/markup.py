"""Markdown that comes in with a text, and Markdown that must not go out with one.

What a reader is shown is Markdown, and the book's words are put into it. Words of a book, of marked
text or of a model can look like a link, a picture or a tag. They may be read, and must never be
live: the only links of an answer are its citations, and those are addresses beside the text. So
every sentence goes through `inert` on its way into an answer, and every code block through
`fenced`. The excerpts of citations stay as the book has them; they are plain text, not Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^*_\n]+)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<!\w)([*_])(?=\S)([^*_]+?)(?<=\S)\1(?!\w)")
_CODE = re.compile(r"`([^`]+)`")

# Characters that show nothing and change what is shown around them: terminal commands, writing
# turned round, letters of no width, and the tag letters that only a model can read. The marks that
# Arabic, Hebrew, Persian and Indian scripts need to be set right (200c to 200f) are not among them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)

# What a browser does something with. A type parameter such as `Option<T>` is none of these.
_ELEMENTS = (
    "a abbr address applet area article aside audio b base basefont bdi bdo bgsound big blink"
    " blockquote body br button canvas caption center cite code col colgroup data datalist dd del"
    " details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame"
    " frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex"
    " kbd keygen label layer legend li link listing main map mark marquee math menu menuitem meta"
    " meter nav nobr noembed noframes noscript object ol optgroup option output p param picture"
    " plaintext portal pre progress q rp rt ruby s samp script search section select slot small"
    " source span strike strong style sub summary sup svg table tbody td template textarea tfoot th"
    " thead time title tr track tt u ul var video wbr xmp"
).replace(" ", "|")

# All that a Markdown viewer may turn into a link, a picture or a tag, also one that makes links of
# bare addresses. Every part is bounded or begins where a run of its characters does, so that a long
# line of nothing but brackets takes no longer than any other.
_LIVE = re.compile(
    rf"""(?<!\\)\\* (?:
      !?\[[^\[\]]{{0,300}}\]\((?:[^()\s]|\([^()\s]{{0,300}}\)){{0,2000}}\)    # a link, a picture
    | \]\([^\s]{{0,300}}                                        # what is left of a broken one
    | \A\s*\[[^\n]{{0,1000}}?\]:\S*                             # where the links of others lead
    | \A~{{3,}}                                                 # a fence
    | <[a-z][a-z0-9+.-]{{1,31}}:[^<>\s]{{0,2000}}>              # <https://...>
    | <[a-z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@[^<>\s]{{0,255}}>
    | </?(?:{_ELEMENTS})(?=[\s/>]|\Z)(?:[^<>]{{0,2000}}>)?      # a tag of HTML
    | <[a-z][\w:.-]{{0,60}}[\s/][^<>]{{0,1000}}=[^<>]{{0,1000}}>    # any tag with an attribute
    | <[!?](?:[^<>]{{0,2000}}>)?                                # a comment, a declaration
    | (?<![a-z0-9+.-])[a-z][a-z0-9+.-]{{1,31}}://[^\s<>]{{0,1998}}[^\s<>.,;:!?)\]'"*]
    | \bwww\.[^\s<>]{{0,1998}}[^\s<>.,;:!?)\]'"*]
    | (?<![\w:/])//[\w-]{{1,63}}\.[\w-][^\s<>]{{0,1998}}
    | \b(?:javascript|vbscript|mailto|xmpp):[^\s<>]{{1,2000}}
    | \bdata:[\w.+-]{{0,60}}/?[\w.+-]{{0,60}}[;,][^\s<>]{{0,2000}}
    | \bfile:/[^\s<>]{{0,2000}}
    | (?<![\w.+-])[\w.+-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,8}}
    | \\(?:href|url|includegraphics|html[a-z]{{2,10}})\b(?:\{{[^{{}}]{{0,2000}}\}})?    # of TeX
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_BACKTICKS = re.compile("`+")
_NOT_OF_A_LANGUAGE = re.compile(r"[^\w+#.-]")


def strip_markup(text: str) -> str:
    """Return a sentence as a reader sees it on the page."""
    for pattern, group in ((_LINK, 1), (_STRONG, 2), (_EMPHASIS, 2), (_CODE, 1)):
        text = pattern.sub(lambda found, group=group: found.group(group), text)  # type: ignore[misc]
    return text


def without_invisible(text: str) -> str:
    """Return a text without characters that show nothing and do something."""
    return _INVISIBLE.sub("", text)


def inert(sentence: str) -> str:
    """Return a sentence as one line of Markdown in which nothing is live.

    What would be is shown as code: the one thing in which no viewer looks for links. A sentence
    with nothing of that kind stays as it is.
    """
    text = " ".join(without_invisible(sentence).split())
    if "`" not in text:
        return _set_as_code(text, list(_live_spans(text)))
    outside = _outside_code(text)
    # Backticks beside backticks pair up anew, so such a sentence is code as a whole.
    return text if outside is not None and not _LIVE.search(outside) else _code(text)


def is_inert(text: str) -> bool:
    """Tell whether nothing in a text would be live in Markdown."""
    return inert(text) == text


def fenced(code: str, language: str = "") -> str:
    """Return a code block whose fence nothing inside it can close."""
    code = without_invisible(code)
    fence = "`" * max(3, _longest_run(code) + 1)
    return f"{fence}{_NOT_OF_A_LANGUAGE.sub('', language)}\n{code}\n{fence}"


def _live_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield what would be live; pieces that touch are one."""
    start = end = -1
    for found in _LIVE.finditer(text):
        if found.start() > end:
            if end > start:
                yield start, end
            start = found.start()
        end = found.end()
    if end > start:
        yield start, end


def _set_as_code(text: str, spans: list[tuple[int, int]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end in spans:
        parts += [text[done:start], _code(text[start:end])]
        done = end
    return "".join(parts) + text[done:]


def _outside_code(text: str) -> str | None:
    """Return what stands outside code spans; None when a backtick has no partner."""
    runs = list(_BACKTICKS.finditer(text))
    partners: dict[int, int] = {}  # of each run, the next one that is as long
    last: dict[int, int] = {}
    for number, run in reversed(list(enumerate(runs))):
        if len(run[0]) in last:
            partners[number] = last[len(run[0])]
        last[len(run[0])] = number
    parts: list[str] = []
    done = number = 0
    while number < len(runs):
        opening = runs[number]
        if number not in partners or text.endswith("\\", 0, opening.start()):
            return None
        # A sign in the place of the code, so that what stands around it does not grow together.
        parts += [text[done : opening.start()], "\ufffc"]
        done = runs[partners[number]].end()
        number = partners[number] + 1
    return "".join(parts) + text[done:]


def _code(text: str) -> str:
    marks = "`" * (_longest_run(text) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{marks}{space}{text}{space}{marks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)
