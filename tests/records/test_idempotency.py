"""A request with a key has its effect once: retries, races, crashes at every point, take-over, expiry."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import orjson
import pytest
from pymongo import MongoClient

from runtime import records
from runtime.call import Call
from runtime.contract.writes import Bulk, BulkOperation
from runtime.errors import (
    AnswerNotKept,
    Denied,
    KeyInFlight,
    KeyMismatch,
    NotFound,
    ServiceError,
    StoreUnavailable,
    ValidationFailed,
    VersionConflict,
)
from runtime.model.clock import now
from runtime.permissions import Rule
from runtime.principal import DomainContext, Identity
from runtime.records.document.terms import PLAIN
from runtime.records.effects.idempotency import run_once, share_key
from runtime.records.effects.receipts import MOST_KEPT, lease_of
from runtime.storage.store import Transaction
from runtime.storage.wire import Json
from tests.records.conftest import Caller
from tests.records.crates import CRATE, crate

pytestmark = pytest.mark.anyio

Document = dict[str, Any]
Client = MongoClient[Document]
Work = Callable[[Call], Awaitable[Json[Any]]]


class Crash(BaseException):
    """The process dies: nothing is tidied up."""


def refused(error: ServiceError) -> Json[Any]:
    return Json(error.code.encode(), error.status, {"Content-Type": "text/plain"})


async def ask(call: Call, work: Work, key: str = "k", request: str = "r") -> Json[Any]:
    return await run_once(call, key, request, work, refused)


def saving(content: str = "x", then: BaseException | None = None) -> Work:
    """Saves a crate; ``then`` happens after it was stored."""

    async def work(call: Call) -> Json[Any]:
        answer = await records.save(call, CRATE, crate(content=content), PLAIN)
        if then is not None:
            raise then
        return answer

    return work


def failing(error: BaseException) -> Work:
    async def work(_call: Call) -> Json[Any]:
        raise error

    return work


@pytest.fixture
def stored(mongo_client: Client, realm: str) -> Callable[[], tuple[int, int]]:
    """How many crates there are, and how many revisions of them."""

    def count() -> tuple[int, int]:
        database = mongo_client[realm]
        return database["crates"].count_documents({}), database["revisions"].count_documents({})

    return count


@pytest.fixture
def end_lease(mongo_client: Client, realm: str) -> Callable[[], None]:
    """As if the lease of every key had run out."""

    def end() -> None:
        past = now() - timedelta(seconds=1)
        mongo_client[realm]["idempotencyKeys"].update_many({}, {"$set": {"leaseUntil": past}})

    return end


Stored = Callable[[], tuple[int, int]]
EndLease = Callable[[], None]


async def test_the_first_answer_again(caller: Caller, stored: Stored) -> None:
    first = await ask(caller(), saving())
    again = await ask(caller(), saving())
    assert (again.body, again.status) == (first.body, 201)
    assert again.headers == {**first.headers, "Idempotency-Replayed": "true"}
    assert "Idempotency-Replayed" not in first.headers
    assert stored() == (1, 1)


async def test_another_key_is_another_request(caller: Caller, stored: Stored) -> None:
    await ask(caller(), saving(), key="a")
    await ask(caller(), saving(), key="b")
    assert stored() == (2, 2)


async def test_another_request_with_the_key_is_refused(caller: Caller, stored: Stored) -> None:
    await ask(caller(), saving())
    with pytest.raises(KeyMismatch):
        await ask(caller(), saving("other"), request="other")
    assert stored() == (1, 1)


async def test_keys_of_others_are_others(caller: Caller, stored: Stored) -> None:
    boss = Identity("bob", "s-bob", "main", frozenset(), DomainContext("acme", "main"))
    mine = caller()
    callers = [
        mine, caller(user="ben"), caller("globex"),
        replace(mine, principal=replace(mine.principal, impersonator=boss)),
    ]  # fmt: skip
    answers = [await ask(call, saving()) for call in callers]
    assert len({answer.body for answer in answers}) == 4
    assert stored() == (4, 4)


async def test_many_at_once_have_one_effect(caller: Caller, stored: Stored) -> None:
    tried = await asyncio.gather(
        *(ask(caller(), saving(), key=f"k{number % 3}") for number in range(30)), return_exceptions=True
    )
    done = [one for one in tried if isinstance(one, Json)]
    assert all(isinstance(one, Json | KeyInFlight) for one in tried)
    assert len({one.body for one in done}) == 3
    assert sum("Idempotency-Replayed" not in one.headers for one in done) == 3
    assert stored() == (3, 3)


async def test_a_long_request_keeps_its_key(caller: Caller, mongo_client: Client, realm: str) -> None:
    """Its lease is renewed until it ends; nobody else may take over in between."""
    call = caller()
    hurried = call.service.settings.model_copy(update={"mongodb_timeout_ms": 150})
    call = replace(call, service=replace(call.service, settings=hurried))
    keys = mongo_client[realm]["idempotencyKeys"]

    async def lasting(inner: Call) -> Json[Any]:
        found = keys.find_one({"state": "IN_FLIGHT"})
        assert found is not None
        later = {"leaseUntil": {"$gt": found["leaseUntil"] + 2 * lease_of(call)}}
        for _look in range(1000):
            if keys.count_documents(later):
                break
            await asyncio.sleep(0.02)
        assert keys.count_documents(later)
        with pytest.raises(KeyInFlight):
            await ask(call, saving())
        return await saving()(inner)

    assert (await ask(call, lasting)).status == 201


class TestRefusals:
    async def test_of_the_request_are_kept(self, caller: Caller, stored: Stored) -> None:
        first = await ask(caller(), failing(ValidationFailed("no", violations=[])))
        again = await ask(caller(), saving())
        assert (first.status, first.body) == (again.status, again.body) == (422, b"record.invalid")
        assert stored() == (0, 0)

    @pytest.mark.parametrize("error", [Denied("no"), StoreUnavailable("no"), RuntimeError("a fault")])
    async def test_of_this_moment_are_not(self, caller: Caller, stored: Stored, error: Exception) -> None:
        with pytest.raises(type(error)):
            await ask(caller(), failing(error))
        assert (await ask(caller(), saving(), request="another one")).status == 201
        assert stored() == (1, 1)

    async def test_a_refusal_undoes_what_was_signed(self, caller: Caller, stored: Stored) -> None:
        """The second operation of an atomic bulk request fails."""
        body = Bulk(
            operations=[
                BulkOperation(op="save", record={"content": "a"}),
                BulkOperation(op="delete", id="0" * 24),
            ],
            atomic=True,
        )
        for _each in range(2):
            answer = await ask(caller(), lambda call: records.run_bulk(call, CRATE, body))
            assert (answer.status, answer.body) == (404, NotFound.code.encode())
        assert stored() == (0, 0)


class TestCrashes:
    async def test_before_the_effect(self, caller: Caller, stored: Stored, end_lease: EndLease) -> None:
        with pytest.raises(Crash):
            await ask(caller(), failing(Crash()))
        with pytest.raises(KeyInFlight):  # nobody knows yet that it died
            await ask(caller(), saving())
        end_lease()
        with pytest.raises(KeyMismatch):
            await ask(caller(), saving(), request="another one")
        assert (await ask(caller(), saving())).status == 201
        assert stored() == (1, 1)

    async def test_after_the_effect(self, caller: Caller, stored: Stored) -> None:
        with pytest.raises(Crash):
            await ask(caller(), saving(then=Crash()))
        answer = await ask(caller(), saving())
        assert (answer.status, answer.headers["Idempotency-Replayed"]) == (201, "true")
        assert orjson.loads(answer.body)["content"] == "x"
        assert stored() == (1, 1)

    async def test_a_fault_after_the_effect_keeps_it(self, caller: Caller, stored: Stored) -> None:
        """Such as a time-out that came when the transaction was done."""
        with pytest.raises(StoreUnavailable):
            await ask(caller(), saving(then=StoreUnavailable("late")))
        assert (await ask(caller(), saving())).headers["Idempotency-Replayed"] == "true"
        assert stored() == (1, 1)

    async def test_who_was_taken_for_dead_can_store_nothing(
        self, caller: Caller, stored: Stored, end_lease: EndLease
    ) -> None:
        """The first one sleeps over its lease, the second one does the request, then the first wakes up."""
        asleep, may_wake = asyncio.Event(), asyncio.Event()

        async def sleepy(call: Call) -> Json[Any]:
            asleep.set()
            await may_wake.wait()
            return await records.save(call, CRATE, crate(content="late"), PLAIN)

        first = asyncio.create_task(ask(caller(), sleepy))
        await asleep.wait()
        end_lease()
        second = await ask(caller(), saving("in time"))
        may_wake.set()
        with pytest.raises(KeyInFlight):
            await first
        assert (await ask(caller(), saving())).body == second.body
        assert stored() == (1, 1)

    async def test_the_mark_goes_with_the_effect(
        self, caller: Caller, stored: Stored, end_lease: EndLease
    ) -> None:
        """The process dies when everything is written and nothing is committed."""

        async def dying(call: Call) -> Json[Any]:
            async def inside(transaction: Transaction) -> None:
                bound = replace(call, transaction=transaction)
                await records.save(bound, CRATE, crate(content="x"), PLAIN)
                raise Crash

            await call.service.store.transact(inside)
            raise AssertionError("not reached")

        with pytest.raises(Crash):
            await ask(caller(), dying)
        assert stored() == (0, 0)
        with pytest.raises(KeyInFlight):
            await ask(caller(), saving())
        end_lease()
        assert "Idempotency-Replayed" not in (await ask(caller(), saving())).headers
        assert stored() == (1, 1)

    async def test_one_of_many_takes_over(self, caller: Caller, stored: Stored, end_lease: EndLease) -> None:
        with pytest.raises(Crash):
            await ask(caller(), failing(Crash()))
        end_lease()
        tried = await asyncio.gather(*(ask(caller(), saving()) for _ in range(10)), return_exceptions=True)
        assert all(isinstance(one, Json | KeyInFlight) for one in tried)
        assert any(isinstance(one, Json) for one in tried)
        assert stored() == (1, 1)


class TestBulk:
    OPERATIONS = (
        BulkOperation(op="save", record={"content": "a", "refName": "a"}),
        BulkOperation(op="save", record={"content": "b"}),
        BulkOperation(op="delete", id="0" * 24),
        BulkOperation(op="save", record={"content": "c"}),
    )
    BODY = Bulk(operations=list(OPERATIONS))

    async def test_again_as_a_whole(self, caller: Caller, stored: Stored) -> None:
        for atomic in (True, False):
            body = Bulk(operations=[one for one in self.OPERATIONS if one.op == "save"], atomic=atomic)
            before = stored()[0]
            answers = [
                await ask(caller(), lambda call: records.run_bulk(call, CRATE, body), key=f"{atomic}")  # noqa: B023
                for _ in range(2)
            ]
            assert answers[0].body == answers[1].body
            assert stored()[0] == before + 3

    async def test_goes_on_where_it_ended(self, caller: Caller, stored: Stored, end_lease: EndLease) -> None:
        """The process dies when the first two operations are stored."""
        first_two = Bulk(operations=list(self.OPERATIONS[:2]))

        async def dying(call: Call) -> Json[Any]:
            await records.run_bulk(call, CRATE, first_two)
            raise Crash

        with pytest.raises(Crash):
            await ask(caller(), dying)
        assert stored() == (2, 2)
        end_lease()
        answer = await ask(caller(), lambda call: records.run_bulk(call, CRATE, self.BODY))
        told = orjson.loads(answer.body)
        assert [(one["index"], one["status"]) for one in told["results"]] == [
            (0, 201), (1, 201), (2, 404), (3, 201),
        ]  # fmt: skip
        assert (told["saved"], told["failed"]) == (3, 1)
        assert stored() == (3, 3)
        assert (await ask(caller(), saving())).body == answer.body

    async def test_a_fault_in_the_middle_loses_nothing(self, caller: Caller, stored: Stored) -> None:
        """The key stays taken, and the next try goes on at once."""

        async def broken(call: Call) -> Json[Any]:
            await records.run_bulk(call, CRATE, Bulk(operations=list(self.OPERATIONS[:1])))
            raise StoreUnavailable("gone")

        with pytest.raises(StoreUnavailable):
            await ask(caller(), broken)
        answer = await ask(caller(), lambda call: records.run_bulk(call, CRATE, self.BODY))
        assert orjson.loads(answer.body)["saved"] == 3
        assert stored() == (3, 3)


class TestWhatIsKept:
    async def test_for_a_day(self, caller: Caller, mongo_client: Client, realm: str, stored: Stored) -> None:
        await ask(caller(), saving())
        keys = mongo_client[realm]["idempotencyKeys"]
        (key,) = keys.find()
        assert timedelta(hours=23) < key["expiresAt"] - now() <= timedelta(hours=24)
        assert key["leaseUntil"] - now() <= lease_of(caller())
        keys.update_many({}, {"$set": {"expiresAt": now()}})
        assert "Idempotency-Replayed" not in (await ask(caller(), saving(), request="another one")).headers
        assert stored() == (2, 2)

    async def test_not_for_other_rights(self, caller: Caller, stored: Stored) -> None:
        await ask(caller(), saving())
        withheld = Rule("no content", domain="crate", hidden=frozenset({"content"}))
        for other in (
            caller(roles=frozenset({"admin"})),
            caller(rules=(withheld,)),
            caller(org_ref_name="x"),
        ):
            with pytest.raises(AnswerNotKept):
                await ask(other, saving())
        assert stored() == (1, 1)

    async def test_no_large_answers(self, caller: Caller, stored: Stored) -> None:
        answer = await ask(caller(), saving("x" * MOST_KEPT))
        assert len(answer.body) > MOST_KEPT
        with pytest.raises(AnswerNotKept):
            await ask(caller(), saving("x" * MOST_KEPT))
        assert stored() == (1, 1)

    async def test_no_key_in_clear(self, caller: Caller, mongo_client: Client, realm: str) -> None:
        await ask(caller(), saving(), key="order-of-ann@acme.example")
        (key,) = mongo_client[realm]["idempotencyKeys"].find()
        assert "order-of-ann" not in str(key)
        assert key["dataDomain"]["tenantId"] == "acme"


class TestHandlers:
    """A handler of an application writes as often as it likes, and answers something else."""

    @staticmethod
    def handler(runs: list[int], then: BaseException | None = None) -> Work:
        async def work(call: Call) -> Json[Any]:
            runs.append(1)
            for content in "xy":
                await saving(content)(share_key(call))
            if then is not None:
                raise then
            return Json(b'{"crates":2}')

        return work

    async def test_its_own_answer_is_stored(self, caller: Caller, stored: Stored) -> None:
        runs: list[int] = []
        answers = [await ask(caller(), self.handler(runs)) for _ in range(2)]
        assert [(one.status, one.body) for one in answers] == [(200, b'{"crates":2}')] * 2
        assert (len(runs), stored()) == (1, (2, 2))
        assert answers[1].headers["Idempotency-Replayed"] == "true"

    async def test_its_refusal_is_stored(self, caller: Caller, stored: Stored) -> None:
        runs: list[int] = []
        answers = [
            await ask(caller(), self.handler(runs, ValidationFailed("no", violations=[]))) for _ in range(2)
        ]
        assert [one.status for one in answers] == [422, 422]
        assert (len(runs), stored()) == (1, (2, 2))

    @pytest.mark.parametrize(
        "fault", [StoreUnavailable("down"), VersionConflict("late"), RuntimeError("bug")]
    )
    async def test_what_has_written_is_not_run_again(
        self, fault: Exception, caller: Caller, stored: Stored
    ) -> None:
        runs: list[int] = []
        with pytest.raises(type(fault)):
            await ask(caller(), self.handler(runs, fault))
        with pytest.raises(AnswerNotKept, match="has written"):
            await ask(caller(), self.handler(runs))
        assert (len(runs), stored()) == (1, (2, 2))

    async def test_a_second_request_waits_for_it(self, caller: Caller) -> None:
        async def work(call: Call) -> Json[Any]:
            await saving()(share_key(call))
            with pytest.raises(KeyInFlight):
                await ask(caller(), saving())
            return Json(b"{}")

        assert (await ask(caller(), work)).body == b"{}"
