"""Webhooks of tests."""

from __future__ import annotations

from typing import Any

from tests.http.world import Document, World

WEBHOOKS = "/integration/webhooks"
PATCH_TYPE = {"Content-Type": "application/merge-patch+json"}


def make_hook(world: World, address: str, caller: str = "acme", **fields: Any) -> Document:
    """A webhook for carriers unless told otherwise: id, refName and secret."""
    body = {"recordTypes": ["Carrier"], "address": address, **fields}
    answer = world.ask(f"POST {WEBHOOKS}/create", caller, json=body)
    assert answer.status_code == 201, answer.text
    made: Document = answer.json()
    return made


def patch(world: World, path: str, changes: Document, caller: str = "acme") -> Any:
    return world.ask(f"PATCH {path}", caller, json=changes, headers=PATCH_TYPE)
