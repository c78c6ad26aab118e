"""Committing: each row once, whoever asks, however often, and whatever comes between.

Faults are made at the store, as a service meets them: a commit that loses its session, one that dies between
two batches, a record that changes after it was read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import orjson
import pytest

from runtime.call import Call
from runtime.contract.imports import RowsParameters
from runtime.errors import AccessError, Denied, NotFound, SessionNotReady, StoreUnavailable, Unauthenticated
from runtime.model.clock import now
from runtime.permissions import RuleSet
from runtime.storage.store import Store
from runtime.transfer import commit_session, discard_session, list_rows
from runtime.transfer.rows.reading import BATCH
from runtime.transfer.sessions import committing
from runtime.transfer.sessions.committing import LEASE
from tests.transfer.stock import BIN, SHELF, Document, Stock

COLUMNS = "refName,title"


def analysed(stock: Stock, *lines: str, columns: str = COLUMNS) -> str:
    """The id of a session."""
    found = stock.analysed(columns, "\r\n".join([columns, *lines]).encode())
    return str(found["sessionId"])


def many(number: int, title: str = "x") -> list[str]:
    return [f"b-{at:04},{title}" for at in range(number)]


def committed(stock: Stock, session_id: str, call: Call | None = None) -> tuple[int, ...]:
    """Inserted, updated, skipped, failed."""
    return counts(stock.run(commit_session, call or stock.call(), BIN, session_id).body)


def counts(body: bytes) -> tuple[int, ...]:
    told = orjson.loads(body)
    return tuple(told[name] for name in ("inserted", "updated", "skipped", "failed"))


def kept(stock: Stock, session_id: str) -> Document:
    found = stock.documents["importSessions"].find_one({"refName": session_id})
    assert found is not None
    return found


def set_session(stock: Stock, session_id: str, **fields: Any) -> None:
    stock.documents["importSessions"].update_one({"refName": session_id}, {"$set": fields})


def with_store(call: Call, before_each: Callable[[int], Awaitable[None]]) -> Call:
    """The same request over a store that lets the test in before each transaction, which it counts."""

    class Watched(Store):
        async def transact(self, *arguments: Any, **options: Any) -> Any:
            self.__dict__["count"] = self.__dict__.get("count", 0) + 1
            await before_each(self.__dict__["count"])
            return await super().transact(*arguments, **options)

    watched = Watched.__new__(Watched)
    watched.__dict__.update(call.service.store.__dict__)
    return replace(call, service=replace(call.service, store=watched))


GIVEN_UP = {
    "before": ["b-1,C", "n-1,A", "b-2,A"],
    "behind": ["n-1,A", "b-1,C"],
    "behind a changed record": ["b-2,A", "b-1,C"],
    "by a row that fails": ["b-1,X", "n-1,A"],
    "by each other": ["b-1,B", "b-2,A"],
    "one after the other": ["b-3,Y", "b-2,X", "b-1,B", "n-1,A", "n-2,Y"],
    "by nobody, for a changed record first": ["b-1,N", "n-1,N"],
    "by nobody, for a new record first": ["n-1,N", "b-1,N"],
    "in many batches": ["n-0,B", *(f"m-{at},M{at}" for at in range(600)), "b-2,C", "n-1,B"],
}


class TestCounts:
    def test_each_row_is_one_of_four(self, bins: Stock) -> None:
        bins.plant({"refName": "b-2", "title": "Old"}, {"refName": "b-3", "title": "Same"})
        session_id = analysed(bins, "b-1,New", "b-2,New", "b-3,Same", "b-4", "b-5,New")
        assert committed(bins, session_id) == (2, 1, 1, 1)
        assert {name: (one["title"], one["version"]) for name, one in bins.bins().items()} == {
            "b-1": ("New", 1), "b-2": ("New", 2), "b-3": ("Same", 1), "b-5": ("New", 1),
        }  # fmt: skip

    def test_asked_again_it_says_the_same_and_stores_nothing(self, bins: Stock) -> None:
        session_id = analysed(bins, "b-1,New")
        first = committed(bins, session_id)
        bins.documents["bins"].delete_many({})
        assert committed(bins, session_id) == first == (1, 0, 0, 0)
        assert bins.bins() == {}

    @pytest.mark.parametrize("lines", [[], ["b-1"]], ids=["no rows", "only rows with errors"])
    def test_a_file_with_nothing_to_store(self, bins: Stock, lines: list[str]) -> None:
        session_id = analysed(bins, *lines)
        assert committed(bins, session_id) == (0, 0, 0, len(lines))
        assert kept(bins, session_id)["state"] == "COMMITTED"

    def test_large_rows_are_stored_a_few_at_a_time(self, bins: Stock) -> None:
        """So that neither the memory of a worker nor the time of a transaction depends on their size."""
        begun: list[int] = []

        async def count(number: int) -> None:
            begun.append(number)

        session_id = analysed(bins, *(f"b-{number:04},{'x' * 2**20}" for number in range(10)))
        assert committed(bins, session_id, with_store(bins.call(), count)) == (10, 0, 0, 0)
        assert len(begun) == 2

    @pytest.mark.parametrize("number", [BATCH - 1, BATCH, BATCH + 1])
    def test_around_the_end_of_a_batch(self, bins: Stock, number: int) -> None:
        session_id = analysed(bins, *many(number))
        assert committed(bins, session_id) == (number, 0, 0, 0)
        assert len(bins.bins()) == number
        assert kept(bins, session_id)["position"] == number

    @pytest.mark.parametrize("lines", GIVEN_UP.values(), ids=GIVEN_UP)
    def test_a_unique_value_is_free_once_a_row_has_given_it_up(self, bins: Stock, lines: list[str]) -> None:
        """The rows count in the order of the file, in an analysis, its commit and a direct import."""
        for tenant in ("acme", "globex"):
            there = (
                {"refName": name, "code": code} for name, code in (("b-1", "A"), ("b-2", "B"), ("b-3", "X"))
            )
            bins.plant(*there, tenant=tenant)
        content = "\r\n".join(["refName,code", *lines]).encode()
        found = bins.analysed("refName,code", content)
        refused = [row["rowNumber"] for row in found["rows"] if row["errors"]]
        assert committed(bins, found["sessionId"])[3] == len(refused)
        direct = bins.imported("refName,code", content, "globex")
        assert [row["rowNumber"] for row in direct["rows"]] == refused
        stored = [
            {name: one["code"] for name, one in bins.bins(tenant).items()} for tenant in ("acme", "globex")
        ]
        assert stored[0] == stored[1]


class TestRefused:
    def test_while_the_file_is_read(self, bins: Stock) -> None:
        session_id = analysed(bins, "b-1,New")
        set_session(bins, session_id, state="ANALYZING")
        with pytest.raises(SessionNotReady, match="still being read"):
            committed(bins, session_id)

    def test_to_whoever_may_not_import_by_now(self, bins: Stock) -> None:
        session_id = analysed(bins, "b-1,New")
        with pytest.raises(Denied):
            committed(bins, session_id, bins.call_by(RuleSet(())))
        assert bins.bins() == {}

    @pytest.mark.parametrize("kind", [BIN, SHELF], ids=lambda kind: kind.name)
    def test_to_others(self, bins: Stock, kind: Any) -> None:
        session_id = analysed(bins, "b-1,New")
        call = bins.call("globex") if kind is BIN else bins.call()
        with pytest.raises(NotFound):
            bins.run(commit_session, call, kind, session_id)
        assert committed(bins, session_id) == (1, 0, 0, 0)


class TestHeld:
    def test_one_that_is_held_is_waited_for(self, bins: Stock) -> None:
        """The other commit ends while this one waits; its answer is this one's."""
        session_id = analysed(bins, "b-1,New")
        set_session(bins, session_id, state="COMMITTING", holder="other", leaseUntil=now() + LEASE)

        async def both() -> Any:
            waiting = asyncio.create_task(commit_session(bins_call, BIN, session_id))
            await asyncio.sleep(0)
            set_session(bins, session_id, state="COMMITTED", inserted=7)
            return await waiting

        bins_call = bins.call()
        assert counts(bins.run(both).body) == (7, 0, 0, 0)
        assert bins.bins() == {}

    def test_one_whose_holder_is_gone_is_taken_over(self, bins: Stock) -> None:
        session_id = analysed(bins, *many(3))
        past = now() - timedelta(seconds=1)
        set_session(
            bins, session_id, state="COMMITTING", holder="dead", leaseUntil=past, position=1, inserted=1
        )
        assert committed(bins, session_id) == (3, 0, 0, 0)
        assert sorted(bins.bins()) == ["b-0001", "b-0002"]

    def test_whoever_lost_the_session_stores_nothing_more(self, bins: Stock) -> None:
        """It comes back before its second batch, finds another holder, and tells what that one does."""
        session_id = analysed(bins, *many(2 * BATCH))

        async def lost(number: int) -> None:
            if number == 2:
                done = {"holder": "other", "state": "COMMITTED", "inserted": 2 * BATCH}
                set_session(bins, session_id, **done)

        assert committed(bins, session_id, with_store(bins.call(), lost)) == (2 * BATCH, 0, 0, 0)
        assert len(bins.bins()) == BATCH

    def test_two_that_are_slower_than_the_lease_come_to_an_end(
        self, bins: Stock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Who lost the session holds it for longer the next time, so that a batch gets through."""
        monkeypatch.setattr(committing, "LEASE", timedelta(milliseconds=50))
        session_id = analysed(bins, *many(5))
        taken = 0

        async def slow(_number: int) -> None:
            nonlocal taken
            taken += 1
            await asyncio.sleep(0.3)  # as long as a batch takes here

        async def both() -> list[Any]:
            async with asyncio.timeout(60):
                return await asyncio.gather(*(commit_session(call, BIN, session_id) for call in calls))

        calls = [with_store(bins.call(), slow) for _each in range(2)]
        assert [counts(one.body) for one in bins.run(both)] == [(5, 0, 0, 0)] * 2
        assert taken > 2, "one lost the session"
        assert {one["version"] for one in bins.bins().values()} == {1}


class TestInterrupted:
    def test_a_discard_stops_behind_the_stored_batch(self, bins: Stock) -> None:
        session_id = analysed(bins, *many(3 * BATCH))

        async def discarded(number: int) -> None:
            if number == 2:
                assert (await discard_session(bins_call, BIN, session_id)).status == 204

        bins_call = bins.call()
        with pytest.raises(SessionNotReady, match="discarded"):
            committed(bins, session_id, with_store(bins_call, discarded))
        assert sorted(bins.bins()) == [f"b-{at:04}" for at in range(BATCH)]

    @pytest.mark.parametrize(
        "fault", [StoreUnavailable("gone"), RuntimeError("a mistake")], ids=["store", "ours"]
    )
    def test_a_fault_leaves_it_to_the_next(self, bins: Stock, fault: Exception) -> None:
        """Its first batch is stored; the next commit goes on behind it, without waiting for the lease."""
        session_id = analysed(bins, *many(2 * BATCH + 1))

        async def failing(number: int) -> None:
            if number == 2:
                raise fault

        with pytest.raises(type(fault)):
            committed(bins, session_id, with_store(bins.call(), failing))
        assert len(bins.bins()) == BATCH
        assert (kept(bins, session_id)["position"], "leaseUntil" in kept(bins, session_id)) == (BATCH, False)
        assert committed(bins, session_id) == (2 * BATCH + 1, 0, 0, 0)
        assert {one["version"] for one in bins.bins().values()} == {1}

    def test_rows_that_are_stored_show_their_records(self, bins: Stock) -> None:
        """As they are since, and not what the rows would do once more: an INSERT would fail."""
        session_id = analysed(bins, *many(BATCH + 1))
        bins.documents["importRows"].update_many({"rowNumber": {"$ne": 2}}, {"$set": {"asked": "INSERT"}})

        async def failing(number: int) -> None:
            if number == 2:
                raise StoreUnavailable("gone")

        with pytest.raises(StoreUnavailable):
            committed(bins, session_id, with_store(bins.call(), failing))
        bins.documents["bins"].update_many({}, {"$set": {"title": "Since"}})
        query = RowsParameters.model_validate_strings({"limit": "1000"})
        rows = orjson.loads(bins.run(list_rows, bins.call(), BIN, session_id, query).body)["rows"]
        shown = [(row["record"]["title"], "id" in row["record"]) for row in rows if "record" in row]
        assert shown == [("Since", True)] * BATCH + [("x", False)]

    @pytest.mark.parametrize(
        "ending",
        [Unauthenticated("signed out"), None],
        ids=["a caller that is out", "one without permission"],
    )
    def test_a_caller_that_may_not_go_on_leaves_it_to_the_next(
        self, bins: Stock, ending: Unauthenticated | None
    ) -> None:
        """Permissions are those of each batch, not of the beginning."""
        session_id = analysed(bins, *many(2 * BATCH))
        call, powerless, has_stored = bins.call(), bins.call_by(RuleSet(())), False

        async def open_again() -> Call:
            if has_stored and ending is not None:
                raise ending
            return powerless if has_stored else call

        async def note(_number: int) -> None:
            nonlocal has_stored
            has_stored = True

        with pytest.raises(AccessError):
            committed(bins, session_id, with_store(replace(call, open_again=open_again), note))
        assert len(bins.bins()) == BATCH
        assert "leaseUntil" not in kept(bins, session_id)
        assert committed(bins, session_id) == (2 * BATCH, 0, 0, 0)

    def test_a_record_that_changes_before_it_is_stored_is_decided_again(self, bins: Stock) -> None:
        bins.plant({"refName": "b-0000", "title": "Old"}, {"refName": "b-0001", "title": "Old"})
        session_id = analysed(bins, *many(2))

        async def faster(number: int) -> None:
            if number == 1:
                change = {"$set": {"count": 5}, "$inc": {"version": 1}}
                bins.documents["bins"].update_one({"refName": "b-0000"}, change)

        assert committed(bins, session_id, with_store(bins.call(), faster)) == (0, 2, 0, 0)
        first = bins.bins()["b-0000"]
        assert (first["title"], first["count"], first["version"]) == ("x", 5, 3)

    def test_a_name_that_is_taken_before_it_is_stored_fails_alone(self, bins: Stock) -> None:
        columns = "refName,code"
        session_id = analysed(bins, "b-1,C-1", "b-2,C-2", "b-3,C-3", columns=columns)

        async def faster(number: int) -> None:
            if number == 1:
                bins.plant({"refName": "other", "code": "C-2"})

        assert committed(bins, session_id, with_store(bins.call(), faster)) == (2, 0, 0, 1)
        assert sorted(bins.bins()) == ["b-1", "b-3", "other"]
        row = bins.documents["importRows"].find_one({"sessionId": session_id, "isFailed": True})
        assert row is not None
        (error,) = orjson.loads(row["report"])["errors"]
        assert (row["rowNumber"], error["code"], error["field"], error["value"]) == (
            2,
            "DUPLICATE",
            "code",
            "C-2",
        )

    @pytest.mark.parametrize(
        ("title", "counted"), [("x", (0, 0, 7, 0)), ("y", (0, 7, 0, 0))], ids=["same", "other values"]
    )
    def test_rows_whose_records_another_session_stores_are_decided_again(
        self, bins: Stock, title: str, counted: tuple[int, ...]
    ) -> None:
        """As if the other session had been committed before, and in as few transactions."""
        theirs, ours = analysed(bins, *many(7, "x")), analysed(bins, *many(7, title))
        call, begun = bins.call(), 0

        async def faster(number: int) -> None:
            nonlocal begun
            begun = number
            if number == 1:
                await commit_session(call, BIN, theirs)

        assert committed(bins, ours, with_store(bins.call(), faster)) == counted
        assert {one["title"] for one in bins.bins().values()} == {title}
        assert begun <= 2

    def test_a_value_that_is_unique_over_all_tenants_fails_without_telling_whose(self, bins: Stock) -> None:
        """The analysis looks no further than the caller does; the commit reports what the index refuses."""
        index = bins.documents["bins"].create_index("ratio", unique=True, sparse=True)
        try:
            bins.plant({"refName": "theirs", "ratio": 2.5}, tenant="globex")
            session_id = analysed(bins, "b-1,1.5", "b-2,2.5", columns="refName,ratio")
            assert committed(bins, session_id) == (1, 0, 0, 1)
        finally:
            bins.documents["bins"].drop_index(index)
        row = bins.documents["importRows"].find_one({"sessionId": session_id, "isFailed": True})
        assert row is not None
        (error,) = orjson.loads(row["report"])["errors"]
        assert (error["code"], error["field"], error["value"]) == ("DUPLICATE", "ratio", "2.5")
        assert error["message"] == "another Bin has the ratio 2.5"
        assert not [word for word in ("theirs", "globex", "tenant") if word in row["report"]]

    def test_a_record_that_never_stands_still_fails_alone(self, bins: Stock) -> None:
        """Somebody is faster each time: the row is told of, and the commit goes on."""
        bins.plant({"refName": "b-0000", "title": "Old"})
        session_id = analysed(bins, *many(2))

        async def faster(_number: int) -> None:
            bins.documents["bins"].update_one({"refName": "b-0000"}, {"$inc": {"version": 1, "count": 1}})

        assert committed(bins, session_id, with_store(bins.call(), faster)) == (1, 0, 0, 1)
        row = bins.documents["importRows"].find_one({"sessionId": session_id, "isFailed": True})
        assert row is not None
        assert orjson.loads(row["report"])["errors"][0]["code"] == "DB"


def test_several_commits_at_once(bins: Stock) -> None:
    session_id = analysed(bins, *many(BATCH + 10))

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(commit_session(call, BIN, session_id) for call in calls))

    calls = [bins.call() for _each in range(5)]
    assert [counts(one.body) for one in bins.run(all_of_them)] == [(BATCH + 10, 0, 0, 0)] * 5
    assert {one["version"] for one in bins.bins().values()} == {1}
    assert len(bins.bins()) == BATCH + 10
