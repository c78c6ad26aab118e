"""Many callers at once: no lost write, no fault, exactly one winner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.http.world import World

SAVE = "POST /logistics/carriers"
MANY = 20


def at_once(ask: Callable[[int], Any], number: int = MANY) -> list[Any]:
    """The answers of ``number`` requests sent side by side."""
    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(ask, range(number)))


def statuses(answers: list[Any]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


def test_replaces_without_a_version_lose_no_write(world: World) -> None:
    """Each acknowledged write has a version of its own, and the last version is the number of writes."""
    made = world.make("Carrier")
    body = {"id": made["id"], "mode": "AIR"}
    answers = at_once(lambda n: world.ask(SAVE, json=body | {"name": f"writer {n}"}))
    assert statuses(answers) == {200: MANY}
    done = [answer.json() for answer in answers]
    assert sorted(record["version"] for record in done) == list(range(2, MANY + 2))
    assert world.read("Carrier", made) == max(done, key=lambda record: record["version"])


def test_replaces_of_one_version_have_one_winner(world: World) -> None:
    made = world.make("Carrier")
    body = {"id": made["id"], "mode": "AIR", "version": 1}
    answers = at_once(lambda n: world.ask(SAVE, json=body | {"name": f"writer {n}"}))
    assert statuses(answers) == {200: 1, 409: MANY - 1}
    (winner,) = [answer.json() for answer in answers if answer.status_code == 200]
    assert world.read("Carrier", made) == winner


def test_replaces_with_if_match_have_one_winner(world: World) -> None:
    made = world.make("Carrier")
    body = {"id": made["id"], "mode": "AIR"}
    headers = {"If-Match": '"1"'}
    answers = at_once(lambda n: world.ask(SAVE, json=body | {"name": f"writer {n}"}, headers=headers))
    assert statuses(answers) == {200: 1, 412: MANY - 1}
    assert world.read("Carrier", made)["version"] == 2


def test_inserts_of_one_ref_name_have_one_winner(world: World) -> None:
    body = {"refName": "only-one", "name": "x", "mode": "AIR"}
    before = world.snapshot()
    answers = at_once(lambda _n: world.ask(SAVE, json=body))
    assert statuses(answers) == {201: 1, 409: MANY - 1}
    assert {a.json()["code"] for a in answers if a.status_code == 409} == {"record.duplicate"}
    assert len(world.snapshot().keys() - before.keys()) == 1


def test_two_moves_out_of_one_state_cannot_both_win(world: World) -> None:
    made = world.make("Shipment")
    body = world.sample("Shipment") | {"id": made["id"]}
    targets = ("IN_TRANSIT", "CANCELLED")
    answers = at_once(
        lambda n: world.ask("POST /logistics/shipments", json=body | {"status": targets[n % 2]})
    )
    won = {answer.json()["status"] for answer in answers if answer.status_code == 200}
    assert len(won) == 1  # the same move again is no move; the other is refused
    assert statuses(answers).keys() <= {200, 409, 422}
    assert world.read("Shipment", made)["status"] in won


def test_deletes_of_one_record_have_one_winner(world: World) -> None:
    made = world.make("Carrier")
    answers = at_once(lambda _n: world.ask(f"DELETE /logistics/carriers/id/{made['id']}"))
    assert statuses(answers) == {204: 1, 404: MANY - 1}


def test_a_replace_against_a_delete_leaves_no_half(world: World) -> None:
    """A replace that comes too late makes a new record under an id of the server."""
    made = world.make("Carrier")
    body = {"id": made["id"], "name": "late", "mode": "AIR"}

    def ask(n: int) -> Any:
        if n == MANY // 2:
            return world.ask(f"DELETE /logistics/carriers/id/{made['id']}")
        return world.ask(SAVE, json=body)

    answers = at_once(ask)
    assert statuses(answers).keys() <= {200, 201, 204, 409}
    assert statuses(answers)[204] == 1
    inserted = [answer.json()["id"] for answer in answers if answer.status_code == 201]
    assert made["id"] not in inserted
    assert world.ask(f"GET /logistics/carriers/id/{made['id']}").status_code == 404
