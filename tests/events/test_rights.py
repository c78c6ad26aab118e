"""What looks at the rights of streams: once for all of a token, and no stream passes by unseen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.access.reopening import adopt_rights
from runtime.errors import Denied, StoreUnavailable, Unauthenticated
from runtime.events import rights
from runtime.events.rights import Keeper, find_keeper
from runtime.events.sending import start_stream
from runtime.events.watch import Watch
from runtime.http.calling import Opening
from runtime.principal import OnBehalfOf
from runtime.seams import UserKey

Look = Callable[[], Any]


class Member:
    """A stream: how often it was told to look again."""

    def __init__(self, call: Any) -> None:
        self.call, self.since = call, asyncio.get_running_loop().time()
        self.told, self.is_dropped = 0, False

    def look_again(self) -> None:
        self.told += 1

    def drop(self) -> None:
        self.is_dropped = True


class Token:
    """A token of a caller: ``look`` is what opening a call with it leads to."""

    def __init__(self) -> None:
        self.service = SimpleNamespace(keepers={}, tokens=None)
        self.looks = 0
        self.look: Look = self.build

    def build(self, rules: object = "first", tenant: str = "acme") -> Any:
        principal = SimpleNamespace(subject="clerk", domain=tenant, agent=None)
        return SimpleNamespace(
            service=self.service, principal=principal, rules=rules, database="main",
            open_again=self.open_again,
        )  # fmt: skip

    async def open_again(self) -> Any:
        self.looks += 1
        await asyncio.sleep(0)
        return self.look()

    def join(self, number: int = 1, **fields: Any) -> tuple[Keeper, list[Member]]:
        members = [Member(self.build(**fields)) for _ in range(number)]
        keeper = find_keeper(members[0].call)
        assert keeper is not None
        for member in members:
            assert find_keeper(member.call) is keeper
            keeper.join(member)
        return keeper, members


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("LOOK_SECONDS", 0.02), ("AGAIN_SECONDS", 0.01), ("FRESH_SECONDS", 5.0)):
        monkeypatch.setattr(rights, name, seconds)


def test_many_streams_of_a_token_cost_what_one_does() -> None:
    async def run() -> None:
        token = Token()
        same = token.build()
        token.look = lambda: same
        keeper, members = token.join(500)
        for _ in range(3):
            await keeper.await_look()
        assert token.looks == 3
        assert {one.told for one in members} == {1}, "once after it joined, and not again"
        assert keeper.find_opened(members[0].since) is same
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rights, "FRESH_SECONDS", -1.0)
            assert keeper.find_opened(members[0].since) is None, "the look is too old"
        for one in members:
            keeper.leave(one)
            keeper.leave(one)
        assert token.service.keepers == {}
        await asyncio.sleep(0.03)
        assert token.looks == 3

    asyncio.run(run())


def test_a_stream_that_joins_with_older_rights_is_told_although_the_keeper_saw_no_change() -> None:
    """It was opened before the change, and joins after the look that saw it."""

    async def run() -> None:
        token = Token()
        reduced = token.build("reduced")
        token.look = lambda: reduced
        keeper, _members = token.join()
        await keeper.await_look()
        late = Member(token.build("first"))
        keeper.join(late)
        assert keeper.find_opened(late.since) is None, "a look from before it says nothing"
        await keeper.await_look()
        await keeper.await_look()
        assert late.told == 1
        opened = keeper.find_opened(late.since)
        assert opened is reduced

    asyncio.run(run())


def test_a_change_is_told_to_all_and_a_store_that_cannot_say_to_nobody() -> None:
    async def run() -> None:
        token = Token()
        keeper, members = token.join(3)
        first = token.build()
        token.look = lambda: first
        await keeper.await_look()
        told = [one.told for one in members]

        def fail() -> None:
            raise StoreUnavailable("no primary")

        token.look = fail
        for _ in range(2):
            await keeper.await_look()
        assert [one.told for one in members] == told
        token.look = lambda: token.build("reduced")
        await keeper.await_look()
        assert [one.told for one in members] == [one + 1 for one in told]

    asyncio.run(run())


@pytest.mark.parametrize("kind", [Denied, Unauthenticated])
def test_a_refusal_ends_all_and_nobody_that_comes_later(kind: type[Denied]) -> None:
    async def run() -> None:
        token = Token()
        keeper, members = token.join(3)

        def refuse() -> None:
            raise kind("no more")

        token.look = refuse
        await keeper.await_look()
        seen = list[Exception]()
        for one in members:
            with pytest.raises(kind) as caught:
                keeper.find_opened(one.since)
            seen.append(caught.value)
        assert all(one.told for one in members)
        assert len({id(one) for one in seen}) == 3, "a raised error grows with each stream"
        assert find_keeper(members[0].call) is not keeper, "rights may come back"

    asyncio.run(run())


def test_a_fault_of_ours_ends_the_streams() -> None:
    async def run() -> None:
        token = Token()
        keeper, members = token.join(2)

        def break_down() -> None:
            raise RuntimeError("a fault")

        token.look = break_down
        await keeper.await_look()
        await asyncio.sleep(0)
        assert [one.is_dropped for one in members] == [True, True]
        assert token.service.keepers == {}

    asyncio.run(run())


@pytest.mark.parametrize(
    "other",
    [
        {"token": "another"},
        {"realm": None},
        {"area": "billing"},
        {"target": UserKey(subject="clerk")},
        {"on_behalf_of": OnBehalfOf("someone")},
        {"audience": "mcp"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_streams_that_were_opened_for_something_else_are_looked_at_apart(other: dict[str, Any]) -> None:
    """Their rights may end at different times, though they are the same at first."""

    async def run() -> None:
        token = Token()
        service: Any = token.service
        opening = Opening(service, "1", "10.0.0.1", token="a token", realm="main", area="logistics")
        same = replace(opening, request_id="2", address="10.0.0.2")
        calls = [token.build() for _ in range(3)]
        for call, opened_for in zip(calls, (opening, same, replace(opening, **other)), strict=True):
            call.open_again = opened_for
        first, second, third = map(find_keeper, calls)
        assert first is second
        assert first is not third

    asyncio.run(run())


def test_streams_end_with_the_task_that_looks_at_their_rights() -> None:
    """It is not theirs to wait for looks that nobody takes any more; and those that come later are looked at."""

    async def run() -> None:
        token = Token()

        def cancel() -> None:
            raise asyncio.CancelledError

        token.look = cancel
        keeper, members = token.join(2)
        await keeper.await_look()
        assert [one.is_dropped for one in members] == [True, True]
        assert find_keeper(token.build()) is not keeper

    asyncio.run(run())


class Watcher(Watch):
    async def enter(self, call: Any) -> None: ...

    def render(self, written: Any) -> bytes | None:
        return None


async def _yield_past(watch: Watch, *, ends: bool) -> AsyncGenerator[bytes, None]:
    yield b"first"
    if ends:
        watch.end_at_once()
    watch.since -= 60  # the call was opened long ago
    yield b"second"


@pytest.mark.parametrize("ends", [False, True], ids=["", "with the last event of the past"])
def test_nothing_of_the_past_is_sent_once_nobody_looks_at_rights(ends: bool) -> None:
    async def run() -> None:
        token = Token()

        def break_down() -> None:
            raise RuntimeError("a fault")

        token.look = break_down
        watch = Watcher(token.build(), frozenset(), "shipments")
        hub: Any = SimpleNamespace(leave=lambda one: None, place=None)
        stream = start_stream(watch, hub, b"", _yield_past(watch, ends=ends))
        assert [piece async for piece in stream.rest] == [b"first"]

    asyncio.run(run())


def test_rights_of_elsewhere_are_not_adopted() -> None:
    token = Token()
    call, elsewhere = token.build(), token.build()
    elsewhere.database = "another"
    assert adopt_rights(call, call, "then") is call
    for other in (token.build(tenant="other"), elsewhere):
        with pytest.raises(Denied):
            adopt_rights(call, other, "then")
