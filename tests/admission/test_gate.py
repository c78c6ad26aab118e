"""Who is let in, who waits and who is refused; that no place is ever lost; and that one key cannot keep out others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.admission import FixedLimit, Gate, Transfers, Turn, key_within
from runtime.admission import gate as gate_module
from runtime.errors import Overloaded
from tests.log_lines import capture_logs

pytestmark = pytest.mark.anyio
FOREVER = 60.0


class Visitor:
    """Holds a place until it is told to go."""

    def __init__(self, gate: Gate, key: str, *, is_patient: bool = False) -> None:
        turn = gate.turn(key)
        self.turn = turn.another() if is_patient else turn
        self.is_in = False
        self.may_go = asyncio.Event()
        self.task = asyncio.create_task(self._visit())

    async def _visit(self) -> None:
        async with self.turn:
            self.is_in = True
            await self.may_go.wait()
        self.is_in = False

    async def go(self) -> None:
        self.may_go.set()
        await self.task
        await settled()


async def settled() -> None:
    for _turn in range(5):
        await asyncio.sleep(0)


async def visitors(gate: Gate, *keys: str) -> list[Visitor]:
    found = [Visitor(gate, key) for key in keys]
    await settled()
    return found


async def dismiss(found: list[Visitor]) -> None:
    for one in found:
        one.task.cancel()
    await asyncio.gather(*(one.task for one in found), return_exceptions=True)


async def test_as_many_as_the_limit_are_in_and_the_rest_follows_in_order() -> None:
    gate = Gate("test", FixedLimit(2), FOREVER)
    first, second, third, fourth = await visitors(gate, "a", "a", "a", "a")
    assert [one.is_in for one in (first, second, third, fourth)] == [True, True, False, False]
    await second.go()
    assert (third.is_in, fourth.is_in) == (True, False)
    await first.go()
    assert fourth.is_in
    await third.go()
    await fourth.go()
    assert (gate.taken, gate.waiting) == (0, 0)


async def test_the_queues_of_keys_take_turns() -> None:
    gate = Gate("test", FixedLimit(1), FOREVER)
    found = await visitors(gate, "a", "a", "a", "a", "b", "b", "c")
    order: list[int] = []
    for _step in found:
        (at,) = (at for at, one in enumerate(found) if one.is_in)
        order.append(at)
        await found[at].go()
    assert order == [0, 1, 4, 6, 2, 5, 3]


async def test_one_key_has_at_most_three_quarters() -> None:
    gate = Gate("test", FixedLimit(8), FOREVER)
    flood = await visitors(gate, *["a"] * 20)
    assert sum(one.is_in for one in flood) == 6
    others = await visitors(gate, "b", "c")
    assert all(one.is_in for one in others)
    await dismiss([*flood, *others])
    assert (gate.taken, gate.waiting) == (0, 0)


async def test_the_keys_of_a_group_take_turns_within_those_of_the_group() -> None:
    gate = Gate("test", FixedLimit(1), FOREVER)
    first, second, third = (key_within("A", name) for name in "123")
    found = await visitors(gate, first, second, third, first, "b", "b")
    order: list[int] = []
    for _step in found:
        (at,) = (at for at, one in enumerate(found) if one.is_in)
        order.append(at)
        await found[at].go()
    assert order == [0, 1, 4, 2, 5, 3]


async def test_a_group_of_many_keys_leaves_places_to_others() -> None:
    """An administrator may create as many users as it takes to have all places."""
    gate = Gate("test", FixedLimit(8), 1.0)
    assert gate.try_enter("b")
    gate.leave("b", 20.0)  # the mean is 4 s: each place is free in half a second
    flood = await visitors(gate, *[key_within("A", str(number)) for number in range(20)])
    assert sum(one.is_in for one in flood) == 6
    others = await visitors(gate, "b", "b")
    assert all(one.is_in for one in others)
    await dismiss([*flood, *others])


async def test_a_free_place_is_taken_whoever_waits_for_places_of_its_own_group() -> None:
    gate = Gate("test", FixedLimit(8), 1.0)
    assert gate.try_enter("b")
    gate.leave("b", 50.0)  # the mean is 10 s: longer than anyone waits
    flood = [Visitor(gate, key_within("A", str(number)), is_patient=True) for number in range(20)]
    await settled()
    assert (gate.taken, gate.waiting) == (6, 14)
    others = await visitors(gate, "b", "b")
    assert all(one.is_in for one in others)
    await dismiss([*flood, *others])


async def test_a_group_that_is_alone_has_all_places_until_others_wait() -> None:
    gate = Gate("test", FixedLimit(8), FOREVER)
    flood = await visitors(gate, *[key_within("A", str(number)) for number in range(20)])
    assert sum(one.is_in for one in flood) == 8
    for one in flood[:2]:
        (other,) = await visitors(gate, "b")
        await one.go()
        assert other.is_in
    await dismiss(flood)


async def test_a_wait_ends_at_the_deadline() -> None:
    gate = Gate("test", FixedLimit(1), 0.02)
    (first,) = await visitors(gate, "a")
    with pytest.raises(Overloaded) as refusal:
        await Visitor(gate, "b").task
    assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "1"})
    assert gate.waiting == 0
    await first.go()
    assert gate.taken == 0


async def test_nobody_waits_who_would_wait_in_vain() -> None:
    """Places are held for ten seconds: a queue of one second has no room."""
    gate = Gate("test", FixedLimit(1), 1.0)
    assert gate.try_enter("a")
    gate.leave("a", 50.0)
    (first,) = await visitors(gate, "a")
    with pytest.raises(Overloaded):
        await asyncio.wait_for(Visitor(gate, "a").task, 0.5)
    await first.go()


async def test_the_first_flood_is_refused_at_once_where_the_work_is_known_to_be_slow() -> None:
    """Before anybody has left: two places of half a second have room for four in a queue of one second."""
    gate = Gate("test", FixedLimit(2), 1.0, 0.5)
    flood = await visitors(gate, *["a"] * 20)
    assert sum(one.task.done() for one in flood) == 20 - 2 - 4
    await dismiss(flood)


async def test_a_flood_of_one_leaves_room_in_the_queue_for_others() -> None:
    gate = Gate("test", FixedLimit(1), 1.0)
    assert gate.try_enter("a")
    gate.leave("a", 0.5)  # the mean is 0.1 s now
    flood = await visitors(gate, *["a"] * 40)
    refused = [one for one in flood if one.task.done()]
    assert all(isinstance(one.task.exception(), Overloaded) for one in refused)
    assert len(flood) - len(refused) == 1 + 10
    (other,) = await visitors(gate, "b")
    await flood[0].go()
    await flood[1].go()
    assert other.is_in
    await dismiss([*flood, other])
    assert (gate.taken, gate.waiting) == (0, 0)


async def test_a_flood_of_refusals_is_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty at once, then two hundred a second, and nobody for longer than the longest wait."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    gate = Gate("test", FixedLimit(1), 1.0)
    assert gate.try_enter("a")
    gate.leave("a", 50.0)
    (first,) = await visitors(gate, "a")
    monkeypatch.setattr(gate_module.asyncio, "sleep", sleep)
    monkeypatch.setattr(gate_module.time, "monotonic", lambda: 100.0)
    for _refusal in range(500):
        with pytest.raises(Overloaded):
            await gate.wait("a")
    monkeypatch.undo()
    assert len(pauses) == 450
    assert pauses[:3] == pytest.approx([0.005, 0.01, 0.015])
    assert max(pauses) == 1.0
    await first.go()


async def test_a_patient_turn_is_never_refused() -> None:
    gate = Gate("test", FixedLimit(1), 0.01)
    assert gate.try_enter("a")
    gate.leave("a", 500.0)
    (first,) = await visitors(gate, "a")
    patient = Visitor(gate, "a", is_patient=True)
    await asyncio.sleep(0.03)
    assert not patient.task.done()
    await first.go()
    assert patient.is_in
    await patient.go()


async def leave_while_waiting(gate: Gate, first: Visitor, second: Visitor) -> None:
    second.task.cancel()
    await settled()
    await first.go()


async def leave_while_being_let_in(gate: Gate, first: Visitor, second: Visitor) -> None:
    """The place is given and the wait is cancelled in one turn of the loop."""
    first.turn.give_back()
    second.task.cancel()
    await settled()
    await first.go()


async def leave_inside(gate: Gate, first: Visitor, second: Visitor) -> None:
    await first.go()
    assert second.is_in
    second.task.cancel()
    await settled()


@pytest.mark.parametrize("leave", [leave_while_waiting, leave_while_being_let_in, leave_inside])
async def test_who_is_cancelled_gives_the_place_back(
    leave: Callable[[Gate, Visitor, Visitor], Coroutine[Any, Any, None]],
) -> None:
    gate = Gate("test", FixedLimit(1), FOREVER)
    first, second, third = await visitors(gate, "a", "b", "c")
    await leave(gate, first, second)
    assert second.task.cancelled()
    assert third.is_in
    await third.go()
    assert (gate.taken, gate.waiting) == (0, 0)


async def test_a_turn_is_given_back_once() -> None:
    gate = Gate("test", FixedLimit(2), FOREVER)
    async with gate.turn("a") as _nothing:
        turn = gate.turn("b")
        async with turn:
            turn.give_back()
            turn.give_back()
            assert gate.taken == 1
            async with turn.another():
                assert gate.taken == 2
        assert gate.taken == 1
    assert gate.taken == 0


async def test_without_a_gate_a_turn_is_free() -> None:
    turn = Turn()
    async with turn, turn.another():
        turn.give_back()


async def test_a_storm_of_refusals_is_one_line_in_the_log(usual_logs: None) -> None:
    gate = Gate("test", FixedLimit(1), 0.0)
    assert gate.try_enter("a")
    gate.leave("a", 1.0)
    (first,) = await visitors(gate, "a")
    with capture_logs() as lines:
        refused = await visitors(gate, *["a"] * 50)
    assert all(isinstance(one.task.exception(), Overloaded) for one in refused)
    assert [(line["event"], line["gate"], line["limit"]) for line in lines] == [("overloaded", "test", 1)]
    await first.go()


@settings(max_examples=60)
@given(
    places=st.integers(1, 5),
    steps=st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["come", "go", "hang up"]), st.integers(0, 9))
    ),
)
def test_places_are_neither_lost_nor_doubled(places: int, steps: list[tuple[str, str, int]]) -> None:
    async def run() -> None:
        gate = Gate("test", FixedLimit(places), FOREVER)
        here: list[Visitor] = []
        for key, what, which in steps:
            if what == "come":
                here += [Visitor(gate, key)]
            elif here:
                one = here[which % len(here)]
                one.may_go.set() if what == "go" else one.task.cancel()
            if which % 2:
                await settled()
                inside = [one for one in here if one.is_in and not one.task.done()]
                assert gate.taken <= places
                assert len([one for one in inside if not one.may_go.is_set()]) <= places
        await settled()
        waiting = [one for one in here if not one.is_in and not one.task.done() and not one.may_go.is_set()]
        if waiting and len({one.turn.key for one in here if one.is_in}) != 1:
            assert gate.taken == places
        for one in here:
            one.may_go.set()
        for one in here:
            with suppress(asyncio.CancelledError):
                await one.task
        assert (gate.taken, gate.waiting) == (0, 0)

    asyncio.run(run())


def test_transfers_of_one_and_of_all() -> None:
    transfers = Transfers(3, 2)
    first, second = transfers.begin("a"), transfers.begin("a")
    with pytest.raises(Overloaded, match="you have 2"):
        transfers.begin("a")
    third = transfers.begin("b")
    with pytest.raises(Overloaded, match="too many"):
        transfers.begin("c")
    for end in (first, first, third):  # ending twice is ending once
        end()
    assert transfers.number == 1
    transfers.begin("c")
    second()
    assert transfers.number == 1


async def test_a_turn_that_is_taken_back_does_not_wait() -> None:
    """Whoever goes on may have what those inside wait for."""
    gate = Gate("test", FixedLimit(2), FOREVER)
    mine = gate.turn("a")
    async with mine:
        mine.give_back()
        others = [gate.turn(key) for key in "bc"]
        for other in others:
            await other.__aenter__()
        mine.take_back()
        assert gate.taken == 3
        for other in others:
            other.give_back()
    assert gate.taken == 0


class TestPause:
    async def test_the_place_is_free_in_the_meantime_and_queued_for_again(self) -> None:
        gate = Gate("g", FixedLimit(1), FOREVER)
        turn, order = gate.turn("a"), []

        async def work() -> None:
            async with turn:
                async with turn.pause():
                    order.append("elsewhere")
                    (other,) = others
                    assert gate.taken == 0
                    other.append(Visitor(gate, "b"))
                    await settled()
                order.append("again")

        others: list[list[Visitor]] = [[]]
        task = asyncio.create_task(work())
        await settled()
        (visitor,) = others[0]
        assert (visitor.is_in, order) == (True, ["elsewhere"])
        await visitor.go()
        await task
        assert (order, gate.taken) == (["elsewhere", "again"], 0)

    async def test_no_place_is_lost_where_the_block_or_the_queue_refuses(self) -> None:
        gate = Gate("g", FixedLimit(1), 0.01)
        with pytest.raises(ValueError, match="elsewhere"):
            async with gate.turn("a") as _entered, Turn().pause():
                raise ValueError("elsewhere")
        turn = gate.turn("a")
        with pytest.raises(Overloaded):
            async with turn, turn.pause():
                gate.enter("b")
        assert gate.taken == 1
        gate.leave("b", 0.0)
        with pytest.raises(ValueError, match="elsewhere"):
            async with turn, turn.pause():
                raise ValueError("elsewhere")
        assert gate.taken == 0

    async def test_without_a_turn_it_is_free(self) -> None:
        turn = Turn()
        async with turn, turn.pause():
            pass
        gate = Gate("g", FixedLimit(1), FOREVER)
        async with gate.turn("a").pause():
            assert gate.taken == 0
        assert gate.taken == 0
