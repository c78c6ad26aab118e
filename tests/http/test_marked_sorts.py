"""Orders without case, by language and with nulls at the other end, at every door that sorts."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from runtime.identity.users.users import NewUser
from tests.http.test_permission_rules import rule, ruled
from tests.http.world import PASSWORD, Document, World

pytestmark = pytest.mark.settings(rule_cache_seconds=0)

CARRIERS = "/logistics/carriers"
NAMES = {"a": "alba", "b": "Äolus", "c": "Zeta", "d": "ALBA", "e": "beta", "f": "zeta"}
HOMES = {"b": "Zürich", "d": "Ost", "e": "ost"}


@pytest.fixture(scope="module")
def world(world: World) -> World:
    world.sign_in("ACME", NewUser("admin@other.example", PASSWORD, "ACME", frozenset({"admin"})))
    for name, shown in NAMES.items():
        world.make("Carrier", refName=name, name=shown, displayName=HOMES.get(name, name))
    world.make("Carrier", "ACME", refName="A", name="alba")
    stored = world.documents["carriers"]
    without = [name for name in NAMES if name not in HOMES]
    stored.update_many({"refName": {"$in": without}}, {"$unset": {"displayName": ""}})
    return world


def listed(world: World, sort: str, text: str = "", caller: str = "acme") -> str:
    """The refNames in the order of each door, which is the same."""
    query = f"?limit=1000&sort={quote(sort)}&filter={quote(text)}"
    entries = [
        {"field": entry.removeprefix("-"), "dir": "DESC" if entry.startswith("-") else "ASC"}
        for entry in sort.split(",")
    ]
    asked = {"rootType": "Carrier", "query": text, "sort": entries}
    columns = {"columns": ["refName"], "includeHeader": False}
    csv = f"GET {CARRIERS}/csv?requestedColumns=refName&prependHeaderRow=false&sort={quote(sort)}"
    answers = [
        [row["refName"] for row in world.ask(f"GET {CARRIERS}/list{query}", caller).json()["rows"]],
        [row["refName"] for row in found(world, caller, sort=sort, filter=text)],
        [row["entityRefName"] for row in world.ask(f"GET {CARRIERS}/entityref{query}", caller).json()],
        world.ask(f"{csv}&filter={quote(text)}", caller).text.split(),
        [row["refName"] for row in world.ask("POST /api/query/find", caller, json=asked).json()["rows"]],
        world.ask("POST /api/query/export", caller, json=asked | columns).text.split(),
        by_cursor(world, caller, sort=sort, filter=text),
    ]
    assert len({tuple(one) for one in answers}) == 1, answers
    return "".join(answers[0])


def found(world: World, caller: str, **body: Any) -> list[Document]:
    answer = world.ask(f"POST {CARRIERS}/find", caller, json={"limit": 1000, **body})
    rows: list[Document] = answer.json()["rows"]
    return rows


def by_cursor(world: World, caller: str, **body: Any) -> list[str]:
    pages = world.pages(f"POST {CARRIERS}/find", caller, limit=2, **body)
    rows = [row for page in pages for row in page["rows"]]
    return [row["refName"] for row in rows]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        pytest.param("name", "dcaefb", id="by octets: capitals first, other letters last"),
        pytest.param("name~ci", "adbecf", id="without case; equal ones by id"),
        pytest.param("-name~ci", "fcebda", id="the other way round"),
        pytest.param("name~ci:sv", "adecfb", id="as a Swede looks for them"),
        pytest.param("name~ci,-refName~ci", "dabefc", id="two texts"),
        pytest.param("displayName~ci,refName~ci", "acfdeb", id="nulls first, as without marks"),
        pytest.param("displayName~ci~nullslast,refName~ci", "debacf", id="nulls last"),
        pytest.param("-displayName~nullsfirst,refName", "acfebd", id="nulls first in a descending order"),
        pytest.param("version,displayName~nullslast,refName", "dbeacf", id="of the second field"),
    ],
)  # fmt: skip
def test_every_door_has_the_order(world: World, sort: str, expected: str) -> None:
    assert listed(world, sort) == expected


def test_the_filter_keeps_its_case(world: World) -> None:
    """And the scope: the tenants acme and ACME are two."""
    assert listed(world, "name~ci", "name:ALBA") == "d"
    assert listed(world, "name~ci", "name:!alba") == "dbecf"
    assert listed(world, "name~ci", "name:>Z") == "abecf"
    assert listed(world, "refName~ci", caller="ACME") == "A"
    assert listed(world, "dataDomain.tenantId~ci,refName~ci") == "abcdef"
    assert listed(world, "dataDomain.tenantId~ci", "dataDomain.tenantId:ACME") == ""


def test_rules_keep_their_case(world: World) -> None:
    header = {"identity": "user", "area": "logistics", "functionalDomain": "carrier", "action": "VIEW"}
    with ruled(world, rule(header, filter='name:alba || name:<"B"')):
        assert listed(world, "name~ci", caller="acme-user") == "becf"
        assert listed(world, "name", caller="acme-user") == "cefb"


@pytest.mark.parametrize(
    ("sort", "says"),
    [
        pytest.param("name~CI", "write ~ci, ~ci:sv, ~nullsfirst or ~nullslast", id="misspelt"),
        pytest.param("version~ci", "version is of type integer, which has no case", id="a number"),
        pytest.param("name~ci,refName", "write refName~ci", id="two ways to compare"),
        pytest.param("name~ci:elvish", "not the code of a language", id="a language"),
    ],
)
def test_what_is_wrong_is_said_at_every_door(world: World, sort: str, says: str) -> None:
    entries = [{"field": entry} for entry in sort.split(",")]
    asked = {"rootType": "Carrier", "sort": entries}
    for answer in (
        world.ask(f"GET {CARRIERS}/list?sort={quote(sort)}"),
        world.ask(f"POST {CARRIERS}/find", json={"sort": sort}),
        world.ask(f"GET {CARRIERS}/entityref?sort={quote(sort)}"),
        world.ask(f"GET {CARRIERS}/csv?requestedColumns=refName&sort={quote(sort)}"),
        world.ask("POST /api/query/find", json=asked),
        world.ask("POST /api/query/export", json={**asked, "columns": ["refName"]}),
    ):
        assert answer.status_code == 400
        assert says in answer.text
        if answer.headers["content-type"].startswith("text/plain"):  # of a CSV route
            continue
        problem = answer.json()
        assert (problem["code"], problem["parameter"]) == ("request.invalid_parameter", "sort")
        assert problem["excerpt"].splitlines()[0] == sort
        assert problem["column"] >= 1
