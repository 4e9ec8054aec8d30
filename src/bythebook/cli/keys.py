"""`bythebook keys`: who may ask the service by name, and who may administer it."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Annotated

import typer

from bythebook.assembly import make_key_file
from bythebook.cli.console import data, message
from bythebook.cli.options import IndexOption, JsonOption
from bythebook.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from bythebook.web.access.keys import KeyFile

keys = typer.Typer(help="Make, list and revoke API keys of the service.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="What the key is called in lists and logs.")]


@keys.command()
def create(
    name: NameArgument,
    admin: Annotated[
        bool, typer.Option("--admin", help="The key may also administer the service.")
    ] = False,
    index: IndexOption = None,
) -> int:
    """Make a key and show it, this once."""
    file = _file(index)
    token = file.create(name, is_admin=admin)
    data(token)
    message(f"This is the only time the key {name!r} is shown. Its hash is in {file.path}")
    return 0


@keys.command("list")
def list_keys(index: IndexOption = None, json: JsonOption = False) -> int:
    """List the keys by name; the keys themselves are kept nowhere."""
    file = _file(index)
    kept = file.all()
    if json:
        shown = [key.model_dump(mode="json", exclude={"hash"}) for key in kept]
        data(jsonlib.dumps(shown, indent=2))
        return 0
    if not kept:
        message(f"there are no keys in {file.path}")
    width = max((len(key.name) for key in kept), default=0)
    for key in kept:
        kind = "admin" if key.is_admin else "asks"
        data(f"{key.name:<{width}}  {kind:<5}  since {key.created_at:%Y-%m-%d %H:%M} UTC")
    return 0


@keys.command()
def revoke(name: NameArgument, index: IndexOption = None) -> int:
    """Make a key worthless, at once and without a restart."""
    _file(index).revoke(name)
    data(f"Revoked {name}.")
    return 0


def _file(index: Path | None) -> KeyFile:
    return make_key_file(load_settings(index=index))
