"""Notifications reach the receiver: what they say, how they are signed, in which order, how often."""

from __future__ import annotations

from tests.http.world import World
from tests.outbox.hooks import make_hook, patch
from tests.outbox.receiver import Receiver, is_signed

CARRIERS = "/logistics/carriers"


def test_each_write_of_a_record_is_notified_in_order(world: World, receiver: Receiver) -> None:
    hook = make_hook(world, f"{receiver.address}/hook")
    made = world.make("Carrier")
    changed = patch(world, f"{CARRIERS}/id/{made['id']}", {"name": "Renamed"}).json()
    world.ask(f"DELETE {CARRIERS}/id/{made['id']}")
    came = receiver.await_all(3)
    assert [one.said["type"] for one in came] == ["carrier.created", "carrier.updated", "carrier.deleted"]
    assert [one.said["data"]["op"] for one in came] == ["created", "updated", "deleted"]
    assert [one.said["data"]["version"] for one in came] == [1, 2, 3]
    assert {one.said["data"]["id"] for one in came} == {made["id"]}
    assert [one.said["data"]["record"]["name"] for one in came] == [made["name"], "Renamed", "Renamed"]
    assert came[1].said["data"]["record"].items() <= changed.items()
    assert all(is_signed(one, hook["secret"]) for one in came)
    assert len({one.id for one in came}) == 3
    assert {one.path for one in came} == {"/hook"}
