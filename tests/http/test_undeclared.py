"""Members that are stored but not declared, as after a hidden field was renamed or removed in the specification:
no door shows them, and every write leaves them as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from bson import ObjectId

from tests.http.world import PATHS, Document, World

MARK = "MARK-of-a-former-field"
MANY = 10
"""More than are changed one by one."""

HOME = {"street": "1 Road", "city": "Rome", "country": "IT"}
BODY: Document = {"name": "Casa", "billing": HOME, "shipTo": [HOME]}
CUSTOMERS = PATHS["Customer"]


def plant(world: World, collection: str, record: Document, *paths: str) -> None:
    """Store a value that the specification knows nothing of."""
    done = world.documents[collection].update_one(
        {"_id": ObjectId(record["id"])}, {"$set": dict.fromkeys(paths, MARK)}
    )
    assert done.modified_count == 1


def stored(world: World, collection: str, record: Document) -> Document:
    return world.documents[collection].find_one({"_id": ObjectId(record["id"])}) or {}


@pytest.fixture
def customers(world: World) -> list[Document]:
    made = [world.make("Customer", **BODY) for _ in range(MANY)]
    for one in made:
        plant(world, "customers", one, "former", "billing.former", "shipTo.0.former")
    return made


READS = {
    "by id": "GET {path}/id/{id}",
    "by name": "GET {path}/refName/{refName}",
    "list": "GET {path}/list?filter=refName:{refName}",
    "list with actions": "GET {path}/list?filter=refName:{refName}&actions=true",
    "list of parts": "GET {path}/list?filter=refName:{refName}&projection=billing,shipTo",
    "list without parts": "GET {path}/list?filter=refName:{refName}&projection=-name,-billing.city",
    "sorted parts": "GET {path}/list?filter=refName:{refName}&projection=shipTo&sort=billing.city",
    "references": "GET {path}/entityref?filter=refName:{refName}",
    "csv": "GET {path}/csv?filter=refName:{refName}&requestedColumns=refName,billing.city,shipTo",
    "csv of lines": "GET {path}/csv?filter=refName:{refName}&requestedColumns=shipTo[0].city",
}


@pytest.mark.parametrize("request_line", READS.values(), ids=READS)
def test_no_read_shows_them(world: World, customers: list[Document], request_line: str) -> None:
    answer = world.ask(request_line.format(path=CUSTOMERS, **customers[0]))
    assert answer.status_code == 200, answer.text
    assert "Rome" in answer.text or "entityref" in request_line
    assert "former" not in answer.text
    assert MARK not in answer.text


def test_a_search_shows_nothing_either(world: World, customers: list[Document]) -> None:
    body = {"filter": f"refName:{customers[0]['refName']}"}
    answer = world.ask(f"POST {CUSTOMERS}/find", json=body)
    assert answer.json()["rows"][0]["billing"] == HOME
    assert MARK not in answer.text


@pytest.mark.parametrize("path", ["former", "billing.former", "shipTo.former"])
@pytest.mark.parametrize(
    "query",
    [
        *("list?filter={0}:{1}", "list?filter={0}:null", "list?sort={0}", "list?projection={0}"),
        *("csv?requestedColumns={0}", "count?filter={0}:{1}"),
    ],
)
def test_they_cannot_be_asked_for(world: World, customers: list[Document], query: str, path: str) -> None:
    answer = world.ask(f"GET {CUSTOMERS}/{query.format(path, MARK)}")
    assert answer.status_code == 400
    assert f"Customer has no field {path}" in answer.text


def save(world: World, made: list[Document]) -> Any:
    for one in made:
        body = {"id": one["id"], "refName": one["refName"], **BODY, "name": "Loja"}
        yield world.ask(f"POST {CUSTOMERS}", json=body | {"billing": HOME | {"city": "Oslo"}})


def patch(world: World, made: list[Document]) -> Any:
    for one in made:
        body = {"name": "Loja", "billing": {"city": "Oslo"}}
        headers = {"Content-Type": "application/merge-patch+json"}
        yield world.ask(f"PATCH {CUSTOMERS}/id/{one['id']}", json=body, headers=headers)


def set_pairs(world: World, made: list[Document]) -> Any:
    for one in made:
        yield world.ask(f"PUT {CUSTOMERS}/set?id={one['id']}&pairs=name:Loja,billing.city:Oslo")


def save_in_bulk(world: World, made: list[Document]) -> Any:
    records = [{"id": one["id"], **BODY, "name": "Loja", "billing": HOME | {"city": "Oslo"}} for one in made]
    operations = [{"op": "save", "record": record} for record in records]
    yield world.ask(f"POST {CUSTOMERS}/bulk", json={"operations": operations})


def save_all_or_none(world: World, made: list[Document]) -> Any:
    records = [{"id": one["id"], **BODY, "name": "Loja", "billing": HOME | {"city": "Oslo"}} for one in made]
    operations = [{"op": "save", "record": record} for record in records]
    yield world.ask(f"POST {CUSTOMERS}/bulk", json={"operations": operations, "atomic": True})


def set_in_bulk(world: World, made: list[Document]) -> Any:
    body = {"ids": [one["id"] for one in made], "values": {"name": "Loja", "billing.city": "Oslo"}}
    yield world.ask(f"PUT {CUSTOMERS}/bulk/set", json=body)


def set_names_in_bulk(world: World, made: list[Document]) -> Any:
    for values in ({"name": "Loja", "credit": None}, {"billing.city": "Oslo"}):
        yield world.ask(
            f"PUT {CUSTOMERS}/bulk/set", json={"ids": [one["id"] for one in made], "values": values}
        )


def import_rows(world: World, made: list[Document]) -> Any:
    rows = [f"{one['refName']},Loja,Oslo" for one in made]
    content = "\r\n".join(["refName,name,billing.city", *rows]).encode()
    yield world.ask(
        f"POST {CUSTOMERS}/csv", params={"requestedColumns": "refName,name,billing.city"},
        files={"file": ("rows.csv", content, "text/csv")},
    )  # fmt: skip


WRITES: list[Callable[[World, list[Document]], Any]] = [
    save, patch, set_pairs, save_in_bulk, save_all_or_none, set_in_bulk, set_names_in_bulk, import_rows
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES)
def test_every_write_leaves_them(world: World, customers: list[Document], write: Any) -> None:
    for answer in write(world, customers):
        assert answer.status_code == 200, answer.text
        assert MARK not in answer.text
    for one in customers:
        after = stored(world, "customers", one)
        assert (after["name"], after["billing"]["city"]) == ("Loja", "Oslo")
        assert (after["former"], after["billing"]["former"]) == (MARK, MARK)


def test_items_of_a_list_that_is_not_sent_keep_theirs(world: World, customers: list[Document]) -> None:
    list(set_pairs(world, customers[:1]))
    assert stored(world, "customers", customers[0])["shipTo"] == [HOME | {"former": MARK}]


def test_what_is_cleared_is_gone_all_the_same(world: World, customers: list[Document]) -> None:
    body = {"ids": [one["id"] for one in customers], "values": {"billing": None, "credit": None}}
    assert world.ask(f"PUT {CUSTOMERS}/bulk/set", json=body).json()["saved"] == MANY
    for one in customers:
        after = stored(world, "customers", one)
        assert after["former"] == MARK
        assert not after.keys() & {"billing", "credit"}


def test_archiving_and_restoring_leave_them(world: World) -> None:
    made = world.make("Product")
    plant(world, "products", made, "former")
    path = f"{PATHS['Product']}/id/{made['id']}"
    assert world.ask(f"DELETE {path}").status_code == 204
    answer = world.ask(f"POST {path}/restore")
    assert answer.status_code == 200
    assert MARK not in answer.text
    assert stored(world, "products", made)["former"] == MARK


def test_a_hidden_field_and_a_former_one_outlive_a_full_save(world: World) -> None:
    made = world.make("Shipment", customsToken="T-1")
    plant(world, "shipments", made, "former")
    body = {name: made[name] for name in ("id", "customer", "origin", "destination")} | {"notes": "new"}
    answer = world.ask(f"POST {PATHS['Shipment']}", json=body)
    assert answer.status_code == 200
    after = stored(world, "shipments", made)
    assert (after["former"], after["customsToken"], after["notes"]) == (MARK, "T-1", "new")
    assert MARK not in answer.text


def test_the_history_shows_none_of_them(world: World) -> None:
    order = world.make("Order")
    plant(world, "orders", order, "former")
    path = f"{PATHS['Order']}/id/{order['id']}"
    body = {name: order[name] for name in ("id", "customer", "items")} | {"currency": "USD"}
    assert world.ask(f"POST {PATHS['Order']}", json=body).status_code == 200
    revisions = world.documents["revisions"]
    assert MARK not in str(list(revisions.find({"recordId": order["id"]})))
    earlier = [
        {"path": "former", "before": MARK},
        {"path": "items", "after": [{"quantity": 1, "former": MARK}]},
    ]
    revisions.update_one(
        {"recordId": order["id"], "recordVersion": 2}, {"$push": {"changes": {"$each": earlier}}}
    )
    answer = world.ask(f"GET {path}/history")
    told = {one["path"]: one for one in answer.json()["rows"][0]["changes"]}
    assert told == {
        "currency": {"path": "currency", "before": "EUR", "after": "USD"},
        "items": {"path": "items", "after": [{"quantity": 1}]},
    }
    assert MARK not in answer.text
