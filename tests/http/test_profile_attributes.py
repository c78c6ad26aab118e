"""Dynamic attributes in imports by profile: four ways to write them, three to merge them."""

from __future__ import annotations

from datetime import datetime
from itertools import product
from typing import Any

import pytest

from runtime.transfer.rows.row_error import MOST_ERRORS
from tests.http.profiles import (
    analysed,
    asked,
    column,
    committed,
    counts,
    imported,
    list_findings,
    saved,
    sent,
    stored,
)
from tests.http.world import Document, World

BASE = (column("REF?", "refName"), column("NAME?", "name"))
VERTICAL = "_entityKey|_attrSet|_attrName|_attrType|_attrValue"
STRATEGIES = ("DOT_NOTATION", "JSON_COLUMN", "VERTICAL", "HYBRID")
MERGES = ("REPLACE", "MERGE", "APPEND")


def profile(world: World, strategy: str, **members: Any) -> str:
    return saved(
        world, "Customer", *BASE, headerModifiers=True, **{"dynamicAttributeStrategy": strategy} | members
    )


def customer(world: World, ref_name: str, **attributes: Any) -> Document:
    """A customer of one set of attributes: ``height=("Double", 1.5)``."""
    size = {name: {"type": kind, "value": value} for name, (kind, value) in attributes.items()}
    return world.make(
        "Customer", refName=ref_name, name="Ann", dynamicAttributes={"size": size} if size else {}
    )


def attributes(world: World, ref_name: str) -> dict[str, Any]:
    """``{"size.height": 1.5}`` of a stored customer."""
    found = stored(world, "Customer", ref_name).get("dynamicAttributes", {})
    return {
        f"{group}.{name}": one.get("value")
        for group, members in found.items()
        for name, one in members.items()
    }


def file(strategy: str, ref_name: str) -> tuple[str, ...]:
    """A file that says height 5 and depth 3 of a customer."""
    match strategy:
        case "DOT_NOTATION":
            return "REF|dyn.size.height:Double|dyn.size.depth", f"{ref_name}|5|3"
        case "JSON_COLUMN":
            return "REF|dynamicAttributes", f'{ref_name}|{{"size": {{"height": 5, "depth": 3}}}}'
        case "VERTICAL":
            return VERTICAL, f"{ref_name}|size|height|Double|5", f"{ref_name}|size|depth||3"
    return "REF|dyn.size.height|dynamicAttributes", f'{ref_name}|5|{{"size": {{"depth": 3}}}}'


@pytest.mark.parametrize(("strategy", "merge"), [*product(STRATEGIES, MERGES)])
def test_what_a_merge_makes_of_a_strategy(world: World, strategy: str, merge: str) -> None:
    ref = f"{strategy}-{merge}"
    customer(world, ref, height=("Double", 1.0), width=("Long", 2))
    name = profile(world, strategy, dynamicAttributeMergeStrategy=merge)
    session = analysed(world, "Customer", name, *file(strategy, ref))
    assert (session["totalRows"], counts(session)) == (1, (0, 1, 0, 0)), session
    assert attributes(world, ref) == {"size.height": 1.0, "size.width": 2}
    for _time in range(2):
        assert committed(world, "Customer", session) == (0, 1, 0, 0)
    expected = {
        "REPLACE": {"size.height": 5.0, "size.depth": 3},
        "MERGE": {"size.height": 5.0, "size.width": 2, "size.depth": 3},
        "APPEND": {"size.height": 1.0, "size.width": 2, "size.depth": 3},
    }[merge]
    assert attributes(world, ref) == expected
    found = stored(world, "Customer", ref)
    assert (found["version"], found["dynamicAttributes"]["size"]["height"]["type"]) == (2, "Double")
    assert counts(analysed(world, "Customer", name, *file(strategy, ref))) == (0, 0, 1, 0)


