"""What looks at the rights of streams: once for all of a token, and no stream passes by unseen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.errors import Denied, StoreUnavailable, Unauthenticated
from runtime.events import rights
from runtime.events.rights import Keeper, adopt_rights, find_keeper

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
        self.service = SimpleNamespace(keepers={})
        self.looks = 0
        self.look: Look = self.build

    def build(self, rules: object = "first", subject: str = "clerk", tenant: str = "acme") -> Any:
        principal = SimpleNamespace(subject=subject, on_behalf_of=None, domain=tenant)
        return SimpleNamespace(
            service=self.service, principal=principal, rules=rules, database="main", realm="main",
            token="a token", open_again=self.open_again,
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


def test_rights_of_elsewhere_are_not_adopted() -> None:
    token = Token()
    call, elsewhere = token.build(), token.build()
    elsewhere.database = "another"
    assert adopt_rights(call, call) is call
    for other in (token.build(tenant="other"), elsewhere):
        with pytest.raises(Denied):
            adopt_rights(call, other)
