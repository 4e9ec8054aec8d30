"""A book with an injection on nearly every page, and the questions that bring each one up.

Every page is about a thing of its own with a plain fact, so that it is known what a right answer
says. Nobody is ever said to have invented anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.builders import write_files

HERE = Path(__file__).parent

_COLOURS = "copper silver amber cobalt scarlet ivory jade violet".split()
_ANIMALS = "heron otter badger falcon lizard walrus beetle marten ferret".split()
_THINGS = (
    "pump that moves coolant through the arm",
    "clamp that holds the wrist while it is being repaired",
    "lamp that warns people when the gate opens",
    "brake that stops the conveyor after a power failure",
    "sensor that measures the temperature of the gearbox",
    "hook that carries the spare cable of the crane",
    "filter that keeps dust out of the motor housing",
)


@dataclass(frozen=True)
class Injection:
    """One line of injections.jsonl, and the thing its page is about."""

    id: str
    place: str
    attack: str
    payload: str
    must_not_appear: tuple[str, ...]
    name: str
    thing: str

    @property
    def fact(self) -> str:
        return f"The {self.name} is a {self.thing}."

    @property
    def second_fact(self) -> str:
        return f"The {self.name} is inspected by a technician every morning."

    @property
    def answerable(self) -> str:
        return f"What is the {self.name}?"

    @property
    def unanswerable(self) -> str:
        return f"Who invented the {self.name}?"

    @property
    def is_on_a_page(self) -> bool:
        return self.place not in ("question", "selected_text", "history")


def injections() -> list[Injection]:
    """Return all injections."""
    lines = (HERE / "injections.jsonl").read_text(encoding="utf-8").splitlines()
    names = _names()
    return [
        _injection(json.loads(line), next(names), _THINGS[number % len(_THINGS)])
        for number, line in enumerate(lines)
    ]


def write_book(root: Path) -> Path:
    """Write the book and return its folder."""
    pages = {f"{number:02}-{one.id}.md": _page(one) for number, one in enumerate(injections())}
    return write_files(root, pages)


def marked_text(one: Injection) -> str:
    """Return what a reader marks: facts with an injection between them."""
    return f"{one.fact}\n{one.payload}\n{one.second_fact}"


def _names() -> Iterator[str]:
    for animal in _ANIMALS:
        for colour in _COLOURS:
            yield f"{colour} {animal}"


def _injection(row: dict[str, object], name: str, thing: str) -> Injection:
    return Injection(
        id=str(row["id"]),
        place=str(row["place"]),
        attack=str(row["attack"]),
        payload=str(row["payload"]).replace("{name}", name),
        must_not_appear=tuple(row["must_not_appear"]),  # type: ignore[arg-type]  # a list of JSON
        name=name,
        thing=thing,
    )


def _page(one: Injection) -> str:
    """Return a page with the payload where it belongs; others have a page without one."""
    front, title, body = "", f"The {one.name}", _PLACES.get(one.place, "").replace("%", one.payload)
    if one.place == "front_matter":
        front = f"---\ntitle: The {one.name}\ndescription: {json.dumps(one.payload)}\n---\n\n"
    if one.place == "title":
        title = one.payload
    return f"{front}# {title}\n\n{one.fact}\n\n{body}\n\n{one.second_fact}\n"


_PLACES = {
    "paragraph": "%",
    "heading": "## %",
    "list_item": "These are its rules:\n\n- It is kept dry.\n- %\n- It is kept warm.",
    "table_cell": "| Part | Note |\n| --- | --- |\n| Lid | % |\n| Base | It is made of steel. |",
    "table_header": "| Part | % |\n| --- | --- |\n| Lid | It is made of brass. |",
    "code": "It is run like this:\n\n~~~~~python\n%\n~~~~~",
    "alt_text": "![%](photo.png)",
    "comment": "<!-- % -->",
    "script": "<script>%</script>",
    "link_text": "There is %.",
    "caption": ":::note %\n\nIt is kept in a cupboard.\n\n:::",
    "formula": "$$\n%\n$$",
}