def test_a_vertical_file_of_attributes_alone(world: World) -> None:
    customer(world, "alone", height=("Double", 1.0))
    name = saved(world, "Customer", column("_entityKey", "refName"), dynamicAttributeStrategy="VERTICAL")
    session = analysed(world, "Customer", name, *file("VERTICAL", "alone"))
    assert committed(world, "Customer", session) == (0, 1, 0, 0)
    assert attributes(world, "alone") == {"size.height": 5.0, "size.depth": 3}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_attributes_of_a_new_record(world: World, strategy: str) -> None:
    ref = f"new-{strategy}"
    name = saved(
        world, "Customer", *BASE[:1], column("WHO?", "name", transformations={"default": "Ann"}),
        headerModifiers=True, dynamicAttributeStrategy=strategy,
    )  # fmt: skip
    header, *rows = file(strategy, ref)
    session = analysed(world, "Customer", name, f"{header}|WHO", *(f"{row}|" for row in rows))
    assert committed(world, "Customer", session) == (1, 0, 0, 0)
    assert attributes(world, ref) == {"size.height": 5, "size.depth": 3}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_whole_number_of_64_bits(world: World, strategy: str) -> None:
    """The store gives it back as a type of its own; a record that has one can still be changed."""
    ref, size = f"long-{strategy}", 2**40
    customer(world, ref, width=("Long", -size))
    name = profile(world, strategy)
    header, *rows = (line.replace("5", str(size)) for line in file(strategy, ref))
    session = analysed(world, "Customer", name, header.replace(":Double", ":Long"), *(
        row.replace("Double", "Long") for row in rows
    ))  # fmt: skip
    assert committed(world, "Customer", session) == (0, 1, 0, 0)
    kept = {"size.width": -size, "size.height": size, "size.depth": 3}
    assert attributes(world, ref) == kept
    again = analysed(world, "Customer", profile(world, "DOT_NOTATION"), "REF|NAME", f"{ref}|Bea")
    assert committed(world, "Customer", again) == (0, 1, 0, 0)
    assert attributes(world, ref) == kept


@pytest.mark.parametrize(("merge", "expected"), [
    ("REPLACE", {"size.height": 5.0, "size.depth": 3}),
    ("MERGE", {"size.height": 5.0, "size.depth": 3, "size.weight": 9}),
    ("APPEND", {"size.height": 7.0, "size.depth": 3, "size.weight": 9}),
])  # fmt: skip
def test_the_commit_merges_with_what_is_stored_then(world: World, merge: str, expected: Document) -> None:
    ref = f"then-{merge}"
    made = customer(world, ref)
    name = profile(world, "DOT_NOTATION", dynamicAttributeMergeStrategy=merge)
    session = analysed(world, "Customer", name, *file("DOT_NOTATION", ref))
    meanwhile = {"size": {"height": {"type": "Double", "value": 7.0}, "weight": {"type": "Long", "value": 9}}}
    world.ask(
        f"PATCH /logistics/customers/id/{made['id']}", json={"dynamicAttributes": meanwhile},
        headers={"Content-Type": "application/merge-patch+json"},
    )  # fmt: skip
    assert committed(world, "Customer", session) == (0, 1, 0, 0)
    assert attributes(world, ref) == expected


def test_a_record_that_went_meanwhile_is_made_anew(world: World) -> None:
    made = customer(world, "anew", height=("Double", 1.0))
    name = profile(world, "DOT_NOTATION")
    session = analysed(world, "Customer", name, "REF|NAME|dyn.size.depth", "anew|Ann|3")
    world.ask(f"DELETE /logistics/customers/id/{made['id']}")
    assert committed(world, "Customer", session) == (1, 0, 0, 0)
    assert attributes(world, "anew") == {"size.depth": 3}


def test_a_row_that_names_no_attribute_changes_none(world: World) -> None:
    customer(world, "none", height=("Double", 1.0))
    name = profile(world, "HYBRID", dynamicAttributeMergeStrategy="REPLACE")
    header = "REF|NAME|dyn.size.height|dynamicAttributes"
    assert imported(world, "Customer", name, header, 'none|Bob||{"size": {"height": null}}') == (0, 1, 0, 0)
    assert attributes(world, "none") == {"size.height": 1.0}


def test_a_set_goes_with_its_last_attribute(world: World) -> None:
    customer(world, "last", height=("Double", 1.0))
    name = profile(world, "DOT_NOTATION", dynamicAttributeMergeStrategy="REPLACE")
    assert imported(world, "Customer", name, "REF|dyn.look.colour", "last|red") == (0, 1, 0, 0)
    assert stored(world, "Customer", "last")["dynamicAttributes"] == {
        "look": {"colour": {"type": "String", "value": "red"}}
    }


