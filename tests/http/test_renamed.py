"""Fields that were renamed in the specification while records hold them under their former name: every door
answers as it does for a record that was written since."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from generated.record_types import CATALOG
from runtime.errors import RequestError
from runtime.filter import row_order
from runtime.records.document.lenient import read_input
from runtime.records.document.merge import merge
from runtime.records.document.targets import settable
from runtime.spelling import Spelling, Step
from tests.http.test_permission_rules import ruled
from tests.http.test_undeclared import HOME, WRITES
from tests.http.test_withheld import withholding
from tests.http.world import PATHS, Document, World, open_world
from tests.reused import describe_indexes

RENAMED = {
    "Customer": {"name": "title", "billing": "home", "shipTo": "places", "credit": "allowance", "since": "from"},
    "Product": {"details": "about"},
    "Shipment": {"customsToken": "token", "customer": "client", "notes": "remarks"},
}  # fmt: skip
COLLECTIONS = {"Customer": "customers", "Product": "products", "Shipment": "shipments"}
CUSTOMERS, PRODUCTS, SHIPMENTS = (PATHS[kind] for kind in RENAMED)
MERGE = {"Content-Type": "application/merge-patch+json"}
MANY = 10
"""More than are changed one by one."""


@pytest.fixture(scope="module", params=["declared", "EXPAND"])
def world(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path, request: pytest.FixtureRequest
) -> Iterator[World]:
    """The example with fields that have former names: declared alone, or in a phase of a migration."""
    before = {name: CATALOG[name].renamed for name in RENAMED}
    try:
        for name, renamed in RENAMED.items():
            object.__setattr__(CATALOG[name], "renamed", renamed)
        forget_renamed()
        with open_world(mongo_uri, mongo_client, data_folder=key_folder, rule_cache_seconds=0) as opened:
            if request.param != "declared":
                spell(opened, is_shared=request.param == "EXPAND")
            yield opened
    finally:
        for name, renamed in before.items():
            object.__setattr__(CATALOG[name], "renamed", renamed)
        forget_renamed()


def forget_renamed() -> None:
    """Forget what was worked out from the record types before these were changed in their places."""
    row_order.cache_clear()
    describe_indexes.cache_clear()


def spell(world: World, *, is_shared: bool) -> None:
    """Put a migration in force, as ``runtime.migrations`` does."""
    table = {}
    for kind, names in RENAMED.items():
        steps = tuple(Step(name, (name,), former) for name, former in names.items())
        table[world.realm, COLLECTIONS[kind]] = Spelling(2, steps, is_shared)
    world.app.state.service.store.spellings.table = table


def age(world: World, kind: str, *records: Document) -> None:
    """Store records as before their fields were renamed."""
    ids = [ObjectId(one["id"]) for one in records]
    renaming = {"$rename": RENAMED[kind], "$unset": {"_spelling": 1}}
    done = world.documents[COLLECTIONS[kind]].update_many({"_id": {"$in": ids}}, renaming)
    assert done.modified_count == len(records)


def stored(world: World, kind: str, record: Document) -> Document:
    """The record as it is stored; of one in both spellings, which agree, that of now."""
    raw = world.documents[COLLECTIONS[kind]].find_one({"_id": ObjectId(record["id"])}) or {}
    if "at" in raw.pop("_spelling", {}):
        for name, former in RENAMED[kind].items():
            assert raw.pop(former, None) == raw.get(name)
    return raw


@pytest.fixture(scope="module")
def customers(world: World) -> list[Document]:
    """Six that differ in everything a query looks at."""
    towns = ["Rome", "Oslo", None, "Faro", "Rome", "Bonn"]
    made = []
    for number, town in enumerate(towns):
        body: Document = {"name": f"Casa {number % 4}", "credit": f"{number * 100}.50"}
        if town:
            body |= {"billing": HOME | {"city": town}, "shipTo": [HOME, HOME | {"city": town}]}
        if number % 2:
            body["since"] = f"2024-0{number}-17"
        made.append(world.make("Customer", refName=f"six-{number}", **body))
    return made


CLAUSES = [
    *('name:"Casa 1"', 'name:!"Casa 1"', "name:*2*", 'name:^["Casa 1","Casa 3"]', "name:exists", 'name:>"Casa 1"'),
    *("billing.city:Rome", "billing.city:!Rome", "billing:null", "billing:!null", "billing.city:null"),
    *("!!(billing.city:Rome)", "billing.city:Rome || credit:>300", "shipTo:{city:Oslo && country:IT}"),
    *("shipTo.city:Faro", "credit:>100 && credit:<400", "since:null", "since:>2024-02-01"),
]  # fmt: skip
QUERIES = [
    *(f"list?filter={{six}} %26%26 ({clause.replace('&', '%26')})" for clause in CLAUSES),
    *(f"count?filter={{six}} %26%26 ({clause.replace('&', '%26')})" for clause in CLAUSES[:8]),
    *(f"list?filter={{six}}&sort={sort}" for sort in ("name", "-name", "billing.city,-name", "-since", "refName")),
    *(f"list?filter={{six}}&sort={sort}&skip=1&limit=3&projection=name" for sort in ("-credit", "billing.city")),
    *(f"list?filter={{six}}&projection={one}" for one in ("billing", "-shipTo", "name,billing.city", "shipTo.city")),
    *("entityref?filter={six}&sort=-name", "csv?filter={six}", "csv?filter={six}&sort=-name"),
    "csv?filter={six}&requestedColumns=refName,name,credit,billing.city&sort=credit",
    "csv?filter={six}&requestedColumns=refName,shipTo[0].city",
]  # fmt: skip


def test_every_query_answers_alike(world: World, customers: list[Document]) -> None:
    """Compared with the answers about the same records before they were aged."""
    urls = [
        f"GET {CUSTOMERS}/{query}".replace("{six}", "refName:six-*")
        for query in QUERIES
    ]  # fmt: skip
    expected = [world.ask(url) for url in urls]
    assert {one.status_code for one in expected} <= {200}, [
        (url, one.text) for url, one in zip(urls, expected, strict=True) if one.status_code != 200
    ]
    assert len({one.text for one in expected}) > len(urls) // 2
    age(world, "Customer", *customers[:4])
    for url, before in zip(urls, expected, strict=True):
        after = world.ask(url)
        same = (after.status_code, after.json() if "json" in after.headers["content-type"] else after.text)
        told = before.json() if "json" in before.headers["content-type"] else before.text
        assert same == (200, told), url
    for one in customers:
        assert world.read("Customer", one) == one
        assert world.ask(f"GET {CUSTOMERS}/refName/{one['refName']}").json() == one
        assert world.ask(f"GET {CUSTOMERS}/id/{one['id']}").text.count("Casa") == 2
    raw = stored(world, "Customer", customers[0])
    assert raw["title"] == "Casa 0"
    assert not raw.keys() & RENAMED["Customer"]  # reading moved nothing


@pytest.mark.parametrize("sort", ["name", "-billing.city,name", "-since"])
def test_pages_by_cursor_show_each_record_once(world: World, customers: list[Document], sort: str) -> None:
    url = f"GET {CUSTOMERS}/list?filter=refName:six-*&sort={sort}"
    whole = [row["refName"] for row in world.ask(url).json()["rows"]]
    paged = [row["refName"] for page in world.pages(f"{url}&limit=2") for row in page["rows"]]
    assert paged == whole
    assert len(paged) == 6


def test_an_export_of_many_batches_has_every_record(world: World, customers: list[Document]) -> None:
    raw = stored(world, "Customer", customers[0])
    del raw["_id"]
    rows = [raw | {"_id": ObjectId(), "refName": f"many-{n}", "title": f"T{n:05}"} for n in range(3000)]
    for one in rows:
        one.pop("name", None)
    world.documents["customers"].insert_many(rows)
    for sort in ("&sort=-name", ""):
        answer = world.ask(
            f"GET {CUSTOMERS}/csv?filter=refName:many-*&requestedColumns=name,refName&length=-1{sort}"
        )
        lines = answer.text.splitlines()
        assert sorted(lines) == [f"T{n:05},many-{n}" for n in range(3000)], sort
        assert not sort or lines == sorted(lines, reverse=True)
    world.documents["customers"].delete_many({"refName": {"$regex": "^many-"}})


@pytest.mark.parametrize("write", WRITES)
def test_every_write_stores_the_new_name_alone(world: World, write: Any) -> None:
    made = [world.make("Customer", name="Casa", billing=HOME, shipTo=[HOME]) for _ in range(MANY)]
    age(world, "Customer", *made)
    for answer in write(world, made):
        assert answer.status_code == 200, answer.text
    for one in made:
        raw = stored(world, "Customer", one)
        assert (raw["name"], raw["billing"]["city"], raw["shipTo"]) == ("Loja", "Oslo", [HOME])
        assert not raw.keys() & set(RENAMED["Customer"].values())


def clear_by_save(world: World, one: Document) -> Any:
    return world.ask(f"POST {CUSTOMERS}", json={"id": one["id"], "name": "Casa"})


def clear_by_patch(world: World, one: Document) -> Any:
    body = {"billing": None, "shipTo": None, "since": None}
    return world.ask(f"PATCH {CUSTOMERS}/id/{one['id']}", json=body, headers=MERGE)


def clear_by_pairs(world: World, one: Document) -> Any:
    return world.ask(f"PUT {CUSTOMERS}/set?id={one['id']}&pairs=billing:null,shipTo:null,since:null")


def clear_in_bulk(world: World, one: Document) -> Any:
    values = {"billing": None, "shipTo": None, "since": None}
    return world.ask(f"PUT {CUSTOMERS}/bulk/set", json={"ids": [one["id"]], "values": values})


def clear_by_import(world: World, one: Document) -> Any:
    columns = "refName,name,since"
    content = f"{columns}\r\n{one['refName']},Casa,\r\n".encode()
    return world.ask(
        f"POST {CUSTOMERS}/csv", params={"requestedColumns": columns},
        files={"file": ("rows.csv", content, "text/csv")},
    )  # fmt: skip


@pytest.mark.parametrize(
    "clear", [clear_by_save, clear_by_patch, clear_by_pairs, clear_in_bulk, clear_by_import]
)
def test_what_is_cleared_does_not_come_back(world: World, clear: Any) -> None:
    one = world.make("Customer", name="Casa", billing=HOME, shipTo=[HOME], since="2024-05-17")
    age(world, "Customer", one)
    answer = clear(world, one)
    assert answer.status_code == 200, answer.text
    now = world.read("Customer", one)
    assert now["name"] == "Casa", answer.text
    gone = {"since"} if clear is clear_by_import else {"since", "billing", "shipTo"}
    assert not now.keys() & gone
    raw = stored(world, "Customer", one)
    assert not raw.keys() & {*gone, *RENAMED["Customer"].values()}
    found = world.ask(f"GET {CUSTOMERS}/count?filter=refName:{one['refName']} %26%26 since:null")
    assert found.json() == {"count": 1}


def test_a_refused_or_tried_write_changes_nothing(world: World) -> None:
    one = world.make("Customer", name="Casa", billing=HOME)
    age(world, "Customer", one)
    body = {"name": "Loja", "version": 7}
    answer = world.ask(f"PATCH {CUSTOMERS}/id/{one['id']}", json=body, headers=MERGE)
    assert answer.status_code == 409
    tried = world.ask(f"PATCH {CUSTOMERS}/id/{one['id']}?dryRun=true", json={"billing": None}, headers=MERGE)
    assert tried.status_code == 200
    assert world.read("Customer", one) == one
    assert stored(world, "Customer", one)["title"] == "Casa"


def test_text_is_found_under_the_former_name(world: World) -> None:
    old, new = (world.make("Product", details=f"bright gladiolus number {n}") for n in "12")
    age(world, "Product", old)
    rows = world.ask(f'GET {PRODUCTS}/list?filter=text("gladiolus")&sort=refName').json()["rows"]
    assert {row["id"]: row["details"] for row in rows} == {one["id"]: one["details"] for one in (old, new)}


def walk(world: World, path: str, **body: Any) -> list[str]:
    """The ids of all pages."""
    pages = world.pages(f"POST {path}/find", limit=1, **body)
    return [row["id"] for page in pages for row in page["rows"]]


def test_beginnings_and_relevance_know_the_former_name(world: World) -> None:
    texts = ["one anemone", "anemone anemone", "an anemone among other flowers"]
    one, best, last = (world.make("Product", details=text) for text in texts)
    age(world, "Product", best, last)
    assert walk(world, PRODUCTS, filter="text(anemone)", sort="-score") == [
        row["id"] for row in (best, one, last)
    ]
    found = walk(world, PRODUCTS, filter="text(anem*) || text(nothing)", sort="id")
    assert found == [row["id"] for row in (one, best, last)]


@pytest.mark.parametrize("sort", ["name~ci", "name~ci:sv~nullslast", "-name~ci"])
def test_marked_orders_know_the_former_name(world: World, sort: str) -> None:
    made = [world.make("Customer", name=f"{letter} {sort}") for letter in "bAcB"]
    age(world, "Customer", *made[:2])
    body = {"filter": f'name:*"{sort}"', "sort": sort}
    expected = [made[at]["id"] for at in ([2, 3, 0, 1] if sort.startswith("-") else [1, 0, 3, 2])]
    assert walk(world, CUSTOMERS, **body) == expected
    assert walk(world, CUSTOMERS, **body, projection="refName") == expected


def test_a_hidden_field_keeps_its_value_unseen(world: World) -> None:
    one = world.make("Shipment", customsToken="T-1", notes="fragile")
    age(world, "Shipment", one)
    body = {name: one[name] for name in ("id", "customer", "origin", "destination")}
    answer = world.ask(f"POST {SHIPMENTS}", json=body)
    assert answer.status_code == 200, answer.text
    assert "T-1" not in answer.text + world.ask(f"GET {SHIPMENTS}/id/{one['id']}").text
    raw = stored(world, "Shipment", one)
    assert raw["customsToken"] == "T-1"
    assert not raw.keys() & {*RENAMED["Shipment"].values(), "notes"}


def test_a_reference_is_followed_under_the_former_name(world: World) -> None:
    customer = world.make("Customer", name="Casa")
    one = world.make("Shipment", customer={"entityId": customer["id"]})
    age(world, "Shipment", one)
    path = f"{CUSTOMERS}/id/{customer['id']}"
    refused = world.ask(f"DELETE {path}")
    assert (refused.status_code, one["id"] in refused.text) == (409, True)
    assert world.ask(f"PATCH {path}", json={"name": "Casa Nova"}, headers=MERGE).status_code == 200
    now = world.read("Shipment", one)
    assert now["customer"] == one["customer"] | {"entityDisplayName": "Casa Nova"}
    found = world.ask(f"GET {SHIPMENTS}/list?filter=customer:@@{customer['id']}").json()["rows"]
    assert [row["id"] for row in found] == [one["id"]]


def test_what_rules_withhold_is_withheld_under_both_names(world: World) -> None:
    one = world.make("Customer", "acme-user", name="Casa", billing=HOME | {"city": "Secretville"})
    age(world, "Customer", one)
    with ruled(world, withholding("customer", "billing")):
        for request in ("id/{id}", "list?filter=refName:{refName}", "csv?filter=refName:{refName}"):
            answer = world.ask(f"GET {CUSTOMERS}/{request.format(**one)}", "acme-user")
            assert (answer.status_code, "Secretville" in answer.text) == (200, False)
        for name in ("billing.city", "home.city"):
            asked = world.ask(f"GET {CUSTOMERS}/list?filter={name}:Secretville", "acme-user")
            assert asked.status_code == 400
        body = {"id": one["id"], "name": "Loja"}
        assert world.ask(f"POST {CUSTOMERS}", "acme-user", json=body).status_code == 200
    assert world.read("Customer", one)["billing"]["city"] == "Secretville"


def test_a_rule_about_records_finds_them(world: World) -> None:
    made = [world.make("Customer", "acme-user", name=name) for name in ("Forbidden", "Allowed")]
    age(world, "Customer", *made)
    denied = withholding("customer") | {"effect": "DENY", "hiddenFields": [], "filter": "name:Forbidden"}
    with ruled(world, denied | {"priority": 60}):
        seen = [world.ask(f"GET {CUSTOMERS}/id/{one['id']}", "acme-user").status_code for one in made]
    assert seen == [404, 200]


@pytest.mark.parametrize(("name", "former"), RENAMED["Customer"].items())
def test_the_former_name_is_unknown(world: World, name: str, former: str) -> None:
    for query in ("list?filter={}:1", "list?sort={}", "list?projection={}", "csv?requestedColumns={}"):
        answer = world.ask(f"GET {CUSTOMERS}/{query.format(former)}")
        assert answer.status_code == 400
        assert f"Customer has no field {former}; it is called {name} now" in answer.text
        if not query.startswith("csv"):
            assert answer.json()["nearest"] == [name]


WITH_FORMER_NAME: dict[str, tuple[str, Document]] = {
    "saving": ("POST {path}", {"json": {"id": "{id}", "name": "Casa", "home": {"city": "Oslo"}}}),
    "patching": ("PATCH {path}/id/{id}", {"json": {"home": None}, "headers": MERGE}),
    "setting": ("PUT {path}/set?id={id}&pairs=home.city:Oslo", {}),
    "a filter": ("GET {path}/list?filter=home.city:Oslo", {}),
    "importing": (
        "POST {path}/csv?requestedColumns=refName,home.city",
        {"files": {"file": ("a.csv", "a,Oslo", "text/csv")}},
    ),
}


@pytest.mark.parametrize("request_with_former_name", WITH_FORMER_NAME.values(), ids=WITH_FORMER_NAME)
def test_the_name_of_today_is_named_to_callers_who_may_see_it(
    world: World, request_with_former_name: tuple[str, Document]
) -> None:
    one = world.make("Customer", "acme-user", name="Casa")
    line, more = request_with_former_name
    more = {**more, "json": {**more["json"], "id": one["id"]}} if "id" in more.get("json", {}) else more
    line = line.format(path=CUSTOMERS, id=one["id"])
    answer = world.ask(line, "acme-user", **more)
    assert answer.status_code == 400
    assert "; it is called billing now" in answer.text
    with ruled(world, withholding("customer", "billing")):
        answer = world.ask(line, "acme-user", **more)
    assert answer.status_code == 400
    assert "billing" not in answer.text
    assert "home" in answer.text
    assert world.read("Customer", one) == one


INSIDE = replace(CATALOG["Customer"], renamed_inside={"billing.city": "town", "shipTo.city": "place"})


@pytest.mark.parametrize(
    "refused",
    [
        pytest.param(lambda: INSIDE.field_at("billing.town"), id="a path"),
        pytest.param(lambda: settable(INSIDE, "billing.town", set()), id="a path to set"),
        pytest.param(lambda: merge(INSIDE, {}, {"billing": {"town": None}}), id="a patch"),
        pytest.param(lambda: read_input(INSIDE, b'{"name": "A", "billing": {"town": "Oslo"}}'), id="a body"),
    ],
)
def test_so_is_that_of_a_member_of_an_object(refused: Callable[[], object]) -> None:
    with pytest.raises(RequestError, match=r"billing\.town; it is called billing\.city now"):
        refused()


def test_a_member_that_is_hidden_is_not_named() -> None:
    with pytest.raises(RequestError) as refused:
        INSIDE.field_at("billing.town", {"billing.city"})
    assert "city" not in refused.value.message
    with pytest.raises(RequestError) as refused:
        read_input(INSIDE, b'{"name": "A", "shipTo": [{"place": "Oslo"}]}', unnamed=lambda: {"shipTo.city"})
    assert "city" not in refused.value.message
    with pytest.raises(RequestError, match=r"shipTo\[0\]\.place; it is called shipTo\.city now"):
        read_input(INSIDE, b'{"name": "A", "shipTo": [{"place": "Oslo"}]}')
