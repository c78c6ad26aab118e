"""Dynamic attributes whose names have dots, or begin with ``$``: stored, read and asked for by quoted steps."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId

from tests.http.profiles import analysed, column, committed, imported, saved
from tests.http.world import PATHS, Document, World

CUSTOMERS = PATHS["Customer"]
MERGE = {"Content-Type": "application/merge-patch+json"}
NAMES = [
    "unit.price",
    "$gt",
    "$where.x",
    "a..b",
    ".",
    'in "quotes".',
    "plain",
    "co:lon, comma",
    "ünït．price",
]
SETS = ["size", "v1.2", "$set"]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def path_of(group: str, name: str) -> str:
    return f"dynamicAttributes.{quoted(group)}.{quoted(name)}"


def number(value: float) -> Document:
    return {"type": "Double", "value": value}


@pytest.fixture
def pair(world: World) -> list[Document]:
    """Two customers with every name in every set; the values of the second are larger."""
    return [
        world.make(
            "Customer",
            dynamicAttributes={group: {name: number(at + n / 8) for n, name in enumerate(NAMES)} for group in SETS},
        )
        for at in (1, 5)
    ]  # fmt: skip


def rows(world: World, pair: list[Document], **query: str) -> list[str]:
    names = "^[" + ",".join(quoted(one["refName"]) for one in pair) + "]"
    text = f"refName:{names}" + (f" && {query.pop('filter')}" if "filter" in query else "")
    answer = world.ask(f"GET {CUSTOMERS}/list", params={"filter": text, **query})
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["rows"]]


def test_they_come_back_from_every_read(world: World, pair: list[Document]) -> None:
    expected = {
        group: {name: number(1 + n / 8) for n, name in enumerate(NAMES)} for group in SETS
    }  # fmt: skip
    assert pair[0]["dynamicAttributes"] == expected
    assert world.read("Customer", pair[0])["dynamicAttributes"] == expected
    listed = world.ask(f"GET {CUSTOMERS}/list", params={"filter": f"refName:{quoted(pair[0]['refName'])}"})
    assert listed.json()["rows"][0]["dynamicAttributes"] == expected
    raw = world.documents["customers"].find_one({"_id": ObjectId(pair[0]["id"])})["dynamicAttributes"]
    assert all(
        "." not in name and name[0] != "$" for name in (*raw, *(one for each in raw.values() for one in each))
    )


@pytest.mark.parametrize("group", SETS)
@pytest.mark.parametrize("name", NAMES)
def test_they_are_filtered_sorted_projected_and_exported(
    world: World, pair: list[Document], group: str, name: str
) -> None:
    path, (small, large) = path_of(group, name), [one["id"] for one in pair]
    assert rows(world, pair, filter=f"{path}.value:>##4") == [large]
    assert rows(world, pair, filter=f"{path}:<##4") == [small]
    assert rows(world, pair, filter=f"{path}:null") == []
    assert rows(world, pair, sort=f"-{path}") == [large, small]
    assert rows(world, pair, sort=path, limit="1") == [small]
    answer = world.ask(
        f"GET {CUSTOMERS}/list", params={"filter": f"refName:{pair[0]['refName']}", "projection": path}
    )
    value = 1 + NAMES.index(name) / 8
    assert answer.json()["rows"][0]["dynamicAttributes"] == {group: {name: number(value)}}
    export = world.ask(
        f"GET {CUSTOMERS}/csv", params={"filter": f"refName:{pair[0]['refName']}", "requestedColumns": path}
    )
    assert export.text.strip() == repr(value)


def full(world: World, one: Document, group: str, name: str) -> Any:
    body = {"id": one["id"], "name": one["name"], "dynamicAttributes": {group: {name: number(9)}}}
    return world.ask(f"POST {CUSTOMERS}", json=body)


def patch(world: World, one: Document, group: str, name: str) -> Any:
    body = {"dynamicAttributes": {group: {name: number(9)}}}
    return world.ask(f"PATCH {CUSTOMERS}/id/{one['id']}", json=body, headers=MERGE)


def pairs(world: World, one: Document, group: str, name: str) -> Any:
    return world.ask(
        f"PUT {CUSTOMERS}/set", params={"id": one["id"], "pairs": f"{path_of(group, name)}:9"}
    )  # fmt: skip


def in_bulk(world: World, one: Document, group: str, name: str) -> Any:
    values = {path_of(group, name): number(9)}
    return world.ask(f"PUT {CUSTOMERS}/bulk/set", json={"ids": [one["id"]], "values": values})


def by_csv(world: World, one: Document, group: str, name: str) -> Any:
    columns = f"refName,{path_of(group, name)}"
    return world.ask(
        f"POST {CUSTOMERS}/csv", params={"requestedColumns": columns},
        files={"file": ("rows.csv", f"header\r\n{one['refName']},9\r\n".encode(), "text/csv")},
    )  # fmt: skip


@pytest.mark.parametrize("write", [full, patch, pairs, in_bulk, by_csv])
def test_every_write_changes_the_one_that_it_names(world: World, pair: list[Document], write: Any) -> None:
    group, name = "v1.2", "unit.price"
    for one in pair:
        answer = write(world, one, group, name)
        assert answer.status_code == 200, answer.text
        now = world.read("Customer", one)["dynamicAttributes"]
        assert now[group][name]["value"] == 9
        if write is not full:
            before = one["dynamicAttributes"]
            assert now == before | {group: before[group] | {name: now[group][name]}}
    cleared = world.ask(
        f"PUT {CUSTOMERS}/set",
        params={"id": pair[0]["id"], "pairs": f"name:Casa,{path_of(group, name)}:null"},
    )
    assert cleared.status_code == 200, cleared.text
    assert name not in world.read("Customer", pair[0])["dynamicAttributes"].get(group, {})


def test_an_export_in_json_cells_changes_nothing_and_makes_the_same_elsewhere(
    world: World, pair: list[Document]
) -> None:
    columns = "refName,name,dynamicAttributes"
    query = {
        "filter": f"refName:{pair[0]['refName']}",
        "requestedColumns": columns,
        "prependHeaderRow": "true",
    }
    text = world.ask(f"GET {CUSTOMERS}/csv", params=query).text
    assert "unit.price" in text
    made = text.replace(pair[0]["refName"], f"copy-{pair[0]['refName']}")
    for content, expected in ((text, ("skipCount", 1)), (made, ("insertCount", 1))):
        answer = world.ask(
            f"POST {CUSTOMERS}/csv", params={"requestedColumns": columns},
            files={"file": ("rows.csv", content.encode(), "text/csv")},
        )  # fmt: skip
        assert answer.json()[expected[0]] == expected[1], answer.text
    copied = world.ask(f"GET {CUSTOMERS}/refName/copy-{pair[0]['refName']}").json()
    assert copied["dynamicAttributes"] == pair[0]["dynamicAttributes"]


BASE = (column("REF", "refName"), column("NAME", "name"))
FILES = {
    "DOT_NOTATION": ('REF|NAME|dyn.size."unit.price":Double|dyn."v1.2"."$gt":Long', "{}|Casa|1.5|7"),
    "JSON_COLUMN": (
        "REF|NAME|dynamicAttributes",
        '{}|Casa|{{"size":{{"unit.price":1.5}},"v1.2":{{"$gt":{{"type":"Long","value":7}}}}}}',
    ),
    "VERTICAL": (
        "REF|NAME|_entityKey|_attrSet|_attrName|_attrType|_attrValue",
        "{0}|Casa|{0}|size|unit.price|Double|1.5", "{0}|Casa|{0}|v1.2|$gt|Long|7",
    ),
}  # fmt: skip


@pytest.mark.parametrize("strategy", FILES)
def test_an_import_by_profile_reads_them(world: World, strategy: str) -> None:
    profile = saved(world, "Customer", *BASE, dynamicAttributeStrategy=strategy)
    ref_name = f"by-{strategy}"
    header, *lines = FILES[strategy]
    session = analysed(world, "Customer", profile, header, *(line.format(ref_name) for line in lines))
    attributes = {"size": {"unit.price": number(1.5)}, "v1.2": {"$gt": {"type": "Long", "value": 7}}}
    assert [row["record"]["dynamicAttributes"] for row in session["rows"]] == [attributes]
    assert committed(world, "Customer", session) == (1, 0, 0, 0)
    found = world.ask(f"GET {CUSTOMERS}/refName/{ref_name}").json()
    assert found["dynamicAttributes"] == attributes


def test_a_column_of_a_profile_fills_one(world: World) -> None:
    target = 'dynamicAttributes.size."unit.price"'
    profile = saved(
        world, "Customer", *BASE, column("PRICE", target), dynamicAttributeStrategy="DOT_NOTATION"
    )
    imported(world, "Customer", profile, "REF|NAME|PRICE", "by-target|Casa|1.5")
    found = world.ask(f"GET {CUSTOMERS}/refName/by-target").json()
    assert found["dynamicAttributes"] == {"size": {"unit.price": number(1.5)}}


@pytest.mark.parametrize(
    ("name", "why"), [("\ufdd0", "reserved"), ("a\ufdd1", "reserved"), ("", "not empty"), ("a\0", "NUL")]
)
def test_what_cannot_be_a_name_is_refused(world: World, name: str, why: str) -> None:
    for attributes in ({"size": {name: number(1)}}, {name: {"a": number(1)}}):
        body = {"name": "Casa", "dynamicAttributes": attributes}
        answer = world.ask(f"POST {CUSTOMERS}", json=body)
        assert (answer.status_code, why in answer.text) in {(422, True), (400, True)}, answer.text


@pytest.mark.parametrize("path", ['billing."a.b"', '"a.b"', 'dynamicAttributes.size.a.value."b.c"', '"$or"'])
def test_other_keys_have_no_dots(world: World, path: str) -> None:
    for query in ({"filter": f"{path}:1"}, {"sort": path}, {"projection": path}):
        answer = world.ask(f"GET {CUSTOMERS}/list", params=query)
        assert answer.status_code == 400
        assert "\ufdd0" not in answer.text
        assert "\ufdd1" not in answer.text


def test_an_error_names_one_as_it_is_written(world: World, pair: list[Document]) -> None:
    path = path_of("v1.2", "unit.price")
    asked = world.ask(f"PUT {CUSTOMERS}/set", params={"id": pair[0]["id"], "pairs": f"{path}:many"})
    assert asked.status_code == 400
    assert 'dynamicAttributes."v1.2"."unit.price" is' in asked.json()["detail"]