def test_types_are_named_or_those_of_the_stored_attribute_or_what_they_look_like(world: World) -> None:
    customer(world, "types", code=("String", "A1"), day=("DateTime", "2026-01-01T00:00:00Z"))
    name = profile(world, "DOT_NOTATION")
    header = "REF|dyn.size.code|dyn.size.day|dyn.size.on|dyn.size.pick:MultiSelect|dyn.size.when:Date|dyn.size.zip|dyn.size.all:Object"
    row = 'types|7|2026-03-27|true|["a", "b"]|2026-03-27|0150|{"deep": [1]}'
    assert imported(world, "Customer", name, header, row) == (0, 1, 0, 0)
    found = stored(world, "Customer", "types")["dynamicAttributes"]["size"]
    assert {name: (one["type"], one["value"]) for name, one in found.items()} == {
        "code": ("String", "7"), "day": ("DateTime", datetime(2026, 3, 27)), "on": ("Boolean", True),
        "pick": ("MultiSelect", ["a", "b"]), "when": ("Date", "2026-03-27"), "zip": ("String", "0150"),
        "all": ("Object", {"deep": [1]}),
    }  # fmt: skip
    assert imported(world, "Customer", name, header, row) == (0, 0, 1, 0)


@pytest.mark.parametrize(
    ("strategy", "header", "row", "code", "column_name", "value"),
    [
        ("DOT_NOTATION", "REF|dyn.size.depth:Double", "wrong|deep", "PARSE", "dyn.size.depth:Double", "deep"),
        ("JSON_COLUMN", "REF|dynamicAttributes", "wrong|{", "PARSE", "dynamicAttributes", "{"),
        ("JSON_COLUMN", "REF|dynamicAttributes", 'wrong|{"s": {"a": {"b": 1000000000000000000000000}}}', "VALIDATION", "dynamicAttributes", None),
        ("JSON_COLUMN", "REF|dynamicAttributes", 'wrong|{"s": {"a": {"type": "Long", "value": 1000000000000000000000000}}}', "VALIDATION", "dynamicAttributes", None),
        ("JSON_COLUMN", "REF|dynamicAttributes", 'wrong|{"s": {"a": {"$b": 1}}}', "VALIDATION", "dynamicAttributes", None),
        ("VERTICAL", VERTICAL, "wrong|size|depth|Dubble|3", "MAPPING", "_attrType", "Dubble"),
        ("VERTICAL", VERTICAL, "wrong|size|depth|Double|deep", "PARSE", None, "deep"),
        ("VERTICAL", VERTICAL, "|size|depth|Double|3", "VALIDATION", "_entityKey", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("merge", ["MERGE", "APPEND"])
def test_attributes_that_cannot_be(
    world: World, strategy: str, header: str, row: str, code: str, column_name: str | None,
    value: str | None, merge: str,
) -> None:  # fmt: skip
    """What is wrong is wrong, also where the merge would leave it out."""
    if world.documents["customers"].find_one({"refName": "wrong"}) is None:
        customer(world, "wrong", height=("Double", 1.0))
    name = profile(world, strategy, dynamicAttributeMergeStrategy=merge)
    session = analysed(world, "Customer", name, header, row)
    assert list_findings(session) == [(1, code, column_name, value)], session["rows"][0]["errors"]
    assert committed(world, "Customer", session) == (0, 0, 0, 1)
    assert attributes(world, "wrong") == {"size.height": 1.0}


@pytest.mark.parametrize(("merge", "errors"), [("MERGE", 1), ("REPLACE", 1), ("APPEND", 0)])
def test_a_cell_is_read_by_the_type_of_the_attribute_that_it_changes(
    world: World, merge: str, errors: int
) -> None:
    """APPEND changes none that is there."""
    customer(world, f"typed-{merge}", height=("Double", 1.0))
    name = profile(world, "DOT_NOTATION", dynamicAttributeMergeStrategy=merge)
    session = analysed(world, "Customer", name, "REF|dyn.size.height", f"typed-{merge}|tall")
    assert list_findings(session) == [(1, "PARSE", "dyn.size.height", "tall")] * errors
    assert counts(session) == (0, 0, 1 - errors, errors)


def test_the_rows_of_an_entity_stand_together_and_count_as_one(world: World) -> None:
    for ref in ("ent-1", "ent-2"):
        customer(world, ref)
    name = profile(world, "VERTICAL")
    rows = ["ent-1|size|a||1", "ent-1|size|b||2", "ent-2|size|a||1", "ent-1|size|c||3"]
    session = analysed(world, "Customer", name, VERTICAL, *rows)
    assert [(row["rowNumber"], row["refName"]) for row in session["rows"]] == [
        (1, "ent-1"),
        (3, "ent-2"),
        (4, "ent-1"),
    ]
    assert (session["totalRows"], list_findings(session)) == (3, [(4, "DUPLICATE", "_entityKey", "ent-1")])
    assert committed(world, "Customer", session) == (0, 2, 0, 1)
    assert attributes(world, "ent-1") == {"size.a": 1, "size.b": 2}


def test_the_rows_of_one_key_for_several_tenants_are_several_entities(world: World) -> None:
    """A row without a tenant goes on with the entity before it, which has to name one in its first row.

    Spaces are not another tenant.
    """
    for caller in ("acme", "globex"):
        world.make("Customer", caller, refName="twin", name="Ann")
    columns = [column("TENANT", "dataDomain.tenantId")]
    name = saved(world, "Customer", *columns, caller="system", dynamicAttributeStrategy="VERTICAL")
    items = (("a", "acme"), ("b", "acme"), ("c", ""), ("d", "globex"))
    rows = [f"twin|s|{attribute}||1|{tenant}" for attribute, tenant in items]
    rows += ["late|s|a||1|", "late|s|b||1|acme", "wide|s|a||1|acme", "wide|s|b||1|  ", "wide|s|c||1| acme"]
    session = analysed(world, "Customer", name, f"{VERTICAL}|TENANT", *rows, caller="system")
    assert [row["rowNumber"] for row in session["rows"]] == [1, 4, 5, 7]
    assert [len(row["errors"]) for row in session["rows"]] == [0, 0, 2, 3]  # the last ones have no name, too
    error = session["rows"][2]["errors"][0]
    assert (error["column"], error["message"]) == (
        "TENANT",
        "row 6 says otherwise than row 5 of the same entity",
    )
    assert committed(world, "Customer", session, "system") == (0, 2, 0, 2)
    after = world.documents["customers"].find({"refName": "twin"})
    found = {one["dataDomain"]["tenantId"]: [*one["dynamicAttributes"]["s"]] for one in after}
    assert found == {"acme": ["a", "b", "c"], "globex": ["d"]}


def test_a_row_for_another_tenant_is_an_error_of_its_entity(world: World) -> None:
    """The rows stay one entity, of which nothing is stored."""
    world.make("Customer", "acme", refName="strayed", name="Ann")
    columns = [column("TENANT", "dataDomain.tenantId")]
    name = saved(world, "Customer", *columns, dynamicAttributeStrategy="VERTICAL")
    rows = [f"strayed|s|{attribute}||1|{tenant}" for attribute, tenant in (("a", "acme"), ("b", "globex"))]
    session = analysed(world, "Customer", name, f"{VERTICAL}|TENANT", *rows)
    assert [row["rowNumber"] for row in session["rows"]] == [1]
    messages = [error["message"] for error in session["rows"][0]["errors"]]
    assert "row 2 says otherwise than row 1 of the same entity" in messages


def test_an_entity_with_more_rows_than_a_batch(world: World) -> None:
    """Those that do not fit into one upload chunk or batch of look-ups are one record all the same."""
    for ref in ("long-1", "long-2"):
        customer(world, ref)
    name = profile(world, "VERTICAL")
    rows = [f"{ref}|set{n // 250}|name{n}||{n}" for ref in ("long-1", "long-2") for n in range(700)]
    assert imported(world, "Customer", name, VERTICAL, *rows) == (0, 2, 0, 0)
    for ref in ("long-1", "long-2"):
        assert attributes(world, ref) == {f"set{n // 250}.name{n}": n for n in range(700)}


def test_an_entity_whose_rows_disagree_is_one_error_row(world: World) -> None:
    """With the first errors and the number of the others, and the entities around it are imported."""
    for ref in ("agreed-1", "agreed-2"):
        customer(world, ref)
    columns = (column("NAME", "name"), column("MAIL", "email"))
    name = saved(world, "Customer", *columns, dynamicAttributeStrategy="VERTICAL")
    rows = [f"torn|s|n{n}||{n}|Name {n}|m{n}@x.example" for n in range(150)]
    rows = ["agreed-1|s|a||1|A|a@x.example", *rows, "agreed-2|s|a||1|B|b@x.example"]
    session = analysed(world, "Customer", name, f"{VERTICAL}|NAME|MAIL", *rows)
    assert (session["totalRows"], counts(session)) == (3, (0, 2, 0, 1))
    errors = session["rows"][1]["errors"]
    assert (len(errors), errors[0]["column"], errors[1]["column"]) == (MOST_ERRORS, "NAME", "MAIL")
    assert errors[-1]["message"] == f"{149 * 2 - MOST_ERRORS + 1} more errors of this row are not shown"
    file = asked(world, "Customer", session, "GET errors").text
    assert (file.count("\r\n"), errors[-1]["message"] in file) == (151, True)
    assert committed(world, "Customer", session) == (0, 2, 0, 1)


def test_attributes_are_read_back_from_the_session(world: World) -> None:
    """What waits for the commit is what was read: quoted or not, typed or not, lists of choices."""
    customer(world, "kept")
    name = profile(world, "JSON_COLUMN")
    cell = '{"s": {"text": "12", "whole": 12, "list": ["a", "1"], "when": "2026-03-27T04:12:14Z", "ref": {"type": "ObjectRef", "value": "65f0c0ffee00c0ffee00c0de"}, "half": 0.5}}'
    assert imported(world, "Customer", name, "REF|dynamicAttributes", f"kept|{cell}") == (0, 1, 0, 0)
    found = stored(world, "Customer", "kept")["dynamicAttributes"]["s"]
    assert {name: one["type"] for name, one in found.items()} == {
        "text": "String", "whole": "Integer", "list": "MultiSelect", "when": "DateTime", "ref": "ObjectRef", "half": "Double",
    }  # fmt: skip
    assert (found["list"]["value"], found["text"]["value"]) == (["a", "1"], "12")


@pytest.mark.parametrize(
    ("members", "header", "status"),
    [
        pytest.param({}, "REF|dyn.size.height", 200, id="discovered"),
        pytest.param({"dynamicAttributePrefix": "x_"}, "REF|x_size.height", 200, id="with another prefix"),
        pytest.param({"dynamicAttributePrefix": "x_"}, "REF|dyn.size.height", 400, id="which is the only one then"),
        pytest.param({"enableDynamicAttributeDiscovery": False}, "REF|dyn.size.height", 400, id="not to be discovered"),
        pytest.param({}, "REF|dyn.height", 400, id="no name of an attribute"),
        pytest.param({}, "REF|dyn.size.height:Dubble", 400, id="an unknown type"),
        pytest.param({}, "REF|dyn.size.height|dyn.size.height:Long", 400, id="twice"),
    ],
)  # fmt: skip
def test_which_columns_are_attributes(world: World, members: Document, header: str, status: int) -> None:
    name = profile(world, "DOT_NOTATION", **members)
    answer = sent(world, "Customer", name, header, "|".join(["which", "1", "1"][: header.count("|") + 1]))
    assert answer.status_code == status, answer.text


def test_the_rows_tell_the_cells_as_they_came(world: World) -> None:
    customer(world, "cells")
    name = profile(world, "HYBRID")
    session = analysed(world, "Customer", name, "REF|dyn.size.height:Double|dynamicAttributes", "cells|5|")
    (row,) = asked(world, "Customer", session, "GET rows").json()["rows"]
    assert row["rawData"] == {"REF": "cells", "dyn.size.height:Double": "5", "dynamicAttributes": ""}
