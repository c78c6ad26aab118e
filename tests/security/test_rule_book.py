"""The rules in force: what is read, for how long it is believed, and what happens when many ask at once."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.access import rule_book, stored_rules
from runtime.access.rule_book import RuleBook
from runtime.errors import Misconfigured, StoreUnavailable
from runtime.permissions import Rule
from runtime.principal import DomainContext, DomainScope
from runtime.storage.store import Store
from runtime.system.record_types import PERMISSION_RULE

pytestmark = pytest.mark.anyio

BUILT_IN = (Rule("admin", identity="admin", priority=-1000),)
ACME, GLOBEX = DomainContext("acme", "main"), DomainContext("globex", "main")


class WatchedStore(Store):
    """The store, which counts what is read from it, and can be held up once an answer is there."""

    def __init__(self, uri: str) -> None:
        super().__init__(uri)
        self.reads = 0
        self.answered = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self.fault: Exception | None = None

    async def find(self, *arguments: Any, **options: Any) -> list[dict[str, Any]]:
        self.reads += 1
        found = await super().find(*arguments, **options)
        self.answered.set()
        await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        return found


@pytest.fixture
async def store(mongo_uri: str, anyio_backend: str) -> AsyncIterator[WatchedStore]:
    opened = WatchedStore(mongo_uri)
    yield opened
    await opened.close()


@pytest.fixture
def book(store: WatchedStore, clock: Callable[[], float]) -> RuleBook:
    return RuleBook(store, BUILT_IN, 10.0, clock)


Add = Callable[..., Any]


@pytest.fixture
def add(mongo_client: MongoClient[dict[str, Any]], realm: str) -> Add:
    """Puts a rule into the realm; answers with its id."""

    def put(name: str, tenant: str = "acme", database: str = realm, **members: Any) -> Any:
        domain = {"tenantId": tenant, "dataSegment": 0} | members.pop("domain", {})
        document = {"name": name, "effect": "ALLOW", "securityURI": {}, "dataDomain": domain, "enabled": True}
        collection = mongo_client[database][PERMISSION_RULE.collection]
        return collection.insert_one(
            document | {"refName": name, "activeStatus": "ACTIVE"} | members
        ).inserted_id

    return put


async def stored_names(book: RuleBook, realm: str, domain: DomainContext = ACME) -> list[str]:
    return [rule.name for rule in (await book.find_rules(realm, domain)).rules if rule.source == "record"]


async def test_rules_of_the_tenant_stand_behind_those_of_the_specifications(
    book: RuleBook, add: Add, realm: str
) -> None:
    add("one", domain={"orgRefName": "north"})
    add("foreign", tenant="globex")
    found = (await book.find_rules(realm, ACME)).rules
    assert found == (
        *BUILT_IN,
        Rule("one", source="record", holds_in=DomainScope("acme", "north")),
    )
    assert await stored_names(book, realm, GLOBEX) == ["foreign"]
    assert await stored_names(book, f"{realm}-x") == [], "another realm has its own rules"


@pytest.mark.parametrize(
    ("members", "is_in_force"),
    [
        pytest.param({"enabled": False}, False, id="disabled"),
        pytest.param({"enabled": None}, True, id="enabled is cleared"),
        pytest.param({"activeStatus": "ARCHIVED"}, False, id="archived"),
        pytest.param({"activeStatus": "INACTIVE"}, True, id="inactive"),
    ],
)
async def test_what_is_switched_off_is_not_in_force(
    book: RuleBook, add: Add, realm: str, members: dict[str, Any], is_in_force: bool
) -> None:
    add("one", **members)
    assert await stored_names(book, realm) == ["one"] * is_in_force


async def test_a_rule_that_cannot_be_read_is_a_denial_in_force(book: RuleBook, add: Add, realm: str) -> None:
    add("broken", priority="first")
    (found,) = [rule for rule in (await book.find_rules(realm, ACME)).rules if rule.source == "record"]
    assert (found.allows, found.is_final) == (False, True)


async def test_tenants_without_stored_rules_share_one_set(book: RuleBook, add: Add, realm: str) -> None:
    add("one", tenant="globex")
    acme, initech = [
        await book.find_rules(realm, DomainContext(name, "main")) for name in ("acme", "initech")
    ]
    assert acme is initech
    assert acme.rules == BUILT_IN
    assert await book.find_rules(realm, GLOBEX) is not acme


async def test_callers_of_one_tenant_share_one_set(book: RuleBook, add: Add, realm: str) -> None:
    add("one")
    north = DomainContext("acme", "main", org_ref_name="north", account_id="A", data_segment=3)
    assert await book.find_rules(realm, ACME) is await book.find_rules(realm, north)


async def test_a_caller_without_a_tenant_has_those_of_the_specifications(
    book: RuleBook, store: WatchedStore, add: Add, realm: str
) -> None:
    add("one", tenant="")
    assert (await book.find_rules(realm, DomainContext("", "main"))).rules == BUILT_IN
    assert store.reads == 0


# For how long ------------------------------------------------------------------------------------


async def test_rules_are_believed_for_ten_seconds_and_no_longer(
    book: RuleBook, store: WatchedStore, add: Add, realm: str, clock: Any
) -> None:
    assert await stored_names(book, realm) == []
    add("one")
    clock.advance(9.99)
    assert await stored_names(book, realm) == []
    assert store.reads == 1
    clock.advance(0.01)
    assert await stored_names(book, realm) == ["one"]
    clock.advance(-60)
    await stored_names(book, realm)
    assert store.reads == 3, "a clock that was set back believes nothing"


async def test_the_age_counts_from_the_question_not_from_the_answer(
    book: RuleBook, store: WatchedStore, realm: str, clock: Any
) -> None:
    store.gate.clear()
    asked = asyncio.create_task(book.find_rules(realm, ACME))
    await store.answered.wait()
    clock.advance(10)
    store.gate.set()
    await asked
    await book.find_rules(realm, ACME)
    assert store.reads == 2


async def test_unchanged_rules_keep_what_was_worked_out_with_them(
    book: RuleBook, add: Add, realm: str, clock: Any
) -> None:
    add("one")
    before = await book.find_rules(realm, ACME)
    clock.advance(10)
    assert await book.find_rules(realm, ACME) is before
    add("two")
    clock.advance(10)
    assert await book.find_rules(realm, ACME) is not before


async def test_what_was_worked_out_with_rules_is_forgotten_after_minutes(
    book: RuleBook, add: Add, realm: str, clock: Any
) -> None:
    """It is as much as a megabyte for each tenant, and there may be thousands."""
    add("one")
    before = await book.find_rules(realm, ACME)
    before.accesses["a caller"] = "an access"
    clock.advance(590)
    await book.find_rules(realm, ACME)
    assert before.accesses
    clock.advance(10)
    assert await book.find_rules(realm, ACME) is before, "streams end where rights change"
    assert not before.accesses


async def test_tenants_that_nobody_asks_for_are_forgotten(
    book: RuleBook, add: Add, realm: str, clock: Any
) -> None:
    for domain in (ACME, GLOBEX):
        add("one", tenant=domain.tenant_id)
    unused = weakref.ref(await book.find_rules(realm, ACME))
    clock.advance(600)
    await book.find_rules(realm, GLOBEX)
    assert unused() is not None
    clock.advance(10)
    await book.find_rules(realm, GLOBEX)
    gc.collect()
    assert unused() is None


async def test_nothing_is_believed_when_the_setting_says_so(
    store: WatchedStore, add: Add, realm: str
) -> None:
    book = RuleBook(store, BUILT_IN, 0)
    assert await stored_names(book, realm) == []
    add("one")
    assert await stored_names(book, realm) == ["one"]


async def test_no_answer_of_the_store_is_no_answer_and_never_an_old_one(
    book: RuleBook, store: WatchedStore, realm: str, clock: Any
) -> None:
    await book.find_rules(realm, ACME)
    store.fault = StoreUnavailable("gone")
    await book.find_rules(realm, ACME)
    clock.advance(10)
    for _attempt in range(2):
        with pytest.raises(StoreUnavailable):
            await book.find_rules(realm, ACME)
    store.fault = None
    await book.find_rules(realm, ACME)


async def test_forgetting_a_database_asks_for_all_of_its_tenants_and_no_others(
    book: RuleBook, store: WatchedStore, realm: str
) -> None:
    asked = [(realm, ACME), (realm, GLOBEX), (f"{realm}-x", ACME)]

    async def reads() -> int:
        before = store.reads
        for database, domain in asked:
            await book.find_rules(database, domain)
        return store.reads - before

    assert await reads() == 3
    book.forget("unknown")
    assert await reads() == 0
    book.forget(realm, "65f0c0ffee00c0ffee00c0de")
    assert await reads() == 2
    book.forget(None)
    assert await reads() == 3


async def test_what_was_on_its_way_when_it_was_forgotten_is_not_kept(
    book: RuleBook, store: WatchedStore, add: Add, realm: str
) -> None:
    store.gate.clear()
    early = asyncio.create_task(stored_names(book, realm))
    await store.answered.wait()
    add("one")
    book.forget(realm)
    late = asyncio.create_task(stored_names(book, realm))
    await asyncio.sleep(0)
    store.gate.set()
    assert await early == []
    assert await late == ["one"], "who asks afterwards does not wait for the old answer"
    assert await stored_names(book, realm) == ["one"]
    assert store.reads == 2


async def test_an_answer_that_was_forgotten_on_its_way_is_good_for_those_who_waited_alone(
    book: RuleBook, store: WatchedStore, add: Add, realm: str
) -> None:
    store.gate.clear()
    early = asyncio.create_task(stored_names(book, realm))
    await store.answered.wait()
    add("one")
    book.forget(realm)
    store.gate.set()
    assert await early == []
    assert await stored_names(book, realm) == ["one"]


# Many at once ------------------------------------------------------------------------------------


async def test_many_who_wait_share_one_read(
    book: RuleBook, store: WatchedStore, add: Add, realm: str
) -> None:
    add("one")
    found = await asyncio.gather(*(book.find_rules(realm, ACME) for _caller in range(50)))
    assert store.reads == 1
    assert len(set(map(id, found))) == 1


async def test_who_gives_up_waiting_leaves_the_others_their_answer(
    book: RuleBook, store: WatchedStore, add: Add, realm: str
) -> None:
    add("one")
    store.gate.clear()
    first, second, third = (asyncio.create_task(stored_names(book, realm)) for _caller in range(3))
    await store.answered.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    store.gate.set()
    assert [await second, await third] == [["one"], ["one"]]
    assert store.reads == 1


async def ask_and_give_up(book: RuleBook, store: WatchedStore, realm: str) -> None:
    """Ask, wait no longer once the store has answered, and let the read come to its end."""
    store.gate.clear()
    only = asyncio.create_task(book.find_rules(realm, ACME))
    await store.answered.wait()
    only.cancel()
    with pytest.raises(asyncio.CancelledError):
        await only
    (reading,) = [task for task in asyncio.all_tasks() if task.get_name() == "reading permission rules"]
    store.gate.set()
    await asyncio.wait({reading})


async def test_an_answer_that_nobody_waits_for_is_kept(
    book: RuleBook, store: WatchedStore, realm: str
) -> None:
    await ask_and_give_up(book, store, realm)
    await book.find_rules(realm, ACME)
    assert store.reads == 1


async def test_a_fault_that_nobody_waits_for_makes_no_noise(
    book: RuleBook, store: WatchedStore, realm: str
) -> None:
    """asyncio would tell of a fault that is never looked at, and warnings are errors."""
    store.fault = StoreUnavailable("gone")
    told: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context))
    await ask_and_give_up(book, store, realm)
    gc.collect()
    assert told == []
    store.fault = None
    await book.find_rules(realm, ACME)
    assert store.reads == 2


async def test_a_fault_is_shared_by_those_who_wait_and_not_kept(
    book: RuleBook, store: WatchedStore, realm: str
) -> None:
    store.fault = StoreUnavailable("gone")
    found = await asyncio.gather(
        *(book.find_rules(realm, ACME) for _caller in range(5)), return_exceptions=True
    )
    assert [type(one) for one in found] == [StoreUnavailable] * 5
    assert store.reads == 1
    store.fault = None
    await book.find_rules(realm, ACME)


# How many ----------------------------------------------------------------------------------------


async def test_a_tenant_with_too_many_rules_gets_no_answer_and_others_theirs(
    book: RuleBook, add: Add, realm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_rules, "MOST_READ", 3)
    for number in range(3):
        add(f"r{number}")
    assert len(await stored_names(book, realm)) == 3
    add("r3")
    add("foreign", tenant="globex")
    book.forget(realm)
    with pytest.raises(Misconfigured, match="more permission rules"):
        await book.find_rules(realm, ACME)
    assert await stored_names(book, realm, GLOBEX) == ["foreign"]


@pytest.mark.parametrize("limit", ["_MOST_TENANTS", "_MOST_KEPT_RULES"])
async def test_what_is_remembered_is_bounded(
    book: RuleBook, store: WatchedStore, add: Add, realm: str, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """The tenant that was asked for longest ago goes first."""
    monkeypatch.setattr(rule_book, limit, 2)
    tenants = [DomainContext(name, "main") for name in ("a", "b", "c")]
    for domain in tenants:
        add("one", tenant=domain.tenant_id)
    first, second, third = tenants
    for domain in (first, second, first, third):
        await book.find_rules(realm, domain)
    assert store.reads == 3
    for domain in (first, third):
        await book.find_rules(realm, domain)
    assert store.reads == 3
    await book.find_rules(realm, second)
    assert store.reads == 4
