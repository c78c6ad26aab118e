"""Rows of one file that refer to each other, and rows whose name a failed one has: imported and by session."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import StoreUnavailable
from runtime.transfer import commit_session
from runtime.transfer.importing import waiting as module
from runtime.transfer.importing.row_batches import RowBatches
from runtime.transfer.importing.waiting import Waiting, Waitlist
from runtime.transfer.rows.reading import BATCH
from runtime.transfer.rows.rows import InputRow, Outcome
from tests.transfer.stock import CLERK, Document, Stock

COLUMNS = "refName,title,boss.entityRefName"

SIZE = BATCH + 101


def line(name: str, boss: str = "", title: str = "Clerk") -> str:
    return f"{name},{title},{boss}"


def direct(stock: Stock, lines: list[str], columns: str = COLUMNS, tenant: str = "acme") -> tuple[int, ...]:
    """Inserted, updated, skipped, failed."""
    found = stock.imported(columns, "\r\n".join([columns, *lines]).encode(), tenant, CLERK)
    return tuple(found[name] for name in ("insertCount", "updateCount", "skipCount", "failedCount"))


def by_session(
    stock: Stock, lines: list[str], columns: str = COLUMNS, tenant: str = "acme"
) -> tuple[int, ...]:
    """The same; what the analysis says holds for the commit."""
    found = stock.analysed(columns, "\r\n".join([columns, *lines]).encode(), tenant, CLERK)
    committed = orjson.loads(stock.run(commit_session, stock.call(tenant), CLERK, found["sessionId"]).body)
    done = tuple(committed[name] for name in ("inserted", "updated", "skipped", "failed"))
    assert done == tuple(found[name] for name in ("insertCount", "updateCount", "skipCount", "errorRows"))
    return done


WAYS = pytest.mark.parametrize("load", [direct, by_session], ids=["direct", "by session"])
Load = Callable[..., tuple[int, ...]]


def clerks(stock: Stock) -> dict[str, Document]:
    return {row["refName"]: row for row in stock.documents["clerks"].find()}


def bosses(stock: Stock) -> dict[str, str | None]:
    """Each name and the name of the boss, whose id must be the right one."""
    found = clerks(stock)
    for row in found.values():
        if boss := row.get("boss"):
            assert found[boss["entityRefName"]]["_id"] == boss["entityId"], "a reference to what is there"
            assert found[boss["entityRefName"]]["displayName"] == boss["entityDisplayName"]
    return {name: row["boss"]["entityRefName"] if row.get("boss") else None for name, row in found.items()}


def chart(rng: random.Random) -> dict[str, str]:
    """An organisation, each member with the boss."""
    names = [f"p-{number:04}" for number in range(SIZE)]
    return {name: names[(at - 1) // 6] if at else "" for at, name in enumerate(names)}


ORDERS: dict[str, Callable[[list[str]], list[str]]] = {
    "bosses first": lambda names: names,
    "bosses last": lambda names: names[::-1],
    "any order": lambda names: random.Random(7).sample(names, len(names)),
}


@WAYS
@pytest.mark.parametrize("order", ORDERS)
def test_rows_refer_to_rows_of_the_same_file(bins: Stock, load: Load, order: str) -> None:
    wanted = chart(random.Random(1))
    lines = [line(name, wanted[name]) for name in ORDERS[order](list(wanted))]
    assert load(bins, lines) == (SIZE, 0, 0, 0)
    assert bosses(bins) == {name: boss or None for name, boss in wanted.items()}
    assert load(bins, lines) == (0, 0, SIZE, 0), "and sent again it changes nothing"


@WAYS
def test_a_chain_that_stands_backwards(bins: Stock, load: Load) -> None:
    lines = [line(f"c-{at}", f"c-{at + 1}" if at < 11 else "") for at in range(12)]
    assert load(bins, lines) == (12, 0, 0, 0)
    assert bosses(bins)["c-0"] == "c-1"


@WAYS
def test_lists_and_tracked_references_wait_too(bins: Stock, load: Load) -> None:
    columns = "refName,title,mentor.entityRefName,deputies[0].entityRefName"
    lines = ["a,A,b,c", "a,A,b,d", "b,B,d,a", "c,C,,", "d,D,,c"]
    assert load(bins, lines, columns) == (2, 0, 0, 2), "a and b refer to each other"
    lines[2] = "b,B,d,c"
    assert load(bins, lines, columns) == (2, 0, 2, 0)
    found = clerks(bins)
    assert [one["entityRefName"] for one in found["a"]["deputies"]] == ["c", "d"]
    assert [one["entityId"] for one in found["a"]["deputies"]] == [found["c"]["_id"], found["d"]["_id"]]
    assert found["b"]["mentor"]["entityId"] == found["d"]["_id"]


@WAYS
def test_a_stored_record_gets_a_boss_that_the_file_creates(bins: Stock, load: Load) -> None:
    assert load(bins, [line("old"), line("older", "old")]) == (2, 0, 0, 0)
    assert load(bins, [line("old", "new"), line("newest", "new"), line("new")]) == (2, 1, 0, 0)
    assert bosses(bins) == {"old": "new", "older": "old", "new": None, "newest": "new"}


OF_TENANTS = f"{COLUMNS},dataDomain.tenantId"


@WAYS
@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([line("a") + ",acme", line("b", "a") + ",globex"], id="before it"),
        pytest.param([line("b", "a") + ",globex", line("a") + ",acme"], id="behind it"),
        pytest.param(
            [line("b", "a") + ",globex", line("a", "c") + ",acme", line("c") + ",acme"], id="that waits too"
        ),
    ],
)
def test_a_row_of_another_tenant_is_no_boss(bins: Stock, load: Load, lines: list[str]) -> None:
    assert load(bins, lines, OF_TENANTS, "system") == (len(lines) - 1, 0, 0, 1)
    assert "b" not in clerks(bins)
    assert load(bins, [*lines, line("a", title="Theirs") + ",globex"], OF_TENANTS, "system") == (
        2, 0, len(lines) - 1, 0,
    )  # fmt: skip
    found = {(row["refName"], row["dataDomain"]["tenantId"]): row for row in bins.documents["clerks"].find()}
    assert found["b", "globex"]["boss"]["entityId"] == found["a", "globex"]["_id"]


def findings(stock: Stock, lines: list[str], columns: str = COLUMNS, tenant: str = "acme") -> dict[str, str]:
    """What both ways say of the rows that fail."""
    content = "\r\n".join([columns, *lines]).encode()
    analysed = stock.analysed(columns, content, tenant, CLERK)
    imported = stock.imported(columns, content, tenant, CLERK)
    told = [
        {row["refName"]: row["errors"][0] for row in answer["rows"] if row["errors"]}
        for answer in (analysed, imported)
    ]
    assert told[0] == told[1]
    assert all(error["code"] == "REFERENCE" for error in told[0].values()), told
    return {name: error["message"] for name, error in told[0].items()}


def test_circles_are_reported(bins: Stock) -> None:
    lines = [
        line("a", "b"),
        line("b", "c"),
        line("c", "a"),
        line("under", "a"),
        line("fine"),
        line("self", "self"),
    ]
    told = findings(bins, lines)
    circle = "refer to each other in a circle: store one without it first"
    assert told["a"] == told["b"] == told["c"] == f"a → b → c → a {circle}"
    assert told["under"] == "row 1, which gives a, has errors"
    assert told["self"].startswith("self → self")
    assert clerks(bins).keys() == {"fine"}


def test_a_boss_that_fails_fails_who_needs_it(bins: Stock) -> None:
    told = findings(bins, [line("a", "b"), line("b", "nobody"), line("c", "a"), line("fine")])
    assert told == {
        "a": "row 2, which gives b, has errors",
        "b": "no Clerk has the refName nobody",
        "c": "row 1, which gives a, has errors",
    }
    assert clerks(bins).keys() == {"fine"}


def test_rows_of_two_tenants_are_in_no_circle(bins: Stock) -> None:
    lines = [line("a", "b") + ",acme", line("b", "a") + ",globex", line("c", "a") + ",globex"]
    assert findings(bins, lines, OF_TENANTS, "system") == {
        "a": "tenant acme has no Clerk with the refName b",
        "b": "tenant globex has no Clerk with the refName a",
        "c": "tenant globex has no Clerk with the refName a",
    }


@WAYS
def test_a_boss_that_breaks_a_constraint_is_nobody(bins: Stock, load: Load) -> None:
    assert load(bins, [line("a", "b"), line("b", title="")]) == (0, 0, 0, 2)
    assert clerks(bins) == {}


@WAYS
def test_a_row_that_fails_does_not_claim_its_name(bins: Stock, load: Load) -> None:
    lines = [line("a", title=""), line("a", "nobody"), line("a", title="Good"), line("a", title="Late")]
    assert load(bins, lines) == (1, 0, 0, 2 + 1)
    assert clerks(bins)["a"]["title"] == "Good"


@WAYS
def test_nor_does_it_in_another_batch(bins: Stock, load: Load) -> None:
    lines = [
        line("a", title=""),
        *(line(f"x-{at}") for at in range(600)),
        line("b", "a"),
        line("a", title="Good"),
    ]
    assert load(bins, lines) == (602, 0, 0, 1)
    assert bosses(bins)["b"] == "a"


@pytest.mark.parametrize("between", [0, 700], ids=["same batch", "next batch"])
def test_nor_does_one_that_the_store_refuses(bins: Stock, between: int) -> None:
    """The code of the first row is taken: only storing it tells."""
    bins.plant({"refName": "other", "code": "K-1"})
    columns = "refName,title,code"
    lines = ["a,First,K-1", *(f"x-{at},X,X-{at}" for at in range(between)), "a,Second,K-2", "a,Third,K-3"]
    found = bins.imported(columns, "\r\n".join([columns, *lines]).encode())
    assert (found["insertCount"], found["failedCount"]) == (1 + between, 2)
    assert bins.bins()["a"]["title"] == "Second"
    assert [row["errors"][0]["code"] for row in found["rows"]] == ["DUPLICATE", "DUPLICATE"]


def test_what_does_not_fit_is_told_and_the_rest_goes_on(bins: Stock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 3)
    lines = [*(line(f"c-{at}", "boss") for at in range(5)), line("boss")]
    found = bins.imported(COLUMNS, "\r\n".join([COLUMNS, *lines]).encode(), kind=CLERK)
    assert (found["insertCount"], found["failedCount"]) == (4, 2)
    assert "put the rows that others refer to first" in found["rows"][0]["errors"][0]["message"]
    assert direct(bins, lines) == (2, 0, 4, 0), "and sent again it is complete"


def test_a_commit_that_another_goes_on_with_counts_each_row_once(
    bins: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commits that die behind their second wave, until one comes to the end."""
    together = RowBatches.store
    waves_stored = 0

    async def dying(batches: RowBatches, *given: Any) -> list[Outcome]:
        nonlocal waves_stored
        waves_stored += 1
        if waves_stored % 3 == 0:
            raise StoreUnavailable("gone")
        return await together(batches, *given)

    wanted = chart(random.Random(1))
    lines = [line(name, wanted[name]) for name in reversed(list(wanted))]
    found = bins.analysed(COLUMNS, "\r\n".join([COLUMNS, *lines]).encode(), kind=CLERK)
    places = sorted(
        row["refName"] for row in bins.documents["importRows"].find({"sessionId": found["sessionId"]})
    )
    waves = {name.rpartition(":")[2] for name in places}
    assert len(waves) == SIZE
    assert len({int(place) >> 32 for place in waves}) >= 5
    monkeypatch.setattr(RowBatches, "store", dying)
    for _time in range(2):
        with pytest.raises(StoreUnavailable):
            bins.run(commit_session, bins.call(), CLERK, found["sessionId"])
        assert 0 < len(clerks(bins)) < SIZE
    monkeypatch.undo()
    told = orjson.loads(bins.run(commit_session, bins.call(), CLERK, found["sessionId"]).body)
    assert (told["inserted"], told["updated"], told["skipped"], told["failed"]) == (SIZE, 0, 0, 0)
    assert len(clerks(bins)) == SIZE


