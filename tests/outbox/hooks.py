"""Webhooks of tests."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.http.world import Document, World

WEBHOOKS = "/integration/webhooks"
CARRIERS = "/logistics/carriers"
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


def deliveries(world: World, hook: Document, caller: str = "acme") -> Document:
    answer = world.ask(f"GET {WEBHOOKS}/id/{hook['id']}/deliveries", caller)
    assert answer.status_code == 200, answer.text
    found: Document = answer.json()
    return found


def is_put_off(world: World) -> bool:
    """Whether nothing that waits is sent within the next minute."""
    soon = datetime.now(UTC).replace(tzinfo=None) + timedelta(minutes=1)
    due = {"status": "WAITING", "$or": [{"dueAt": {"$lt": soon}}, {"holder": {"$ne": ""}}]}
    return world.documents["webhookDeliveries"].count_documents(due) == 0


def await_value(read: Callable[[], Any], member: str | None = None, seconds: float = 10.0) -> Any:
    """What ``read`` returns, once there is something (with a member of that name)."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = read()
        if found and (member is None or member in found):
            return found
        time.sleep(0.02)
    raise AssertionError(f"nothing came: {read()}")
