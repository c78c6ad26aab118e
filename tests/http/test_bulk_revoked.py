"""A bulk request ends when its caller may not go on: what it has stored stays, and nothing more is stored."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from runtime.records.change import prepare_update
from tests.http.test_csv_export import let_two_hours_pass
from tests.http.world import World

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
    user, ids = prepare(world)

    def disable() -> None:
        world.documents["credentials"].update_one({"userId": user}, {"$set": {"disabled": True}})

    do_before_the_last(monkeypatch, disable)
    assert write(world, user, ids).status_code == 401
    assert count_changed(world, ids) == 2


@pytest.mark.parametrize("write", [bulk, bulk_set])
def test_all_is_stored_where_the_token_ends_by_its_own_time(
    world: World, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, ids = prepare(world)
    do_before_the_last(monkeypatch, partial(let_two_hours_pass, world, monkeypatch))
    assert write(world, user, ids).status_code == 200
    monkeypatch.undo()
    assert count_changed(world, ids) == 3


def prepare(world: World) -> tuple[str, list[str]]:
    """A user, who is signed in, and the ids of three carriers."""
    return world.sign_in_another(), [world.make("Carrier")["id"] for _ in range(3)]


def do_before_the_last(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Act once the second of three changes is prepared, whose rights are looked at for each."""
    prepared = list[Any]()

    async def prepare_then_act(*arguments: Any, **named: Any) -> Any:
        change = await prepare_update(*arguments, **named)
        prepared.append(change)
        if len(prepared) == 2:
            act()
        return change

    monkeypatch.setattr("runtime.access.reopening._AGAIN_SECONDS", 0.0)
    for module in ("write", "partial"):
        monkeypatch.setattr(f"runtime.records.operations.{module}.prepare_update", prepare_then_act)


def count_changed(world: World, ids: list[str]) -> int:
    names = [world.ask(f"GET {CARRIERS}/id/{one}").json()["name"] for one in ids]
    return names.count("Changed")
