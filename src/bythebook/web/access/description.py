"""What the description of the service says of keys."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from bythebook.web.access.gate import ADMIN, KEY_HEADER, Access, needs_key

_SCHEMES: dict[str, Any] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A key of `bythebook keys`."},
    "header": {"type": "apiKey", "in": "header", "name": KEY_HEADER, "description": "The same."},
}
_KEY: list[dict[str, list[str]]] = [{name: []} for name in _SCHEMES]
_PERHAPS: list[dict[str, list[str]]] = [{}, *_KEY]


def describe_keys(app: FastAPI, access: Access) -> None:
    """Have an application's description tell where a key is needed."""
    usual = app.openapi

    def described() -> dict[str, Any]:
        document = usual()
        document.setdefault("components", {})["securitySchemes"] = _SCHEMES
        for path, operations in document["paths"].items():
            for operation in operations.values():
                needed = path.startswith(ADMIN) or (access.require_key and needs_key(path))
                operation["security"] = _KEY if needed else _PERHAPS
        return document

    app.openapi = described  # type: ignore[method-assign]  # the way FastAPI's own guide does it