edges = st.lists(st.tuples(st.integers(0, 9), st.sets(st.integers(0, 11), max_size=3)), max_size=10)


@given(edges)
def test_every_row_is_ready_once_or_stuck_with_a_reason(rows: list[tuple[int, set[int]]]) -> None:
    """Against a plain fixed point: a row is stored when all it needs is."""
    needs = {f"n{name}": {f"n{other}" for other in others} for name, others in rows}
    waitlist, stored, stuck = Waitlist(), set[str](), set[str]()
    for number, (name, missing) in enumerate(needs.items(), 1):
        row = InputRow(number, {}, {"refName": name})
        if missing:
            assert waitlist.add(Waiting(row, [("boss", one) for one in sorted(missing)])) is None
        else:
            stored.add(name)
    plain = {name for name, missing in needs.items() if not missing}
    while more := {name for name, missing in needs.items() if missing <= plain} - plain:
        plain |= more
    for name in list(stored):
        waitlist.settle(name)
    while ready := waitlist.take_ready(2):
        for row in ready:
            assert row.ref_name is not None
            assert row.ref_name not in stored
            stored.add(row.ref_name)
            waitlist.settle(row.ref_name)
    for one in waitlist.take_stuck():
        name = str(one.row.ref_name)
        assert one.name in needs[name] - plain
        assert (one.why is None) is (one.name not in needs)
        stuck.add(name)
    assert (stored, stuck) == (plain, needs.keys() - plain)
