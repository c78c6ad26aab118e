"""Sessions end with whoever reads their file: beats, the sweep of those that stand still, and lost connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from bson import ObjectId

from runtime.call import Call
from runtime.contract.imports import ImportParameters, RowCode
from runtime.errors import SessionNotReady, StoreUnavailable
from runtime.model.clock import now
from runtime.storage.store import Changes, Store
from runtime.transfer import open_session
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import Failed, InputRow
from runtime.transfer.sessions.liveness import Sweep, discard, keep_beating
from runtime.transfer.sessions.session import Session, begin
from tests.profiling import profiled
from tests.transfer.stock import BIN, Document, Stock

LEASE = 30.0
QUERY = ImportParameters.model_validate_strings({"requestedColumns": "refName,title"})


@dataclass
class Clock:
    """A clock that a test sets."""

    time: float = 0.0

    def __call__(self) -> float:
        return self.time


@dataclass
class Worker:
    """A sweep of one worker and its clock."""

    stock: Stock
    clock: Clock = field(default_factory=Clock)
    sweep: Sweep = field(init=False)

    def __post_init__(self) -> None:
        service = self.stock.service

        async def databases() -> list[str]:
            return [self.stock.realm, f"{self.stock.realm}-none"]

        self.sweep = Sweep(service.store, databases, LEASE, self.clock)

    def look(self, later: float = 0.0) -> int:
        """Look now and then for so many seconds; how many were ended."""
        ended: int = self.stock.run(self.looking, later)
        return ended

    async def looking(self, later: float) -> int:
        ended = 0
        while later > LEASE / 3:
            later -= LEASE / 3
            self.clock.time += LEASE / 3
            ended += await self.sweep.look()
        self.clock.time += later
        return ended + await self.sweep.look()


@pytest.fixture
def session(bins: Stock) -> Session:
    """One whose file is being read, with a row."""
    made: Session = bins.run(begin, bins.call(), BIN, {}, ["refName"], Dialect())
    row = InputRow(1, {"refName": "b-1"}, {"refName": "b-1"})
    bins.run(made.add, [Failed(row, (RowError(RowCode.PARSE, "wrong"),))])
    return made


def kept(stock: Stock, session: Session) -> Document:
    found = stock.documents["importSessions"].find_one({"refName": session.id})
    assert found is not None
    return found


def rows_alive(stock: Stock) -> int:
    return stock.documents["importRows"].count_documents({"expiresAt": {"$gt": now()}})


def is_ended(stock: Stock, session: Session) -> bool:
    document = kept(stock, session)
    return (document["state"], "beat" in document, rows_alive(stock)) == ("DISCARDED", False, 0)


class TestSweep:
    def test_one_that_stands_still_is_ended_after_the_lease(self, bins: Stock, session: Session) -> None:
        worker = Worker(bins)
        assert [worker.look(), worker.look(LEASE - 1)] == [0, 0]
        assert (kept(bins, session)["state"], rows_alive(bins)) == ("ANALYZING", 1)
        assert worker.look(1) == 1
        assert is_ended(bins, session)
        assert worker.look(LEASE) == 0

    def test_rows_that_an_earlier_attempt_has_let_expire_are_not_written_again(
        self, bins: Stock, session: Session
    ) -> None:
        """A command has a few seconds, in which it cannot change all rows of a large file."""
        rows = bins.documents["importRows"]
        (row,) = rows.find()
        rows.insert_many({**row, "_id": ObjectId(), "refName": f"{at}"} for at in range(20))
        rows.update_many({"refName": {"$ne": row["refName"]}}, {"$set": {"expiresAt": now()}})
        worker = Worker(bins)
        worker.look()
        with profiled(bins.documents, "importRows") as commands:
            assert worker.look(LEASE) == 1
        assert [one["nModified"] for one in commands if one["op"] == "update"] == [1]
        assert is_ended(bins, session)

    def test_one_that_beats_is_not(self, bins: Stock, session: Session) -> None:
        worker = Worker(bins)
        for _time in range(5):
            assert worker.look(LEASE - 1) == 0
            bins.run(session.change, Changes(increment={"beat": 1}))
        assert (kept(bins, session)["state"], rows_alive(bins)) == ("ANALYZING", 1)

    @pytest.mark.parametrize("state", ["ANALYZED", "COMMITTING", "COMMITTED"])
    def test_no_other_state_is_looked_at(self, bins: Stock, session: Session, state: str) -> None:
        """A commit is resumed by the next one, whoever dies over it."""
        bins.run(session.change, Changes(set={"state": state}, unset=("beat",)))
        worker = Worker(bins)
        assert [worker.look(), worker.look(10 * LEASE)] == [0, 0]
        assert (kept(bins, session)["state"], rows_alive(bins)) == (state, 1)

    def test_many_workers_end_it_once(self, bins: Stock, session: Session) -> None:
        workers = [Worker(bins) for _each in range(6)]
        for worker in workers:
            worker.look()

        async def together() -> list[int]:
            return await asyncio.gather(*(worker.looking(LEASE) for worker in workers))

        assert sum(bins.run(together)) >= 1
        assert is_ended(bins, session)
        assert sum(bins.run(together)) == 0

    def test_time_in_which_the_worker_itself_stood_still_does_not_count(
        self, bins: Stock, session: Session
    ) -> None:
        worker = Worker(bins)
        worker.look()
        worker.clock.time += 100 * LEASE
        assert worker.look() == 0
        assert kept(bins, session)["state"] == "ANALYZING"
        assert worker.look(LEASE) == 1

    def test_a_beat_that_comes_while_it_is_ended_keeps_it(self, bins: Stock, session: Session) -> None:
        worker = Worker(bins)
        worker.look()
        worker.look(LEASE - 1)
        worker.clock.time += 1
        find = worker.sweep._find_beating

        async def beats(database: str) -> list[Document]:
            found = await find(database)
            await session.change(Changes(increment={"beat": 1}))
            return found

        worker.sweep._find_beating = beats  # type: ignore[method-assign]
        assert worker.look() == 0
        assert kept(bins, session)["state"] == "ANALYZING"

    def test_what_another_left_half_done_is_finished(self, bins: Stock, session: Session) -> None:
        """It died between the session and its rows."""
        bins.run(session.change, Changes(set={"state": "DISCARDED"}))
        worker = Worker(bins)
        worker.look()
        assert rows_alive(bins) == 1
        worker.look(LEASE)
        assert is_ended(bins, session)

    def test_a_discard_that_fails_half_way_is_finished(
        self, bins: Stock, session: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fails(*_arguments: Any) -> int:
            raise StoreUnavailable("gone")

        with monkeypatch.context() as patch:
            patch.setattr(Store, "update_many", fails)
            bins.run(discard, session)
        assert (kept(bins, session)["state"], rows_alive(bins)) == ("DISCARDED", 1)
        worker = Worker(bins)
        worker.look()
        worker.look(LEASE)
        assert is_ended(bins, session)


class TestReading:
    def test_a_session_beats_while_its_file_is_read(self, bins: Stock, session: Session) -> None:
        call = with_lease(bins.call(), 1)

        async def run() -> int:
            async with keep_beating(Session(call, session.document)):
                async with asyncio.timeout(60):
                    while (found := kept(bins, session)["beat"]) < 3:  # noqa: ASYNC110 (the store counts)
                        await asyncio.sleep(0.02)
            return int(found)

        found = bins.run(run)
        assert kept(bins, session)["beat"] in (found, found + 1)

    def test_whoever_lost_its_session_keeps_no_row(self, bins: Stock) -> None:
        """It was taken for dead, and comes back."""

        async def file() -> AsyncIterator[bytes]:
            yield b"refName,title\r\nb-1,One\r\n"
            bins.documents["importSessions"].update_many({}, {"$set": {"state": "DISCARDED"}})
            yield b"b-2,Two\r\n"

        with pytest.raises(SessionNotReady, match="send the file again"):
            bins.run(open_session, bins.call(), BIN, QUERY, file())
        assert ended_sessions(bins) == [("DISCARDED", False)]
        assert rows_alive(bins) == 0

    def test_one_whose_sender_is_gone_is_ended(self, bins: Stock) -> None:
        async def gone() -> bool:
            return True

        call = replace(bins.call(), is_abandoned=gone)
        with pytest.raises(SessionNotReady):
            bins.run(open_session, call, BIN, QUERY, lines(b"refName,title\r\nb-1,One\r\n"))
        assert ended_sessions(bins) == [("DISCARDED", False)]
        assert rows_alive(bins) == 0

    def test_a_request_that_is_cancelled_ends_it(self, bins: Stock) -> None:
        async def run(call: Call) -> None:
            waits = asyncio.Event()

            async def file() -> AsyncIterator[bytes]:
                yield b"refName,title\r\n" + b"".join(b"b-%d,One\r\n" % number for number in range(600))
                waits.set()
                await asyncio.Event().wait()

            task = asyncio.create_task(open_session(call, BIN, QUERY, file()))
            await waits.wait()
            assert ended_sessions(bins) == [("ANALYZING", True)]
            task.cancel()
            await asyncio.wait({task})
            assert task.cancelled()

        bins.run(run, bins.call())
        assert ended_sessions(bins) == [("DISCARDED", False)]
        assert rows_alive(bins) == 0


def ended_sessions(stock: Stock) -> list[tuple[str, bool]]:
    """Their states, and whether a sweep has still something to do."""
    return [(one["state"], "beat" in one) for one in stock.documents["importSessions"].find()]


def with_lease(call: Call, seconds: int) -> Call:
    settings = call.service.settings.model_copy(update={"import_lease_seconds": seconds})
    return replace(call, service=replace(call.service, settings=settings))


async def lines(content: bytes) -> AsyncIterator[bytes]:
    yield content
