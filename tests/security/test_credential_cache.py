"""What is remembered of credentials: for some seconds, and not after a change that was told."""

from __future__ import annotations

import asyncio

import pytest

from runtime.identity.memory import Freshness, RecordMemory
from runtime.principal import DomainContext, Identity
from runtime.standing import Standing

pytestmark = pytest.mark.anyio

Cache = RecordMemory[tuple[str, str], Standing]


def standing(subject: str, epoch: int = 1) -> Standing:
    identity = Identity(subject, subject, "main", frozenset({"user"}), DomainContext("acme", "main"))
    return Standing(identity, epoch, f"id-of-{subject}")


class Store:
    """Records who was looked up; a lookup waits while ``gate`` is shut."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.epoch = 1
        self.gate = asyncio.Event()
        self.gate.set()
        self.has_read = asyncio.Event()

    async def find(self, cache: Cache, subject: str, realm: str = "main") -> Standing | None:
        """Find what is remembered of a user, or look them up."""
        return await cache.get((realm, subject), lambda: self.load(subject))

    async def load(self, subject: str) -> Standing:
        self.asked.append(subject)
        read = standing(subject, self.epoch)
        self.has_read.set()
        await self.gate.wait()
        return read


@pytest.fixture
async def store(anyio_backend: str) -> Store:
    return Store()


@pytest.fixture
def cache() -> Cache:
    return build_cache(most=10)


def build_cache(most: int) -> Cache:
    return RecordMemory(Freshness(10, lambda: 0.0), most)


async def test_a_changed_credential_is_looked_up_again_and_no_other(cache: Cache, store: Store) -> None:
    for subject in ("ada", "bob", "ada", "bob"):
        await store.find(cache, subject)
    assert store.asked == ["ada", "bob"]
    cache.forget_record("main", "id-of-ada")
    cache.forget_record("main", "id-of-nobody")
    for subject in ("ada", "bob"):
        await store.find(cache, subject)
    assert store.asked == ["ada", "bob", "ada"]


async def test_when_anything_may_have_changed_all_are(cache: Cache, store: Store) -> None:
    for _ in range(2):
        for subject in ("ada", "bob"):
            await store.find(cache, subject)
        cache.forget_record(None, None)
    assert store.asked == ["ada", "bob"] * 2


@pytest.mark.parametrize("changed", ["id-of-ada", None])
async def test_what_was_read_before_a_change_is_not_remembered(
    cache: Cache, store: Store, changed: str | None
) -> None:
    store.gate.clear()
    reading = asyncio.create_task(store.find(cache, "ada"))
    await store.has_read.wait()
    store.epoch = 2
    cache.forget_record("main", changed)
    store.gate.set()
    old = await reading
    new = await store.find(cache, "ada")
    assert old is not None
    assert new is not None
    assert (old.epoch, new.epoch) == (1, 2)


async def test_the_memory_is_bounded(store: Store) -> None:
    cache = build_cache(most=2)
    for subject in ("ada", "bob", "ada", "cora", "ada"):  # bob was asked for longest ago
        await store.find(cache, subject)
    assert store.asked == ["ada", "bob", "cora"]
    await store.find(cache, "bob")
    assert store.asked[-1] == "bob"
    assert len(cache._found) == len(cache._keys) == 2


async def test_records_of_one_id_in_two_realms_are_both_dropped(cache: Cache, store: Store) -> None:
    """A realm that was restored from another has its ids too."""
    for realm in ("main", "copy"):
        await store.find(cache, "ada", realm)
    cache.forget_record("copy", "id-of-ada")
    for realm in ("main", "copy"):
        await store.find(cache, "ada", realm)
    assert store.asked == ["ada"] * 4
    assert len(cache._keys) == 1
