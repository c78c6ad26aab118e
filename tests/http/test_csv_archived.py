"""A row that names an archived record: refused with advice, or the record is restored; never changed unseen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from generated.record_types import PRODUCT
from runtime.model.operation_names import EVERY_OPERATION
from runtime.transfer.importing.archived import build_archived_error
from runtime.transfer.rows.rows import InputRow
from tests.http.profiles import analysed, column, saved
from tests.http.world import Document, World

PRODUCTS = "/logistics/products"
COLUMNS = "refName,sku,name,price"


def archived(world: World, name: str, **fields: Any) -> Document:
    """A product that was archived."""
    given: Document = {"refName": name, "sku": name.upper(), "name": "Old", "price": "1.00", **fields}
    made = world.make("Product", **given)
    assert world.ask(f"DELETE {PRODUCTS}/id/{made['id']}").status_code == 204
    return made


def stored(world: World, name: str) -> tuple[str, str]:
    row = world.documents["products"].find_one({"refName": name})
    assert row is not None
    return row["name"], row["activeStatus"]


def direct(
    world: World, content: str, columns: str = COLUMNS, **query: str
) -> tuple[Document, list[Document]]:
    """The answer of a direct import, and its rows with errors."""
    answer = world.ask(
        f"POST {PRODUCTS}/csv", params={"requestedColumns": columns, **query},
        files={"file": ("rows.csv", f"{columns}\r\n{content}\r\n".encode(), "text/csv")},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    return answer.json(), answer.json()["rows"]


def by_session(
    world: World, content: str, columns: str = COLUMNS, **query: str
) -> tuple[Document, list[Document]]:
    answer = world.ask(
        f"POST {PRODUCTS}/csv/session", params={"requestedColumns": columns, **query},
        files={"file": ("rows.csv", f"{columns}\r\n{content}\r\n".encode(), "text/csv")},
    )  # fmt: skip
    return commit(world, answer.json())


def by_profile(
    world: World, content: str, columns: str = COLUMNS, **query: str
) -> tuple[Document, list[Document]]:
    name = saved(world, "Product", *(column(one, one) for one in columns.split(",")))
    answer = world.ask(
        f"POST {PRODUCTS}/csv/session/profile", params={"profileRefName": name, **query},
        files={"file": ("rows.csv", f"{columns}\r\n{content}\r\n".encode(), "text/csv")},
    )  # fmt: skip
    return commit(world, answer.json())


def commit(world: World, session: Document) -> tuple[Document, list[Document]]:
    done = world.ask(f"POST {PRODUCTS}/csv/session/{session['sessionId']}/commit").json()
    counted = {"updateCount": done["updated"], "failedCount": done["failed"], "skipCount": done["skipped"]}
    return counted, [row for row in session["rows"] if row["errors"]]


WAYS = pytest.mark.parametrize("load", [direct, by_session, by_profile])


@WAYS
@pytest.mark.parametrize("name", ["Old", "New"], ids=["as it is stored", "with another name"])
def test_it_is_an_error_with_advice(world: World, load: Any, name: str) -> None:
    ref = f"a-{load.__name__}-{name}".replace("_", "-").lower()
    archived(world, ref)
    counted, rows = load(world, f"{ref},{ref.upper()},{name},1.00")
    assert (counted["updateCount"], counted["skipCount"], counted["failedCount"]) == (0, 0, 1)
    (row,) = rows
    assert row["intent"] == "UPDATE"
    (error,) = row["errors"]
    assert error["code"] == "INTENT"
    assert "is archived: restore it first, send" in error["message"]
    assert "restoreArchived=true" in error["message"]
    assert stored(world, ref) == ("Old", "ARCHIVED")


@WAYS
@pytest.mark.parametrize("name", ["Old", "New"], ids=["as it is stored", "with another name"])
def test_it_is_restored_where_the_request_says_so(world: World, load: Any, name: str) -> None:
    ref = f"r-{load.__name__}-{name}".replace("_", "-").lower()
    archived(world, ref)
    counted, rows = load(world, f"{ref},{ref.upper()},{name},1.00", restoreArchived="true")
    assert (counted["updateCount"], counted["failedCount"], rows) == (1, 0, [])
    assert stored(world, ref) == (name, "ACTIVE")
    assert world.ask(f"GET {PRODUCTS}/refName/{ref}").json()["name"] == name


def test_a_row_that_gives_the_status_means_what_it_says(world: World) -> None:
    archived(world, "says-1")
    archived(world, "says-2")
    columns = f"{COLUMNS},activeStatus"
    content = "says-1,SAYS-1,New,1.00,ARCHIVED\r\nsays-2,SAYS-2,New,1.00,ACTIVE"
    counted, _rows = direct(world, content, columns)
    assert (counted["updateCount"], counted["failedCount"]) == (2, 0)
    assert (stored(world, "says-1"), stored(world, "says-2")) == (("New", "ARCHIVED"), ("New", "ACTIVE"))


def test_what_was_exported_with_its_status_comes_back_unchanged(world: World) -> None:
    archived(world, "back-1")
    columns = f"{COLUMNS},activeStatus"
    counted, _rows = direct(world, "back-1,BACK-1,Old,1.00,ARCHIVED", columns)
    assert (counted["skipCount"], counted["failedCount"]) == (1, 0)


@WAYS
@pytest.mark.parametrize(("price", "code"), [("-1.00", "VALIDATION"), ("much", "PARSE")])
def test_a_failed_update_is_reported_as_one(world: World, load: Any, price: str, code: str) -> None:
    ref = f"{code}-{load.__name__}".replace("_", "-").lower()
    world.make("Product", refName=ref, sku=ref.upper(), name="Old", price="1.00")
    _counted, rows = load(world, f"{ref},{ref.upper()},New,{price}\r\n{ref}-2,{ref.upper()}-2,New,{price}")
    assert [(row["intent"], row["errors"][0]["code"]) for row in rows] == [("UPDATE", code), ("INSERT", code)]


@WAYS
def test_a_second_row_of_a_record_is_reported_as_its_update(world: World, load: Any) -> None:
    ref = f"t-{load.__name__}".replace("_", "-").lower()
    _counted, rows = load(world, f"{ref},{ref.upper()},New,1.00\r\n{ref},{ref.upper()},Newer,1.00")
    failed = [(row["intent"], row["errors"][0]["code"]) for row in rows if row["errors"]]
    assert failed == [("UPDATE", "DUPLICATE")]


def test_an_update_that_the_store_refuses_is_reported_as_one(world: World) -> None:
    world.make("Product", refName="taken-1", sku="TAKEN-1", name="Old", price="1.00")
    world.make("Product", refName="taken-2", sku="TAKEN-2", name="Old", price="1.00")
    _counted, rows = direct(world, "taken-2,TAKEN-1,New,1.00")
    assert [(row["intent"], row["errors"][0]["code"]) for row in rows] == [("UPDATE", "DUPLICATE")]


def test_the_advice_names_only_what_there_is() -> None:
    row = InputRow(2, {}, {"refName": "p-1"})
    for operations, advice in ((EVERY_OPERATION, "restore it first, send"), (frozenset({"save"}), "send")):
        error = build_archived_error(replace(PRODUCT, operations=operations), row)
        assert f"is archived: {advice} restoreArchived=true" in error.message


def test_a_lookup_prefers_a_record_that_is_not_archived(world: World) -> None:
    """Lists show that one alone."""
    titles = {"seek-1": "Both", "seek-2": "Gone", "seek-3": "Went", "seek-4": "Went"}
    for name, title in titles.items():
        archived(world, name, displayName=title)
    world.make("Product", refName="seek-5", sku="SEEK-5", name="New", displayName="Both", price="1.00")
    lookup = {"lookupCollection": "products", "lookupMatchField": "displayName", "lookupReturnField": "sku"}
    columns = [column("REF", "refName"), column("WAY", "mode"), column("WHAT", "name", lookup=lookup)]
    profile = saved(world, "Carrier", *columns)
    lines = [f"found-{number}|AIR|{title}" for number, title in enumerate(("Both", "Gone", "Went"), 1)]
    session = analysed(world, "Carrier", profile, "REF|WAY|WHAT", *lines)
    found = [row.get("record", {}).get("name") for row in session["rows"]]
    assert found == ["SEEK-5", "SEEK-2", None]
