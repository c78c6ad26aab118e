"""Sessions: what is kept of an analysed file, for whom, and for how long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import orjson
import pytest
from bson import Decimal128, ObjectId

from runtime.call import Call
from runtime.contract.charset import Charset, Quoting
from runtime.contract.imports import ImportParameters, RowCode, RowsParameters
from runtime.errors import AccessError, Denied, NotFound, Unauthenticated
from runtime.filter import EVERYTHING, equals
from runtime.model.clock import now
from runtime.permissions import Rule, RuleSet
from runtime.records.document.dynamic import Written
from runtime.storage.store import Changes
from runtime.stream import Stream
from runtime.transfer import discard_session, export_errors, follow_progress, list_rows, open_session
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.items import Items
from runtime.transfer.rows.reading import BATCH, MOST_TOGETHER
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import Failed, InputRow, Skip
from runtime.transfer.sessions.kept_row import build_input_row, build_row_documents
from runtime.transfer.sessions.liveness import discard
from runtime.transfer.sessions.session import KEPT, Session, begin, read_own_session
from tests.transfer.stock import BIN, SHELF, Stock

COLUMNS = ("refName", "title")
DIALECT = Dialect(";", "'", Quoting.ALL_COLUMNS, Charset.UTF_16_LE, formula_guard=False)


@pytest.fixture
def session(bins: Stock) -> Session:
    """One that has just begun."""
    return new(bins)


def new(stock: Stock, tenant: str = "acme") -> Session:
    asked = {"requestedColumns": "refName,title"}
    made: Session = stock.run(begin, stock.call(tenant), BIN, asked, COLUMNS, DIALECT)
    return made


def skip(number: int, **values: Any) -> Skip:
    return Skip(
        InputRow(number, {"refName": f"b-{number}", "title": ""}, {"refName": f"b-{number}", **values})
    )


def failed(number: int) -> Failed:
    return Failed(skip(number).row, [RowError(RowCode.PARSE, "is torn", "title", "x" * 500)])


def read(stock: Stock, session: Session) -> Session:
    found: Session = stock.run(read_own_session, session.call, BIN, session.id)
    return found


def test_how_its_file_is_written_is_kept(bins: Stock, session: Session) -> None:
    assert read(bins, session).dialect == DIALECT


def test_a_session_of_a_version_before_has_the_usual_dialect(bins: Stock, session: Session) -> None:
    bins.documents["importSessions"].update_one({}, {"$unset": {"dialect": ""}})
    assert read(bins, session).dialect == Dialect()


class TestRows:
    def test_are_counted_as_they_are_kept(self, bins: Stock, session: Session) -> None:
        bins.run(session.add, [skip(1), failed(2)])
        bins.run(session.add, [failed(3), failed(4)])
        names = ("totalRows", "validRows", "errorRows", "insertCount", "updateCount", "skipCount")
        assert [read(bins, session).document[name] for name in names] == [4, 1, 3, 0, 0, 1]

    def test_others_in_the_worker_go_on_while_they_are_written(self, bins: Stock, session: Session) -> None:
        async def add() -> int:
            task = asyncio.create_task(
                build_row_documents(
                    session.call, "s", str, [failed(number) for number in range(1, 401)], now()
                )
            )
            turns = 0
            while not task.done():
                turns += 1
                await asyncio.sleep(0)
            assert len(task.result()) == 400
            return turns

        assert bins.run(add) >= 20

    def test_come_in_their_order_however_they_were_added(self, bins: Stock, session: Session) -> None:
        bins.run(session.add, [skip(number) for number in (11, 2, 9, 1, 10)])
        assert numbers(bins, session) == [1, 2, 9, 10, 11]
        assert numbers(bins, session, beyond=2) == [9, 10, 11]
        assert numbers(bins, session, beyond=2, skip=1, limit=1) == [10]
        assert numbers(bins, session, beyond=11) == []

    def test_are_found_by_what_became_of_them(self, bins: Stock, session: Session) -> None:
        bins.run(session.add, [skip(1), failed(2), skip(3)])
        assert numbers(bins, session, equals(isFailed=True)) == [2]
        assert bins.run(session.count, equals(isFailed=False)) == 2
        assert bins.run(session.count, EVERYTHING) == 3

    def test_of_another_session_are_not_among_them(self, bins: Stock, session: Session) -> None:
        other = new(bins)
        bins.run(other.add, [skip(1)])
        assert numbers(bins, session) == []
        assert bins.run(session.count, EVERYTHING) == 0

    def test_none(self, bins: Stock, session: Session) -> None:
        bins.run(session.add, [])
        assert read(bins, session).document["totalRows"] == 0

    @pytest.mark.parametrize(
        "values",
        [
            {"title": "=text", "count": 2**62, "ratio": -0.5, "active": False, "tags": None},
            {"price": Decimal128("12.90"), "ownerKey": ObjectId("0" * 24), "labels": {"a.b": "$c"}},
            {"parts": Items([{"sku": "a"}, None])},
            {"dynamicAttributes.all.text": Written("12"), "tags": ["a", None]},
        ],
        ids=["plain", "of the store", "items", "attributes"],
    )
    def test_are_read_back_as_they_were(self, bins: Stock, session: Session, values: dict[str, Any]) -> None:
        row = skip(1, **values).row
        asked = InputRow(row.number, row.raw, row.values, Intent.UPDATE)
        bins.run(session.add, [Skip(asked)])
        (document,) = bins.run(session.read_rows, EVERYTHING)
        found = build_input_row(document)
        assert found == asked
        assert all(isinstance(found.values[name], type(value)) for name, value in asked.values.items())

    def test_with_errors_keep_their_cells_and_no_values(self, bins: Stock, session: Session) -> None:
        bins.run(session.add, [failed(1)])
        (document,) = bins.run(session.read_rows, EVERYTHING)
        report = orjson.loads(document["report"])
        assert "values" not in document
        assert report["rawData"] == {"refName": "b-1", "title": ""}
        assert report["errors"] == [
            {"code": "PARSE", "message": "is torn", "field": "title", "value": "x" * 200}
        ]

    def test_large_ones_are_read_a_few_at_a_time(self, bins: Stock, session: Session) -> None:
        """A file may have hundreds of rows of some megabytes each."""
        cells = {"refName": "b", "title": "x" * 2**20}
        bins.run(session.add, [Skip(InputRow(number, cells)) for number in range(1, 11)])
        first = numbers(bins, session, limit=500)
        rest = numbers(bins, session, beyond=first[-1], limit=500)
        assert first + rest == [*range(1, 11)]
        assert 0 < len(first) <= MOST_TOGETHER // 2**20

    def test_a_page_of_large_ones_ends_early(self, bins: Stock, session: Session) -> None:
        cells = {"refName": "b", "title": "x" * 2**20}
        bins.run(session.add, [Skip(InputRow(number, cells)) for number in range(1, 11)])
        pages = []
        while sum(pages) < 10:
            query = RowsParameters(skip=sum(pages), limit=100)
            page = orjson.loads(bins.run(list_rows, session.call, BIN, session.id, query).body)
            assert (len(page["rows"]), page["totalCount"]) == (page["rowCount"], 10)
            pages.append(page["rowCount"])
        assert len(pages) == 2


def numbers(stock: Stock, session: Session, match: Any = EVERYTHING, **window: int) -> list[int]:
    async def asked() -> list[int]:
        return [row["rowNumber"] for row in await session.read_rows(match, **window)]

    found: list[int] = stock.run(asked)
    return found


class TestWhoMayAsk:
    def test_its_owner(self, bins: Stock, session: Session) -> None:
        assert read(bins, session).document == session.document

    @pytest.mark.parametrize(
        "other",
        [
            lambda stock: (stock.call("globex"), BIN),
            lambda stock: (stock.call("acme", user="bob"), BIN),
            lambda stock: (stock.call("acme"), SHELF),
            lambda stock: (stock.call("acme", realm="elsewhere"), BIN),
        ],
        ids=["another tenant", "a colleague", "another record type", "another realm"],
    )
    def test_nobody_else(
        self, bins: Stock, session: Session, other: Callable[[Stock], tuple[Call, Any]]
    ) -> None:
        with pytest.raises(NotFound, match=session.id):
            bins.run(read_own_session, *other(bins), session.id)

    @pytest.mark.parametrize(
        "session_id", ["0" * 24, "nonsense", "", "x" * 1000], ids=["unknown", "malformed", "none", "long"]
    )
    def test_an_id_that_is_none(self, bins: Stock, session_id: str) -> None:
        with pytest.raises(NotFound) as caught:
            bins.run(read_own_session, bins.call(), BIN, session_id)
        assert len(caught.value.message) < 120

    def test_an_expired_one_is_gone(self, bins: Stock, session: Session) -> None:
        assert session.document["expiresAt"] - now() <= KEPT
        bins.run(session.change, Changes(set={"expiresAt": now() - timedelta(seconds=1)}))
        with pytest.raises(NotFound, match=r"for Bin; a session lasts 24 hours$"):
            read(bins, session)


class TestChange:
    def test_answers_with_the_session_afterwards(self, bins: Stock, session: Session) -> None:
        found = bins.run(session.change, Changes(set={"state": "ANALYZED"}, increment={"position": 7}))
        assert (found["state"], found["position"]) == ("ANALYZED", 7)
        assert read(bins, session).document == found

    def test_changes_nothing_unless_it_is_as_expected(self, bins: Stock, session: Session) -> None:
        async def tried() -> Any:
            return await session.change(Changes(set={"position": 9}), state="COMMITTING")

        assert bins.run(tried) is None
        assert read(bins, session).document == session.document


class TestDiscard:
    def test_leaves_nothing_to_ask_for(self, bins: Stock, session: Session) -> None:
        bins.run(session.add, [skip(1), skip(2)])
        bins.run(discard, session)
        with pytest.raises(NotFound):
            read(bins, session)
        kept = bins.documents["importRows"].find({"sessionId": session.id})
        assert all(row["expiresAt"] <= now() for row in kept)

    def test_takes_the_holder_away(self, bins: Stock, session: Session) -> None:
        """So that a commit that is running cannot store another batch."""
        bins.run(session.change, Changes(set={"state": "COMMITTING", "holder": "me"}))
        bins.run(discard, session)
        kept = bins.documents["importSessions"].find_one({"refName": session.id})
        assert kept is not None
        assert (kept["state"], "holder" in kept) == ("DISCARDED", False)

    def test_is_the_same_a_second_time(self, bins: Stock, session: Session) -> None:
        for _time in range(2):
            assert bins.run(discard_session, session.call, BIN, session.id).status == 204

    def test_may_be_by_a_caller_that_may_not_import_any_more(self, bins: Stock, session: Session) -> None:
        """It may end its own session, not learn about others; a token for reading alone ends none."""
        denied = bins.call_by(RuleSet([*bins.call().rules.rules, Rule("no", allows=False, action="CREATE")]))
        principal = replace(denied.principal, scopes=frozenset({"stock:read"}))
        for call, session_id in ((denied, "0" * 24), (replace(denied, principal=principal), session.id)):
            with pytest.raises(Denied):
                bins.run(discard_session, call, BIN, session_id)
        assert read(bins, session).state == "ANALYZING"
        assert bins.run(discard_session, denied, BIN, session.id).status == 204
        with pytest.raises(NotFound):
            read(bins, session)


class TestProgress:
    def test_tells_of_a_discard_and_ends(self, bins: Stock, session: Session) -> None:
        bins.run(session.add, [skip(1), failed(2)])
        stream = bins.run(follow_progress, session.call, BIN, session.id)
        assert stream.headers["X-Accel-Buffering"] == "no"  # a proxy would send events at the end only
        assert b'"status":"ANALYZING"' in stream.first
        assert b'"totalRows":2' in stream.first
        bins.run(discard, session)
        assert bins.run(rest_of, stream) == [b'data: {"status":"DISCARDED"}\n\n']

    def test_tells_of_each_change_once(self, bins: Stock, session: Session) -> None:
        stream = bins.run(follow_progress, session.call, BIN, session.id)

        async def followed() -> list[bytes]:
            seen = []
            for changes in ({"state": "COMMITTING", "inserted": 5}, {"state": "COMMITTED", "inserted": 9}):
                await session.change(Changes(set=changes))
                seen.append(await anext(stream.rest))
            return seen + [piece async for piece in stream.rest]

        committing, committed = bins.run(followed)
        assert (b'"COMMITTING"' in committing, b'"inserted":5' in committing) == (True, True)
        assert (b'"COMMITTED"' in committed, b'"doneRows":9' in committed) == (True, True)

    def test_of_a_session_that_is_done_is_one_event(self, bins: Stock, session: Session) -> None:
        bins.run(session.change, Changes(set={"state": "COMMITTED"}))
        stream = bins.run(follow_progress, session.call, BIN, session.id)
        assert b'"COMMITTED"' in stream.first
        assert bins.run(rest_of, stream) == []


async def rest_of(stream: Stream) -> list[bytes]:
    return [piece async for piece in stream.rest]


@pytest.mark.parametrize("is_out", [True, False], ids=["a caller that is out", "one without permission"])
def test_the_file_of_errors_ends_when_its_caller_may_not_import_any_more(
    bins: Stock, session: Session, is_out: bool
) -> None:
    bins.run(session.add, [failed(number) for number in range(1, 2 * BATCH)])
    powerless = bins.call_by(RuleSet(()))

    async def open_again(_realm: str | None = None, /, *, is_late: bool = False) -> Call:
        assert is_late, "the time of its token may end"
        if is_out:
            raise Unauthenticated("signed out")
        return powerless

    call, seen = replace(session.call, open_again=open_again), list[bytes]()

    async def read_file() -> None:
        async for piece in (await export_errors(call, BIN, session.id)).rest:
            seen.append(piece)

    with pytest.raises(AccessError):
        bins.run(read_file)
    assert len(seen) == 1


class TestOpening:
    def test_a_file_that_breaks_off_leaves_no_session(self, bins: Stock) -> None:
        """The sender went away: what was analysed by then is discarded."""

        async def cut_off() -> Any:
            yield b"refName,title\r\nb-1,One\r\n"
            raise ConnectionResetError

        query = ImportParameters.model_validate_strings({"requestedColumns": "refName,title"})
        with pytest.raises(ConnectionResetError):
            bins.run(open_session, bins.call(), BIN, query, cut_off())
        states = [one["state"] for one in bins.documents["importSessions"].find()]
        assert states == ["DISCARDED"]

    def test_the_first_hundred_rows_are_shown(self, bins: Stock) -> None:
        lines = "".join(f"b-{number},x\r\n" for number in range(1, 131))
        found = bins.analysed("refName,title", f"refName,title\r\n{lines}".encode())
        assert [row["rowNumber"] for row in found["rows"]] == list(range(1, 101))
        assert (found["status"], found["totalRows"], found["insertCount"]) == ("ANALYZED", 130, 130)

    def test_an_empty_file(self, bins: Stock) -> None:
        found = bins.analysed("refName,title", b"")
        assert (found["status"], found["totalRows"], found["rows"]) == ("ANALYZED", 0, [])
