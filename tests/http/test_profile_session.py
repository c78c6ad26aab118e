"""Imports by profile over HTTP: every word of a profile, what is refused, and what the commit goes by."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from pymongo import MongoClient

from runtime.access.guard import open_call
from runtime.call import Call
from runtime.identity.users.users import NewUser
from runtime.model.nearest import MOST_SUGGESTIONS
from runtime.seams import ImportContext, Resolution, Seams
from runtime.seeding import plant
from tests.http.profiles import (
    PROFILES,
    analysed,
    asked,
    column,
    committed,
    counts,
    imported,
    list_findings,
    made,
    saved,
    sent,
    stored,
)
from tests.http.test_permission_rules import rule, ruled
from tests.http.world import PASSWORD, Document, World, open_world
from tests.scenario import check_problem

ROOT = Path(__file__).parents[2]
RULES = "/security/permission/rules"

Resolver = Callable[[str | None, Mapping[str, str], ImportContext], Resolution]

CONTEXTS: list[tuple[str | None, Mapping[str, str], ImportContext]] = []
"""What the resolver ``told`` was asked."""


async def _answers(value: str | None, row: Mapping[str, str], context: ImportContext, /) -> Resolution:
    """The outcome that the cell names."""
    CONTEXTS.append((value, row, context))
    return {
        "success": Resolution.success("Resolved"),
        "passthrough": Resolution.passthrough(),
        "null": Resolution.null_value(),
        "skip": Resolution.skip("of no use"),
        "error": Resolution.error("nobody knows it"),
    }[value or "null"]


async def _breaks(_value: str | None, _row: Mapping[str, str], _context: ImportContext, /) -> Resolution:
    if _value == "sound":
        return Resolution.passthrough()
    raise RuntimeError("a resolver of the application is broken")


SEAMS = Seams(row_value_resolvers={"answers": _answers, "breaks": _breaks})


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], key_folder: Path) -> Iterator[World]:
    """A service with resolvers, whose rules are read for every request."""
    options: dict[str, Any] = {"data_folder": key_folder, "rule_cache_seconds": 0}
    with open_world(mongo_uri, mongo_client, SEAMS, **options) as opened:
        for code, name in (("PT", "Lusitania"), ("NL", "Batavia")):
            opened.make("Country", refName=code, code=code, name=name)
        opened.make("Customer", refName="casa", name="Casa das Flores")
        operator = NewUser("root@acme.example", PASSWORD, "acme", frozenset({"system"}))
        opened.sign_in("acme-root", operator)
        yield opened


# What a profile says ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mapped", "cell", "expected"),
    [
        pytest.param(column("X", "email"), "a@b", "a@b", id="a text as it is"),
        pytest.param(column("X", "credit"), "12.50", Decimal128("12.50"), id="a decimal"),
        pytest.param(column("X", "billing"), '{"street": "Rua 1", "city": "Lisbon", "country": "PT"}', {"street": "Rua 1", "city": "Lisbon", "country": "PT"}, id="an object as JSON"),
        pytest.param(column("X", "email"), "", None, id="an empty cell is no value"),
        pytest.param(column("X", "email", transformations={"trim": True}), "  a@b ", "a@b", id="trim"),
        pytest.param(column("X", "email", transformations={"case": "LOWER"}), "A@B", "a@b", id="case"),
        pytest.param(column("X", "credit", transformations={"regex": {"pattern": r"^(\d+),(\d+) EUR$", "replacement": r"$1.$2"}}), "12,50 EUR", Decimal128("12.50"), id="regex"),
        pytest.param(column("X", "email", transformations={"default": "none@b"}), "", "none@b", id="default"),
        pytest.param(column("X", "since", transformations={"dateFormat": "d. MMMM yyyy"}), "7. May 2024", "2024-05-07", id="date format"),
        pytest.param(column("X", "email", valueMappings={"old": "new@b"}), "old", "new@b", id="value mapping"),
        pytest.param(column("X", "email", valueMappings={"old": "new@b"}), "c@d", "c@d", id="a cell that is not mapped passes"),
        pytest.param(column("X", "email", valueMappings={"old": "new@b"}, unmappedValueBehavior="NULL"), "c@d", None, id="or is no value"),
        pytest.param(column("X", "email", lookup={"lookupCollection": "countries", "lookupMatchField": "name", "lookupReturnField": "code"}, transformations={"regex": {"pattern": "@.*", "replacement": ""}}), "c@d", "LOOKUP", id="a look-up that finds nothing"),
        pytest.param(column("X", "email", lookup={"lookupCollection": "countries", "lookupMatchField": "name", "onNotFound": "NULL"}), "c@d", None, id="which may be no value"),
        pytest.param(column("X", "email", lookup={"lookupCollection": "countries", "lookupMatchField": "name", "onNotFound": "PASSTHROUGH"}), "c@d", "c@d", id="or pass"),
        pytest.param(column("X", "billing.country", lookup={"lookupCollection": "countries", "lookupMatchField": "name", "lookupReturnField": "code"}), "Lusitania", "PT", id="a look-up by another field of another field"),
        pytest.param(column("X", "dynamicAttributes.size.height"), "1.5", {"type": "Double", "value": 1.5}, id="a dynamic attribute"),
    ],
)  # fmt: skip
def test_what_becomes_of_a_cell(
    world: World, request: pytest.FixtureRequest, mapped: Document, cell: str, expected: Any
) -> None:
    rest = (
        [column("S", "billing.street"), column("C", "billing.city")]
        if "billing." in mapped["targetField"]
        else []
    )
    name = saved(world, "Customer", column("REF", "refName"), column("NAME", "name"), mapped, *rest)
    ref_name = f"cell-{re.sub('[^a-z]', '-', request.node.callspec.id)}"
    header, line = "REF|NAME|X", f"{ref_name}|Somebody|{cell}"
    session = analysed(
        world, "Customer", name, header + "|S|C" * bool(rest), line + "|Rua 1|Lisbon" * bool(rest)
    )
    if expected == "LOOKUP":
        assert list_findings(session) == [(1, "LOOKUP", "X", "c")]
        return
    assert committed(world, "Customer", session) == (1, 0, 0, 0)
    value: Any = stored(world, "Customer", ref_name)
    for step in mapped["targetField"].split("."):
        value = value.get(step) if isinstance(value, dict) else None
    assert value == expected


def test_a_reference_is_looked_up_or_named(world: World) -> None:
    by_name = {"lookupCollection": "countries", "lookupMatchField": "name"}
    looked_up = saved(
        world,
        "Airport",
        column("ICAO", "icao"),
        column("NAME", "name"),
        column("LAND", "country", lookup=by_name),
    )
    named = saved(
        world,
        "Airport",
        column("ICAO", "icao"),
        column("NAME", "name"),
        column("LAND", "country.entityRefName"),
    )
    header = "ICAO|NAME|LAND"
    assert imported(world, "Airport", looked_up, header, "REF1|One|Lusitania", "REF2|Two|Lusitanie") == (
        1,
        0,
        0,
        1,
    )
    assert imported(world, "Airport", named, header, "REF3|Three|NL", "REF4|Four|XX") == (1, 0, 0, 1)
    found = {
        row["icao"]: row["country"] for row in world.documents["airports"].find({"icao": {"$regex": "^REF"}})
    }
    assert {icao: country["entityRefName"] for icao, country in found.items()} == {"REF1": "PT", "REF3": "NL"}


def test_a_cell_lists_records_that_other_rows_make(world: World) -> None:
    name = saved(
        world, "Supplier", column("REF", "refName"), column("NAME", "name"),
        column("FROM", "suppliers.entityRefName", listSeparator=";", transformations={"trim": True}),
    )  # fmt: skip
    rows = ("ls-1|One|ls-2; ls-3;", "ls-2|Two|", "ls-3|Three|ls-2", "ls-4|Four|ls-2;nobody")
    session = analysed(world, "Supplier", name, "REF|NAME|FROM", *rows)
    assert [(number, code) for number, code, *_rest in list_findings(session)] == [(4, "REFERENCE")]
    assert committed(world, "Supplier", session) == (3, 0, 0, 1)
    listed = {
        ref_name: [one["entityRefName"] for one in stored(world, "Supplier", ref_name).get("suppliers") or []]
        for ref_name in ("ls-1", "ls-2", "ls-3")
    }
    assert listed == {"ls-1": ["ls-2", "ls-3"], "ls-2": [], "ls-3": ["ls-2"]}
    edges = world.documents["ontologyEdges"].count_documents({"predicate": "suppliedBy", "inferred": False})
    assert edges == 3


def test_modifiers_of_headers(world: World) -> None:
    world.make("Customer", refName="mod-1", name="Before", email="a@b", credit="5.00")
    name = saved(
        world, "Customer", column("REF", "refName"), column("NAME", "name"), column("MAIL", "email"),
        column("CREDIT", "credit"), column("SINCE?", "since"), headerModifiers=True,
    )  # fmt: skip
    rows = ("mod-1|After||7.00|x", "mod-2||c@d|1.00|x")
    session = analysed(world, "Customer", name, "REF|NAME*|MAIL?|CREDIT~|TOTAL~", *rows)
    assert list_findings(session) == [(2, "VALIDATION", "NAME*", None)]
    assert committed(world, "Customer", session) == (0, 1, 0, 1)
    found = stored(world, "Customer", "mod-1")
    assert (found["name"], found["email"], found["credit"]) == ("After", "a@b", Decimal128("5.00"))


def test_columns_that_no_mapping_names_are_an_error_unless_they_are_ignored(world: World) -> None:
    columns = column("REF", "refName"), column("NAME", "name")
    strict, lenient = (saved(world, "Customer", *columns, unmappedColumns=one) for one in ("FAIL", "IGNORE"))
    answer = sent(world, "Customer", strict, "REF|NAME|MORE", "u-1|One|x")
    assert (answer.status_code, answer.text) == (
        400,
        f"the header, column 3: the profile {strict} does not map MORE",
    )
    assert imported(world, "Customer", lenient, "REF|NAME|MORE", "u-1|One|x") == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("query", "encoding"),
    [
        pytest.param({"fieldSeparator": ";"}, "utf-8", id="semicolons"),
        pytest.param({"quoteChar": "'", "quotingStrategy": "QUOTE_ALL_COLUMNS"}, "utf-8", id="quotes"),
        pytest.param({"charsetEncoding": "UTF-16-with-BOM"}, "utf-16", id="UTF-16"),
        pytest.param({"charsetEncoding": "UTF-8-with-BOM"}, "utf-8-sig", id="UTF-8 with a mark"),
    ],
)  # fmt: skip
def test_files_of_every_dialect(world: World, query: dict[str, str], encoding: str) -> None:
    name = saved(world, "Customer", column("REF", "refName"), column("NÅME", "name"))
    separator, quote = query.get("fieldSeparator", ","), query.get("quoteChar", '"')
    lines = [["REF", "NÅME"], ["d-1", f"{quote}Ünd{separator}{quote}"]]
    text = "\r\n".join(map(separator.join, lines))
    answer = world.ask(
        "POST /logistics/customers/csv/session/profile", params={"profileRefName": name, **query},
        files={"file": ("rows.csv", text.encode(encoding), "text/csv")},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    committed(world, "Customer", answer.json())
    assert stored(world, "Customer", "d-1")["name"] == f"Ünd{separator}"


def test_guarded_cells_come_back_as_they_were(world: World) -> None:
    name = saved(world, "Customer", column("REF", "refName"), column("=NAME", "name"))
    assert imported(world, "Customer", name, "REF|'=NAME", "guard-1|'=1+1") == (1, 0, 0, 0)
    assert stored(world, "Customer", "guard-1")["name"] == "=1+1"
    session = analysed(world, "Customer", name, "REF|=NAME", "guard-2|'=1+1", formulaGuard="false")
    assert committed(world, "Customer", session) == (1, 0, 0, 0)
    assert stored(world, "Customer", "guard-2")["name"] == "'=1+1"


# Resolvers --------------------------------------------------------------------------------------------


def test_every_outcome_of_a_resolver(world: World) -> None:
    CONTEXTS.clear()
    name = saved(
        world, "Customer", column("REF", "refName"),
        column("NAME", "name", rowValueResolverName="answers", transformations={"trim": True}),
    )  # fmt: skip
    rows = [f"out-{outcome}| {outcome}" for outcome in ("success", "passthrough", "null", "skip", "error")]
    session = analysed(world, "Customer", name, "REF|NAME", *rows)
    assert counts(session) == (2, 0, 1, 2)
    assert [row["intent"] for row in session["rows"]] == ["INSERT", "INSERT", "INSERT", "SKIP", "INSERT"]
    errors = {row["rowNumber"]: row["errors"] for row in session["rows"] if row["errors"]}
    assert (errors[3][0]["code"], errors[3][0]["field"]) == ("VALIDATION", "name")
    assert (errors[5][0]["code"], errors[5][0]["message"]) == ("MAPPING", "nobody knows it")
    value, row, context = CONTEXTS[0]
    assert (value, row) == ("success", {"REF": "out-success", "NAME": " success"})
    assert context == ImportContext(world.realm, session["sessionId"], 1, name)
    assert committed(world, "Customer", session) == (2, 0, 1, 2)
    assert stored(world, "Customer", "out-success")["name"] == "Resolved"
    assert stored(world, "Customer", "out-passthrough")["name"] == "passthrough"


def test_a_row_that_a_resolver_skips_says_why(world: World) -> None:
    name = saved(
        world, "Carrier", column("REF", "refName"), column("NAME", "name", rowValueResolverName="answers"),
        column("WAY", "mode"),
    )  # fmt: skip
    session = analysed(world, "Carrier", name, "REF|NAME|WAY", "why-1|skip|AIR", "why-2|success|AIR")
    assert [(row["intent"], row["refName"], row.get("reason")) for row in session["rows"]] == [
        ("SKIP", "why-1", "of no use"), ("INSERT", "why-2", None),
    ]  # fmt: skip
    rows = asked(world, "Carrier", session, "GET rows").json()["rows"]
    assert [row.get("reason") for row in rows] == ["of no use", None]


def test_a_resolver_that_breaks_fails_its_row(world: World) -> None:
    name = saved(
        world, "Customer", column("REF", "refName"), column("NAME", "name", rowValueResolverName="breaks")
    )
    session = analysed(world, "Customer", name, "REF|NAME", "broken-1|x", "broken-2|sound")
    assert counts(session) == (1, 0, 0, 1)
    (error,) = session["rows"][0]["errors"]
    assert (error["code"], error["field"], error["value"]) == ("MAPPING", "name", "x")
    assert error["message"] == "the resolver of NAME failed on row 1; it was logged"
    assert committed(world, "Customer", session) == (1, 0, 0, 1)


# Intents ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "exists", "expected", "says"),
    [
        ("INSERT", False, "INSERT", ""),
        ("INSERT", True, "INTENT", "INSERT, but a record with refName {ref} exists: use UPDATE or UPSERT"),
        ("UPDATE", True, "UPDATE", ""),
        ("UPDATE", False, "INTENT", "UPDATE, but no record has refName {ref}: use INSERT or UPSERT"),
        ("upsert", True, "UPDATE", ""),
        ("Upsert", False, "INSERT", ""),
        ("SKIP", True, "SKIP", ""),
        ("SKIP", False, "SKIP", ""),
        ("", False, "INTENT", "UPDATE, but no record has"),
        ("DELETE", True, "INTENT", "DELETE is not supported: a row is one of INSERT, UPDATE, UPSERT, SKIP"),
        ("UPDAET", True, "INTENT", "UPDAET is not an intent"),
    ],
)  # fmt: skip
def test_what_a_row_asks_for(world: World, cell: str, exists: bool, expected: str, says: str) -> None:
    """An empty cell asks for what the profile says: UPDATE."""
    ref = f"intent-{cell.lower()}-{exists}"
    if exists:
        world.make("Customer", refName=ref, name="Before")
    columns = column("REF", "refName"), column("NAME", "name")
    name = saved(world, "Customer", *columns, intentColumn="DO", defaultIntent="UPDATE")
    session = analysed(world, "Customer", name, "REF|NAME|DO", f"{ref}|After|{cell}")
    (row,) = session["rows"]
    if expected == "INTENT":
        assert ([error["code"] for error in row["errors"]], row["refName"]) == (["INTENT"], ref)
        assert says.format(ref=ref) in row["errors"][0]["message"]
        assert row["errors"][0]["column"] == ("REF" if "but" in says else "DO")
    else:
        assert (row["intent"], row["refName"], row["errors"]) == (expected, ref, [])
    changed = {"INSERT": (1, 0, 0, 0), "UPDATE": (0, 1, 0, 0), "SKIP": (0, 0, 1, 0), "INTENT": (0, 0, 0, 1)}
    assert committed(world, "Customer", session) == changed[expected]
    found = world.documents["customers"].find_one({"refName": ref})
    assert (found and found["name"]) == {
        "INTENT": "Before" if exists else None,
        "SKIP": "Before" if exists else None,
    }.get(expected, "After")


def test_an_update_without_a_key_says_so(world: World) -> None:
    name = saved(world, "Customer", column("NAME", "name"), defaultIntent="UPDATE")
    session = analysed(world, "Customer", name, "NAME", "Nobody")
    assert (
        session["rows"][0]["errors"][0]["message"]
        == "UPDATE, but the row has no refName: use INSERT or UPSERT"
    )


@pytest.mark.parametrize("intent", ["INSERT", "UPDATE", "UPSERT"])
def test_a_row_shows_its_record_before_and_after_the_commit(world: World, intent: str) -> None:
    """An INSERT too, which the record that it created does not contradict."""
    ref = f"shown-{intent}"
    if intent == "UPDATE":
        world.make("Customer", refName=ref, name="Before")
    columns = column("REF", "refName"), column("NAME", "name")
    name = saved(world, "Customer", *columns, defaultIntent=intent)
    session = analysed(world, "Customer", name, "REF|NAME", f"{ref}|After")
    assert session["rows"][0]["record"]["name"] == "After"
    assert committed(world, "Customer", session)[3] == 0
    (row,) = asked(world, "Customer", session, "GET rows").json()["rows"]
    assert row["record"]["id"] == str(stored(world, "Customer", ref)["_id"])


@pytest.mark.parametrize("intent", ["INSERT", "UPSERT"])
def test_a_committed_row_shows_its_record_as_it_is(world: World, intent: str) -> None:
    """Not what the row would store if it were committed once more."""
    ref = f"since-{intent}"
    name = saved(world, "Customer", column("REF", "refName"), column("NAME", "name"), defaultIntent=intent)
    session = analysed(world, "Customer", name, "REF|NAME", f"{ref}|After")
    assert committed(world, "Customer", session)[3] == 0
    where = f"/logistics/customers/id/{stored(world, 'Customer', ref)['_id']}"
    headers = {"Content-Type": "application/merge-patch+json"}
    answer = world.ask(f"PATCH {where}", content=b'{"name": "Since"}', headers=headers)
    assert answer.status_code == 200, answer.text
    (row,) = asked(world, "Customer", session, "GET rows").json()["rows"]
    assert (row["record"]["name"], row["record"]["version"]) == ("Since", 2)
    assert world.ask(f"DELETE {where}").status_code == 204
    (row,) = asked(world, "Customer", session, "GET rows").json()["rows"]
    assert "record" not in row


def test_intents_are_held_to_again_at_the_commit(world: World) -> None:
    columns = column("REF", "refName"), column("NAME", "name")
    name = saved(world, "Customer", *columns, intentColumn="DO")
    gone = world.make("Customer", refName="late-2", name="Before")
    session = analysed(world, "Customer", name, "REF|NAME|DO", "late-1|After|INSERT", "late-2|After|UPDATE")
    assert counts(session) == (1, 1, 0, 0)
    world.make("Customer", refName="late-1", name="Meanwhile")
    world.ask(f"DELETE /logistics/customers/id/{gone['id']}")
    assert committed(world, "Customer", session) == (0, 0, 0, 2)
    assert stored(world, "Customer", "late-1")["name"] == "Meanwhile"
    assert world.documents["customers"].find_one({"refName": "late-2"}) is None
    rows = asked(world, "Customer", session, "GET rows?onlyErrors=true").json()["rows"]
    assert [(row["errors"][0]["code"], row["errors"][0]["column"]) for row in rows] == [("INTENT", "REF")] * 2


# Keys -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_icao(world: World) -> str:
    """A profile that finds airports by their ICAO code."""
    return saved(
        world, "Airport", column("ICAO#", "icao"), column("NAME", "name"), column("REF?", "refName"),
        column("LAND", "country.entityRefName"), headerModifiers=True,
    )  # fmt: skip


def airport(world: World, icao: str, **fields: Any) -> Document:
    return world.make("Airport", icao=icao, country={"entityId": str(country(world)["_id"])}, **fields)


def country(world: World) -> Document:
    return stored(world, "Country", "PT")


def test_a_record_is_found_by_its_key(world: World, by_icao: str) -> None:
    before = airport(world, "KEY1", refName="first", name="Before")
    rows = ("KEY1|After|PT", "KEY2|New|PT", "KEY1|Again|PT", "|None|PT")
    session = analysed(world, "Airport", by_icao, "ICAO|NAME|LAND", *rows)
    assert counts(session) == (1, 1, 0, 2)
    assert [(row["intent"], row.get("refName")) for row in session["rows"][:2]] == [
        ("UPDATE", "first"),
        ("INSERT", None),
    ]
    assert list_findings(session) == [(3, "DUPLICATE", "ICAO", "KEY1"), (4, "VALIDATION", "ICAO", None)]
    assert committed(world, "Airport", session) == (1, 1, 0, 2)
    found = stored(world, "Airport", "first")
    assert (str(found["_id"]), found["name"], found["version"]) == (before["id"], "After", 2)
    assert imported(world, "Airport", by_icao, "ICAO|NAME|LAND", *rows[:2]) == (0, 0, 2, 0)


def test_a_key_may_rename_its_record(world: World, by_icao: str) -> None:
    airport(world, "REN1", refName="old-name", name="Same")
    airport(world, "REN2", refName="taken", name="Same")
    header = "ICAO|NAME|REF|LAND"
    assert imported(world, "Airport", by_icao, header, "REN1|Same|new-name|PT") == (0, 1, 0, 0)
    assert stored(world, "Airport", "new-name")["icao"] == "REN1"
    session = analysed(world, "Airport", by_icao, header, "REN1|Same|taken|PT")
    assert committed(world, "Airport", session) == (0, 0, 0, 1)
    (row,) = asked(world, "Airport", session, "GET rows?onlyErrors=true").json()["rows"]
    assert [(error["code"], error["column"], error["value"]) for error in row["errors"]] == [
        ("DUPLICATE", "REF", "taken")
    ]


def test_a_key_that_several_records_have(world: World, by_icao: str) -> None:
    """The store holds unique values apart; a realm whose indexes are missing may have them all the same."""
    airports = world.documents["airports"]
    (index,) = [
        name
        for name, one in airports.index_information().items()
        if one.get("unique") and "icao" in str(one["key"])
    ]
    key = airports.index_information()[index]
    airports.drop_index(index)
    whole = airport(world, "TWIN", refName="twin-1", name="One")
    copy = airports.find_one({"_id": ObjectId(whole["id"])}) or {}
    airports.insert_one({**copy, "_id": ObjectId(), "refName": "twin-2"})
    try:
        session = analysed(world, "Airport", by_icao, "ICAO|NAME|LAND", "TWIN|After|PT")
        assert list_findings(session) == [(1, "DUPLICATE", "ICAO", "TWIN")]
        assert "several records have the icao TWIN" in session["rows"][0]["errors"][0]["message"]
        assert committed(world, "Airport", session) == (0, 0, 0, 1)
    finally:
        airports.delete_many({"icao": "TWIN"})
        airports.create_index(
            list(key["key"]),
            name=index,
            **{word: key[word] for word in ("unique", "partialFilterExpression") if word in key},
        )


def test_the_same_key_in_another_tenant_is_another_record(world: World, by_icao: str) -> None:
    world.make("Airport", "globex", icao="ALSO", name="Theirs")
    assert imported(world, "Airport", by_icao, "ICAO|NAME|LAND", "ALSO|Ours|PT") == (1, 0, 0, 0)
    found = {
        row["dataDomain"]["tenantId"]: row["name"]
        for row in world.documents["airports"].find({"icao": "ALSO"})
    }
    assert found == {"acme": "Ours", "globex": "Theirs"}


def test_a_key_that_is_withheld_meanwhile_cannot_be_asked_for(world: World, by_icao: str) -> None:
    airport(world, "HIDE", refName="hide", name="Before")
    user = {"caller": "acme-user"}
    session = analysed(world, "Airport", by_icao, "ICAO|NAME|LAND", "HIDE|After|PT", **user)
    hiding = {"effect": "ALLOW", "hiddenFields": ["icao"], "priority": 50}
    with ruled(
        world, rule({"identity": "user", "area": "logistics", "functionalDomain": "airport"}, **hiding)
    ):
        answer = asked(world, "Airport", session, "POST commit", **user)
        assert (answer.status_code, "no field icao" in answer.text) == (400, True)
        refused = sent(world, "Airport", by_icao, "ICAO|NAME|LAND", "HIDE|After|PT", **user)
        assert (refused.status_code, "no field icao" in refused.text) == (400, True)
    assert stored(world, "Airport", "hide")["name"] == "Before"
    assert committed(world, "Airport", session, **user) == (0, 1, 0, 0)


# Whose records ----------------------------------------------------------------------------------------


def test_look_ups_see_what_the_caller_sees(world: World) -> None:
    """Not the records of other tenants or organisations, nor those that a rule takes away; not even as a
    suggestion."""
    for caller, ref_name in (
        ("acme-north", "north"),
        ("acme-south", "south"),
        ("globex", "globe"),
        ("acme", "shown"),
    ):
        world.make("Customer", caller, refName=f"{ref_name}-1", name=f"Secret {ref_name}")
    lookup = {"lookupCollection": "customers", "lookupMatchField": "name", "lookupReturnField": "refName"}
    name = saved(
        world,
        "Carrier",
        column("REF", "refName"),
        column("MODE", "mode"),
        column("WHO", "name", lookup=lookup),
    )
    rows = [f"see-{who}|AIR|Secret {who}" for who in ("north", "south", "globe", "shown")]

    def found(caller: str) -> list[str]:
        session = analysed(world, "Carrier", name, "REF|MODE|WHO", *rows, caller=caller)
        missing = {number - 1: error for number, error, *_rest in list_findings(session)}
        assert set(missing.values()) <= {"LOOKUP"}
        near = [error.get("suggestion", "") for row in session["rows"] for error in row["errors"]]
        seen = [row.split("Secret ")[1] for at, row in enumerate(rows) if at not in missing]
        assert all(one.removeprefix("Secret ") in (*seen, "") for one in near)
        return seen

    assert found("acme") == ["north", "south", "shown"]
    hidden = {"identity": "user", "area": "logistics", "functionalDomain": "customer", "action": "VIEW"}
    assert found("acme-user") == ["north", "south", "shown"]
    with ruled(world, rule(hidden, priority=50, filter="refName:shown-1")):
        assert found("acme-user") == ["north", "south"]
    with ruled(world, rule(hidden, priority=50)):
        assert found("acme-user") == []


def test_an_operator_looks_up_in_the_tenant_of_each_row(world: World) -> None:
    for caller in ("acme", "globex"):
        world.make("Customer", caller, refName=f"twin-{caller}", name="Twin")
    world.make("Customer", refName="single-acme", name="Single")
    lookup = {"lookupCollection": "customers", "lookupMatchField": "name", "lookupReturnField": "refName"}
    columns = [column("REF", "refName"), column("MODE", "mode"), column("WHO", "name", lookup=lookup)]
    columns.append(column("TENANT", "dataDomain.tenantId"))
    name = saved(world, "Carrier", *columns, caller="system")
    rows = ["tw-1|AIR|Twin|globex", "tw-2|AIR|Twin|acme", "tw-3|AIR|Single|globex", "tw-4|AIR|Single|"]
    rows.append(f"tw-5|AIR|Single|{'t' * 10_000}")
    session = analysed(world, "Carrier", name, "REF|MODE|WHO|TENANT", *rows, caller="system")
    found = [row["errors"] for row in session["rows"] if row["errors"]]
    for (error, *_length), tenant in zip(found, ("globex", "operations", "t" * 100), strict=True):
        message = f"tenant {tenant} has no record of customers with the name Single"
        assert (error["code"], error["message"], "suggestion" in error) == ("LOOKUP", message, False)
    assert committed(world, "Carrier", session, "system") == (2, 0, 0, 3)
    after = world.documents["carriers"].find({"refName": {"$regex": "^tw-"}})
    assert {row["refName"]: row["name"] for row in after} == {"tw-1": "twin-globex", "tw-2": "twin-acme"}


def test_rows_of_another_tenant_are_not_found(world: World) -> None:
    world.make("Customer", "globex", refName="theirs-1", name="Theirs")
    name = saved(world, "Customer", column("REF", "refName"), column("NAME", "name"), defaultIntent="UPDATE")
    session = analysed(world, "Customer", name, "REF|NAME", "theirs-1|Mine")
    assert [code for _row, code, *_rest in list_findings(session)] == ["INTENT"]
    assert committed(world, "Customer", session) == (0, 0, 0, 1)


@pytest.mark.parametrize("caller", ["globex", "acme-nobody", None])
def test_profiles_are_for_who_sees_them(world: World, caller: str | None) -> None:
    name = saved(world, "Customer", column("REF", "refName"))
    answer = sent(world, "Customer", name, "REF", "x", caller=caller)
    expected = {"globex": 404, "acme-nobody": 403, None: 401}[caller]
    assert answer.status_code == expected
    check_problem(expected, answer.headers, answer.json())
    assert "did you mean" not in answer.json()["detail"]


def test_an_operator_reads_by_no_profile_of_another_tenant(world: World) -> None:
    """Who is bound to no tenant sees the profiles of all."""
    row = ("NAME|SAYS|WAY", "op-1|Op|ROAD")
    theirs = (column("NAME", "refName"), column("SAYS", "mode"), column("WAY", "name"))
    name = saved(world, "Carrier", *theirs, caller="globex")
    assert world.ask(f"GET {PROFILES}/refName/{name}", "acme-root").status_code == 200
    assert sent(world, "Carrier", name, *row, caller="acme-root").status_code == 404
    ours = (column("NAME", "refName"), column("SAYS", "name"), column("WAY", "mode"))
    saved(world, "Carrier", *ours, refName=name)
    session = analysed(world, "Carrier", name, *row, caller="acme-root")
    assert (session["insertCount"], session["errorRows"]) == (1, 0)


def test_a_profile_of_which_a_part_is_withheld_is_not_used(world: World) -> None:
    name = saved(world, "Customer", column("REF", "refName"), column("NAME", "name"), defaultIntent="SKIP")
    header = {
        "identity": "user",
        "area": "integration",
        "functionalDomain": "importProfile",
        "action": "VIEW",
    }
    with ruled(world, rule(header, effect="ALLOW", hiddenFields=["defaultIntent"], priority=50)):
        answer = sent(world, "Customer", name, "REF|NAME", "x|y", caller="acme-user")
        assert answer.status_code == 403
        assert "withheld" in answer.json()["detail"]
    assert counts(analysed(world, "Customer", name, "REF|NAME", "x|y", caller="acme-user")) == (0, 0, 1, 0)


# What is refused --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain(world: World) -> str:
    return saved(
        world, "Customer", column("REF", "refName"), column("NAME", "name"), refName="plainCustomers"
    )


@pytest.mark.parametrize(
    ("query", "lines", "status", "says"),
    [
        ({"profileRefName": "plainCostumers"}, ["REF|NAME"], 404, "no import profile has the refName plainCostumers; did you mean plainCustomers?"),
        ({"profileRefName": ""}, ["REF|NAME"], 400, "profileRefName"),
        ({"colour": "red"}, ["REF|NAME"], 400, "unknown parameter colour"),
        ({"requestedColumns": "refName"}, ["REF|NAME"], 400, "unknown parameter requestedColumns"),
        ({"fieldSeparator": '"'}, ["REF|NAME"], 400, "must differ"),
        ({}, [], 400, "the file is empty: a profile finds columns by the header line"),
        ({}, ["REF"], 400, "the header: NAME is missing, which the profile plainCustomers maps"),
        ({}, ["REF|NAMES"], 400, "the header, column 2: the profile plainCustomers does not map NAMES; did you mean NAME?"),
        ({}, ["REF|NAME|REF"], 400, "the header, column 3: REF is column 1 already"),
        ({}, ["REF|NAME|"], 400, "the header, column 3: has no name; does the line end with a separator?"),
        ({"fieldSeparator": ","}, ["REF;NAME"], 400, "does not map REF;NAME; the cells have a semicolon between them: send it as fieldSeparator (%3B in a URL)"),
        ({"charsetEncoding": "US-ASCII"}, ["REF|NAME", "a|Café"], 400, "US-ASCII"),
    ],
    ids=["unknown", "empty name", "unknown parameter", "a parameter of the other route", "dialect", "empty file",
         "missing column", "unknown column", "column twice", "trailing separator", "another separator", "charset"],
)  # fmt: skip
def test_what_is_refused_as_a_whole(
    world: World, plain: str, query: dict[str, str], lines: list[str], status: int, says: str
) -> None:
    before = world.snapshot()
    answer = sent(world, "Customer", query.pop("profileRefName", plain), *lines, **query)
    assert answer.status_code == status
    if status == 400:
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert says in answer.text
        assert "\n" not in answer.text
    else:
        assert says in answer.json()["detail"]
    assert world.snapshot() == before
    assert world.documents["importSessions"].count_documents({"state": {"$in": ["ANALYZING"]}}) == 0


def test_the_profile_must_be_named(world: World) -> None:
    file = {"file": ("rows.csv", b"REF", "text/csv")}
    answer = world.ask("POST /logistics/customers/csv/session/profile", files=file)
    assert (answer.status_code, "profileRefName" in answer.text) == (400, True)


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_the_route_is_no_session(world: World, method: str) -> None:
    """``profile`` stands where the id of a session does, and is none."""
    answer = world.ask(f"{method} /logistics/customers/csv/session/profile")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert world.ask("DELETE /logistics/customers/csv/session/profiles").status_code == 204
    assert world.ask("GET /logistics/customers/csv/session/profile/rows").status_code == 404


@pytest.mark.parametrize("status", ["INACTIVE", "ARCHIVED"])
def test_a_profile_that_is_not_in_use_is_refused(world: World, status: str) -> None:
    name = saved(world, "Customer", column("REF", "refName"), activeStatus=status)
    answer = sent(world, "Customer", name, "REF", "x")
    assert (answer.status_code, answer.text) == (
        400,
        f"the profile {name} is {status}: only active ones are used",
    )


def test_a_profile_of_another_type_is_refused(world: World, plain: str) -> None:
    answer = sent(world, "Carrier", plain, "REF|NAME", "x|y")
    expected = "the profile plainCustomers cannot be used: targetType: is logistics.Customer, not Carrier"
    assert (answer.status_code, answer.text) == (400, expected)


def test_a_field_that_is_withheld_from_the_caller_cannot_be_filled(world: World) -> None:
    name = saved(world, "Customer", column("REF", "refName"), column("NAME", "name"), column("MAIL", "email"))
    header = {"identity": "user", "area": "logistics", "functionalDomain": "customer", "action": "UPDATE"}
    with ruled(world, rule(header, effect="ALLOW", hiddenFields=["email"], priority=50)):
        answer = sent(world, "Customer", name, "REF|NAME|MAIL", "x|y|a@b", caller="acme-user")
    assert (answer.status_code, "no field email" in answer.text) == (400, True)


@pytest.mark.parametrize(
    ("kind", "path"), [("Shipment", "customer.entityRefName"), ("Order", "shipments.entityRefName")]
)
def test_names_of_records_that_the_caller_may_not_view_cannot_be_filled(
    world: World, kind: str, path: str
) -> None:
    name = saved(
        world,
        kind,
        column("REF", "refName"),
        column("NAMES", path, listSeparator=";") if kind == "Order" else column("NAMES", path),
    )
    target = "shipment" if kind == "Order" else "customer"
    header = {"identity": "user", "area": "logistics", "functionalDomain": target, "action": "VIEW"}
    with ruled(world, rule(header, priority=50)):
        answer = sent(world, kind, name, "REF|NAMES", "x|casa", caller="acme-user")
    assert (answer.status_code, f"no field {path}" in answer.text) == (400, True), answer.text


@pytest.mark.parametrize("member", ["lookupMatchField", "lookupReturnField"])
def test_a_look_up_by_a_field_that_is_withheld_is_refused(world: World, member: str) -> None:
    """When the profile is saved and when a file is opened with it; whether a value exists would tell it."""
    lookup = {"lookupCollection": "customers", "lookupMatchField": "name", member: "email"}
    columns = column("REF", "refName"), column("MODE", "mode"), column("WHO", "name", lookup=lookup)
    name = saved(world, "Carrier", *columns)
    header = {"identity": "user", "area": "logistics", "functionalDomain": "customer", "action": "VIEW"}
    with ruled(world, rule(header, effect="ALLOW", hiddenFields=["email"], priority=50)):
        answer = sent(world, "Carrier", name, "REF|MODE|WHO", "x|AIR|a@b", caller="acme-user")
        assert (answer.status_code, "no field email" in answer.text) == (400, True), answer.text
        again = made("Carrier", *columns, refName=f"withheld-{member}")
        refused = world.ask(f"POST {PROFILES}", "acme-user", json=again)
        assert (refused.status_code, "no field email" in refused.text) == (422, True), refused.text
        assert world.ask(f"POST {PROFILES}", json=again).status_code == 201
    answer = sent(world, "Carrier", name, "REF|MODE|WHO", "x|AIR|a@b", caller="acme-user")
    assert answer.status_code == 200, answer.text


# What is wrong with rows ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def freight(world: World) -> str:
    """A profile with a rule in every column."""
    by = {"lookupCollection": "countries", "lookupMatchField": "name"}
    airport(world, "LPPT", refName="LPPT", name="Lisbon")
    return saved(
        world, "Airport", column("REF", "refName"), column("ICAO", "icao"), column("NAME*", "name"),
        column("LAND", "country", lookup=by), column("FEET", "elevationFt"),
        column("ZONE", "timeZone", valueMappings={"WET": "Europe/Lisbon", "CET": "Europe/Paris"}, unmappedValueBehavior="FAIL"),
        column("STATE?", "activeStatus"), column("TENANT?", "dataDomain.tenantId"), headerModifiers=True, intentColumn="DO",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("row", "code", "column_name", "field", "value", "suggestion"),
    [
        ("E|E1|Field|Lusitania|high|WET||", "PARSE", "FEET", "elevationFt", "high", None),
        ("E|E1|Field|Lusitania|5|WET|ACTIV|", "PARSE", "STATE?", "activeStatus", "ACTIV", "ACTIVE"),
        ("E|E1|Field", "PARSE", None, None, "3", None),
        ("E|E1||Lusitania|5|WET||", "VALIDATION", "NAME*", "name", None, None),
        ("E|e 1|Field|Lusitania|5|WET||", "VALIDATION", "ICAO", "icao", "e 1", None),
        ("E|E1|Field||5|WET||", "VALIDATION", "LAND", "country", "", None),
        ("E|E1|Field|Lusitania|99999|WET||", "VALIDATION", "FEET", "elevationFt", "99999", None),
        ("E|E1|Field|Lusitania|5|WETT||", "MAPPING", "ZONE", "timeZone", "WETT", "WET"),
        ("E|E1|Field|Lusitanie|5|WET||", "LOOKUP", "LAND", "country", "Lusitanie", "Lusitania"),
        ("LPPT|LPPT|Field|Lusitania|5|WET||INSERT", "INTENT", "REF", "refName", "LPPT", "UPSERT"),
        ("E|E1|Field|Lusitania|5|WET||UPDATE", "INTENT", "REF", "refName", "E", "UPSERT"),
        ("E|E1|Field|Lusitania|5|WET||MERGE", "INTENT", "DO", "DO", "MERGE", None),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_row(
    world: World, freight: str, row: str, code: str, column_name: str | None, field: str | None,
    value: str | None, suggestion: str | None,
) -> None:  # fmt: skip
    before = world.snapshot()
    header = "REF|ICAO|NAME*|LAND|FEET|ZONE|STATE?|DO"
    session = analysed(world, "Airport", freight, header, row)
    (found,) = session["rows"]
    error = found["errors"][0]
    assert (error["code"], error.get("column"), error.get("field")) == (code, column_name, field), error
    assert error.get("value") == (value or None)
    assert error["message"]
    if suggestion is not None:
        assert error["suggestion"] == suggestion
    assert (found["rowNumber"], found["rawData"]["REF"]) == (1, row.split("|")[0])
    assert committed(world, "Airport", session) == (0, 0, 0, 1)
    assert world.snapshot() == before


def test_a_request_gets_so_many_suggestions(world: World) -> None:
    """However many cells are near something, and however many values a profile maps."""
    values = {f"zone {number}": "Europe/Lisbon" for number in range(19_000)}
    mapped = column("ZONE", "timeZone", valueMappings=values, unmappedValueBehavior="FAIL")
    name = saved(world, "Airport", column("REF", "refName"), mapped)
    lines = [f"s-{number}|zoen {number}" for number in range(300)]
    session = analysed(world, "Airport", name, "REF|ZONE", *lines)
    rows = asked(world, "Airport", session, "GET rows?limit=300").json()["rows"]
    suggested = [error["suggestion"] for row in rows for error in row["errors"] if "suggestion" in error]
    assert (session["errorRows"], len(suggested), suggested[7]) == (300, MOST_SUGGESTIONS, "zone 7")
    again = analysed(world, "Airport", name, "REF|ZONE", lines[0])
    assert again["rows"][0]["errors"][0]["suggestion"] == "zone 0"


def test_errors_that_the_record_as_a_whole_makes(world: World, freight: str) -> None:
    header = "REF|ICAO|NAME*|LAND|FEET|ZONE|TENANT?"
    rows = ("E|LPPT|Field|Lusitania|5|WET|", "F|F1|Field|Lusitania|5|WET|globex")
    session = analysed(world, "Airport", freight, header, *rows, caller="acme-user")
    assert list_findings(session) == [(1, "DUPLICATE", "ICAO", "LPPT"), (2, "SCOPE", "TENANT?", "globex")]
    assert committed(world, "Airport", session, "acme-user") == (0, 0, 0, 2)
    (first, _second) = asked(world, "Airport", session, "GET rows?onlyErrors=true", "acme-user").json()[
        "rows"
    ]
    assert first["errors"][0] | {"message": ""} == {
        "code": "DUPLICATE", "field": "icao", "column": "ICAO", "value": "LPPT", "message": "",
    }  # fmt: skip


def test_every_error_of_a_row_is_told_at_once(world: World, freight: str) -> None:
    session = analysed(world, "Airport", freight, "REF|ICAO|NAME*|LAND|FEET|ZONE", "E|e 1|Field|XX|high|EST")
    assert sorted(list_findings(session)) == [
        (1, "LOOKUP", "LAND", "XX"),
        (1, "MAPPING", "ZONE", "EST"),
        (1, "PARSE", "FEET", "high"),
        (1, "VALIDATION", "ICAO", "e 1"),
    ]


def test_states_are_held_to(world: World) -> None:
    states = {"new": "BOOKED", "sent": "IN_TRANSIT", "there": "DELIVERED"}
    sample = world.sample("Shipment")
    ids = {field: sample[field]["entityId"] for field in ("customer", "origin", "destination")}
    name = saved(
        world, "Shipment", column("REF", "refName"), column("STATE", "status", valueMappings=states),
        *(column(field, f"{field}.entityId") for field in ids),
    )  # fmt: skip
    rest = "|".join(ids.values())
    session = analysed(
        world, "Shipment", name, "REF|STATE|" + "|".join(ids), f"st-1|new|{rest}", f"st-2|there|{rest}"
    )
    assert list_findings(session) == [(2, "STATE", "STATE", "there")]
    assert committed(world, "Shipment", session) == (1, 0, 0, 1)
    assert imported(world, "Shipment", name, "REF|STATE|" + "|".join(ids), f"st-1|sent|{rest}") == (
        0,
        1,
        0,
        0,
    )


# Sessions ---------------------------------------------------------------------------------------------


def test_nothing_is_stored_until_the_commit_and_once_then(world: World, plain: str) -> None:
    before = world.snapshot()
    session = analysed(world, "Customer", plain, "REF|NAME", "once-1|One", "once-2|Two", "once-1|Again")
    assert world.snapshot() == before
    assert (session["status"], session["totalRows"], counts(session)) == ("ANALYZED", 3, (2, 0, 0, 1))
    answers = {asked(world, "Customer", session, "POST commit").text for _time in range(3)}
    assert answers == {
        f'{{"sessionId":"{session["sessionId"]}","inserted":2,"updated":0,"skipped":0,"failed":1}}'
    }
    assert stored(world, "Customer", "once-1")["version"] == 1
    assert counts(analysed(world, "Customer", plain, "REF|NAME", "once-1|One")) == (0, 0, 1, 0)


def test_the_error_file_has_the_columns_of_the_file(world: World, plain: str) -> None:
    session = analysed(world, "Customer", plain, "NAME|REF", "|file-1", "Two|file-2")
    header, row = asked(world, "Customer", session, "GET errors").text.splitlines()
    assert header == "NAME,REF,errors"
    assert row.startswith(",file-1,VALIDATION NAME: ")
    assert asked(world, "Customer", session, "DELETE").status_code == 204
    assert asked(world, "Customer", session, "POST commit").status_code == 404


@pytest.mark.parametrize("change", ["changed", "gone"])
def test_a_session_outlives_its_profile(world: World, change: str) -> None:
    """Key, values, intents and merges are those of the analysis."""
    name = saved(
        world, "Airport", column("ICAO#", "icao"), column("NAME", "name", valueMappings={"a": "After"}),
        column("LAND", "country.entityRefName"), headerModifiers=True, defaultIntent="UPDATE",
    )  # fmt: skip
    icao = f"OUT{change[0].upper()}"
    airport(world, icao, refName=f"outlive-{change}", name="Before")
    session = analysed(world, "Airport", name, "ICAO|NAME|LAND", f"{icao}|a|PT", f"{icao}X|a|PT")
    record = world.ask(f"GET {PROFILES}/refName/{name}").json()
    if change == "gone":
        assert world.ask(f"DELETE {PROFILES}/id/{record['id']}").status_code == 204
    else:
        other = made("Carrier", column("X", "name"), id=record["id"], refName=name)
        assert world.ask(f"POST {PROFILES}", json=other).status_code == 200
    assert committed(world, "Airport", session) == (0, 1, 0, 1)
    assert stored(world, "Airport", f"outlive-{change}")["name"] == "After"


def test_a_column_marked_as_calculated_may_map_what_the_server_writes(world: World) -> None:
    name = saved(
        world, "Product", column("SKU", "sku"), column("NAME", "name"), column("PRICE", "price"),
        column("REF", "refName"), column("LABEL~", "label"), column("BY~", "auditInfo.createdBy"),
        column("ID~", "id"), headerModifiers=True,
    )  # fmt: skip
    header, row = "REF|SKU|NAME|PRICE|LABEL|BY", "ignoring|IGNORING-1|Lamp|1.50|Another|nobody"
    assert committed(world, "Product", analysed(world, "Product", name, header, row)) == (1, 0, 0, 0)
    found = stored(world, "Product", "ignoring")
    assert found["label"] == "Lamp (IGNORING-1)"
    assert found["auditInfo"]["createdBy"] != "nobody"


def test_many_rows_in_several_batches(world: World) -> None:
    name = saved(
        world, "Airport", column("ICAO#", "icao"), column("NAME", "name"), headerModifiers=True,
        columnMappings=[
            column("ICAO#", "icao"), column("NAME", "name"),
            column("LAND", "country", lookup={"lookupCollection": "countries", "lookupMatchField": "name"}),
        ],
    )  # fmt: skip
    rows = [f"B{n}|Field {n}|{('Lusitania', 'Batavia', 'Nowhere')[n % 3]}" for n in range(1204)]
    session = analysed(world, "Airport", name, "ICAO|NAME|LAND", *rows)
    assert (session["totalRows"], counts(session), len(session["rows"])) == (1204, (803, 0, 0, 401), 100)
    assert committed(world, "Airport", session) == (803, 0, 0, 401)
    again = analysed(world, "Airport", name, "ICAO|NAME|LAND", *rows, rows[0])
    assert counts(again) == (0, 0, 803, 402)


# The example of the specifications --------------------------------------------------------------------


@pytest.fixture
def example(mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], key_folder: Path) -> Iterator[World]:
    """A service with the records and profiles that the specifications bring along."""
    with open_world(mongo_uri, mongo_client, data_folder=key_folder) as opened:

        async def run() -> None:
            service = opened.app.state.service
            call: Call = await open_call(service, opened.tokens["acme"], None, "r-1", "integration")
            await plant(call)

        assert opened.client.portal is not None
        opened.client.portal.call(run)
        yield opened


def test_the_file_of_the_readme_is_imported(example: World) -> None:
    page = (ROOT / "runtime/transfer/README.md").read_text("utf-8")
    (file,) = re.findall(r"```csv\n(.*?)```", page, re.DOTALL)
    (query,) = re.findall(r"csv/session/profile\?(\S+?)['\"]", page)
    path = f"POST /logistics/shipments/csv/session/profile?{query}"
    answer = example.ask(path, files={"file": ("bookings.csv", file.encode(), "text/csv")})
    assert answer.status_code == 200, answer.text
    session = answer.json()
    assert counts(session) == (1, 1, 1, 1), session["rows"]
    (error,) = [error for row in session["rows"] for error in row["errors"]]
    assert (error["code"], error["column"], error["suggestion"]) == ("LOOKUP", "CUSTOMER", "Casa das Flores")
    assert committed(example, "Shipment", session) == (1, 1, 1, 1)
    shipment = stored(example, "Shipment", "S-1002")
    assert (shipment["carrier"]["entityRefName"], shipment["weightKg"]) == ("delta-road", Decimal128("7.5"))
    assert shipment["departsAt"].isoformat() == "2026-12-02T09:30:00"
    assert stored(example, "Shipment", "S-1001")["status"] == "IN_TRANSIT"
