"""A bulk request ends when its caller may not go on: what it has stored stays, and nothing more is stored."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.identity.users.users import NewUser
from runtime.records.change import prepare_update
from tests.http.world import PASSWORD, World

pytestmark = pytest.mark.settings(credential_cache_seconds=0)

CARRIERS = "/logistics/carriers"


def bulk(world: World, user: str, ids: list[str]) -> Any:
    lines = [{"op": "save", "record": {"id": one, "name": "Changed", "mode": "SEA"}} for one in ids]
    return world.ask(f"POST {CARRIERS}/bulk", user, json={"operations": lines})


def bulk_set(world: World, user: str, ids: list[str]) -> Any:
    return world.ask(f"PUT {CARRIERS}/bulk/set", user, json={"ids": ids, "values": {"name": "Changed"}})


@pytest.mark.parametrize("write", [bulk, bulk_set])
def test_nothing_more_is_stored_for_a_user_who_is_disabled(
    world: World, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = f"{write.__name__}@acme.example"
    world.sign_in(user, NewUser(user, PASSWORD, "acme", frozenset({"user"})))
    ids = [world.make("Carrier")["id"] for _ in range(3)]
    prepared = list[Any]()

    async def prepare(*arguments: Any, **named: Any) -> Any:
        change = await prepare_update(*arguments, **named)
        prepared.append(change)
        if len(prepared) == 2:
            world.documents["credentials"].update_one({"userId": user}, {"$set": {"disabled": True}})
        return change

    monkeypatch.setattr("runtime.access.reopening._AGAIN_SECONDS", 0.0)
    for module in ("write", "partial"):
        monkeypatch.setattr(f"runtime.records.operations.{module}.prepare_update", prepare)
    assert write(world, user, ids).status_code == 401
    names = [world.ask(f"GET {CARRIERS}/id/{one}").json()["name"] for one in ids]
    assert names.count("Changed") == 2
