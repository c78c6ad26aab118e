"""No outsider learns anything from any generated route: not by body, status, count, header or store.

Every operation of the generated document is asked for a record of tenant acme, and for one that does not
exist: an outsider gets the same answer both times. A route that this table does not know fails it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from generated.record_types import CATALOG
from generator.operations import STANDARD_OPERATIONS
from runtime.model.record_type import RecordType
from tests.http.bodies import find_free_text
from tests.http.documented import OPERATIONS as DOCUMENTED
from tests.http.documented import PUBLISHED
from tests.http.world import NOWHERE, PATHS, Document, World

SECRET = "SECRET-OF-ACME"
NO_REF_NAME = "ABSENT-OF-ACME"

OUTSIDERS = {"globex": 404, "acme-north": 404, "acme-nobody": 403, None: 401}
"""Another tenant, another organisation of the tenant, no role, no token; and what a get answers them."""

CONNECTED = {edge.domain: edge.name for edge in reversed(CATALOG.relationships)}
"""The predicate by which records of a kind are asked for."""


def secrets_of(kind: str) -> Document:
    """What says SECRET beside the refName, where a kind has text that is free."""
    found = find_free_text(PUBLISHED, CATALOG[kind], SECRET)
    return {found: SECRET} if found else {}


def operations() -> Iterator[tuple[str, str, str]]:
    """(kind, method, path below the base path) of every generated route of records."""
    for one in DOCUMENTED:
        if one.kind is not None and one.kind.name in PATHS:
            yield one.kind.name, one.method, one.path.removeprefix(one.kind.base_path)


OPERATIONS = sorted(operations())


def request(
    world: World, user: str | None, operation: tuple[str, str, str], target: Document
) -> httpx2.Response:
    """The operation on a record that is there or, with ``NOWHERE``, is not."""
    kind, method, below = operation
    record_id, ref_name = target["id"], target["refName"]
    mine = world.sample(kind, user if user == "globex" else "acme-north") | {"id": record_id}
    bulk = {"operations": [{"op": "delete", "id": record_id}, {"op": "save", "record": mine}]}
    asked = "requestedColumns=refName,displayName"
    file = {"file": ("rows.csv", f"refName,displayName\n{ref_name},mine\n".encode(), "text/csv")}
    profile = profile_of(world, user, kind) if below == "/csv/session/profile" else ""
    anyhow = f"refName:{ref_name} || id:{record_id} || refName:{ref_name[:6]}*"
    requests: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {
        ("GET", "/id/{id}"): (f"/id/{record_id}", {}),
        ("GET", "/id/{id}/history"): (f"/id/{record_id}/history", {}),
        ("DELETE", "/id/{id}"): (f"/id/{record_id}", {}),
        ("GET", "/refName/{refName}"): (f"/refName/{ref_name}", {}),
        ("GET", "/list"): (f"/list?count=exact&filter={anyhow}", {}),
        ("POST", "/find"): ("/find", {"json": {"filter": anyhow, "count": "exact"}}),
        ("GET", "/entityref"): (f"/entityref?filter={anyhow}", {}),
        ("POST", "/csv"): (f"/csv?{asked}", {"files": file}),
        ("POST", "/csv/session"): (f"/csv/session?{asked}", {"files": file}),
        ("POST", "/csv/session/profile"): (f"/csv/session/profile?profileRefName={profile}", {"files": file}),
        ("GET", "/csv/session/{sessionId}/rows"): (f"/csv/session/{record_id}/rows", {}),
        ("GET", "/csv/session/{sessionId}/errors"): (f"/csv/session/{record_id}/errors", {}),
        ("GET", "/csv/session/{sessionId}/progress"): (f"/csv/session/{record_id}/progress", {}),
        ("POST", "/csv/session/{sessionId}/commit"): (f"/csv/session/{record_id}/commit", {}),
        ("DELETE", "/csv/session/{sessionId}"): (f"/csv/session/{record_id}", {}),
        ("GET", "/count"): (f"/count?filter={anyhow}", {}),
        ("GET", "/changes"): (f"/changes?since=now&filter={anyhow}", {}),
        ("GET", "/csv"): (f"/csv?filter={anyhow}&requestedColumns=id,refName,displayName", {}),
        ("GET", "/schema"): ("/schema", {}),
        ("POST", ""): ("", {"json": mine}),
        ("POST", "/bulk"): ("/bulk", {"json": bulk}),
        ("GET", "/states"): ("/states", {}),
        ("GET", "/ontology"): (
            f"/ontology?filter={anyhow}&constraints={CONNECTED.get(kind)}:{record_id}",
            {},
        ),
        ("GET", "/id/{id}/ontology"): (f"/id/{record_id}/ontology", {}),
        ("GET", "/id/{id}/transitions"): (f"/id/{record_id}/transitions", {}),
        ("PUT", "/set"): (f"/set?id={record_id}&pairs=displayName:mine", {}),
        ("PATCH", "/id/{id}"): (f"/id/{record_id}", {"content": '{"displayName": "mine"}'}),
        ("PUT", "/bulk/set"): ("/bulk/set", {"json": {"filter": anyhow, "values": {"displayName": "mine"}}}),
        ("POST", "/id/{id}/restore"): (f"/id/{record_id}/restore", {}),
    }
    assert (method, below) in requests, (
        f"add the request of {method} {below} for a foreign record to this table"
    )
    below, options = requests[method, below]
    headers = {"X-Request-Id": "same"}
    if method == "PATCH":
        headers["Content-Type"] = "application/merge-patch+json"
    if method == "GET":
        headers["If-None-Match"] = '"1"'
    return world.ask(f"{method} {PATHS[kind]}{below}", user, headers=headers, **options)


def profile_of(world: World, user: str | None, kind: str) -> str:
    """The profile of who may have one, made where it is missing."""
    columns = [{"sourceColumn": field, "targetField": field} for field in ("refName", "displayName")]
    body = {
        "refName": f"{kind}-columns",
        "targetType": f"{CATALOG[kind].area}.{kind}",
        "columnMappings": columns,
    }
    made = world.ask("POST /integration/import-profiles", user, json=body)
    assert made.status_code in (201, 401, 403, 409), made.text
    return f"{kind}-columns"


def scrubbed(
    world: World, answer: httpx2.Response, target: Document
) -> tuple[int, list[tuple[str, str]], str]:
    """The answer without what differs from one request to the next: names asked for, fresh ids, time."""
    headers = [(k, v) for k, v in answer.headers.items() if k not in ("content-length", "location")]
    text = answer.text.replace(target["id"], "TARGET").replace(target["refName"], "TARGET")
    text = text.replace(target["refName"][:6], "TARGET")
    text = re.sub(r"[0-9a-f]{24}", "ID", text)
    text = re.sub(r'"cursor":"[^"]*"', '"cursor":""', text)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "MOMENT", text)
    text = re.sub(r'"(icao|sku|code|locode)":"[A-Z0-9-]+"', r'"\1":"NEXT"', text)
    text = re.sub(r"TULIP-\d+", "TULIP", text)
    for value in sorted(world.values.used, key=len, reverse=True):
        text = text.replace(json.dumps(value)[1:-1], "NEW")
    return answer.status_code, headers, text


@pytest.fixture(scope="module")
def victims(world: World) -> dict[str, Document]:
    """Of each kind a record of acme that says SECRET wherever it can."""
    return {kind: world.make(kind, refName=f"{SECRET}-{kind}", **secrets_of(kind)) for kind in PATHS}


@pytest.mark.parametrize("user", OUTSIDERS, ids=str)
@pytest.mark.parametrize("operation", OPERATIONS, ids=" ".join)
def test_a_foreign_record_is_as_good_as_absent(
    world: World, victims: dict[str, Document], operation: tuple[str, str, str], user: str | None
) -> None:
    victim = victims[operation[0]]
    absent = {"id": NOWHERE, "refName": f"{NO_REF_NAME}-{operation[0]}"}
    before = secrets_in(world)
    there, not_there = (request(world, user, operation, target) for target in (victim, absent))
    assert scrubbed(world, there, victim) == scrubbed(world, not_there, absent)
    assert SECRET not in there.text.replace(victim["refName"], "").replace(SECRET[:6] + "*", "")
    assert '"1"' not in there.headers.get("etag", "") or there.status_code == 201
    if "{" in operation[2] or operation[2] == "/set":
        assert there.status_code == expected_of(operation, user)
    assert secrets_in(world) == before


def expected_of(operation: tuple[str, str, str], user: str | None) -> int:
    """The discard of an import session is 204 for whoever may import, whether there is one or not."""
    is_discard = operation[1:] == ("DELETE", "/csv/session/{sessionId}")
    return 204 if is_discard and OUTSIDERS[user] == 404 else OUTSIDERS[user]


def secrets_in(world: World) -> dict[Any, bytes]:
    """The documents of acme's victims, as they are stored."""
    return {key: document for key, document in world.snapshot().items() if SECRET.encode() in document}


@pytest.mark.parametrize("user", ["globex", "acme-north"])
@pytest.mark.parametrize("kind", sorted(PATHS))
def test_lists_and_counts_do_not_change_with_foreign_records(world: World, kind: str, user: str) -> None:
    def view() -> list[Any]:
        paths = (
            "list?limit=1000",
            "list?limit=1000&sort=-id",
            "list?skip=1&count=exact",
            "count",
            "entityref",
            "schema",
        )
        offered = [path for path in paths if path.partition("?")[0] in CATALOG[kind].operations]
        return [world.ask(f"GET {PATHS[kind]}/{path}", user).json() for path in offered]

    world.sample(kind, user)  # makes what it refers to, so that the next line does not
    before = view()
    world.make(kind)
    assert view() == before


def test_the_victims_are_there(world: World, victims: dict[str, Document]) -> None:
    """Else nothing above would mean anything."""
    for kind, victim in victims.items():
        assert victim["refName"].startswith(SECRET)
        if "list" not in CATALOG[kind].operations:
            continue
        (row,) = world.ask(f"GET {PATHS[kind]}/list?filter=refName:{victim['refName']}").json()["rows"]
        assert row["id"] == victim["id"]
    assert len(secrets_in(world)) >= len(victims)


def test_every_generated_record_type_is_covered() -> None:
    assert {kind for kind, _method, _below in OPERATIONS} == set(PATHS)
    kinds = [kind for kind in CATALOG if kind.name in PATHS]
    expected = [
        row for kind in kinds for row in STANDARD_OPERATIONS if row.key in kind.operations & has(kind)
    ]
    assert len(OPERATIONS) == len(expected)


def has(kind: RecordType[Any]) -> set[str]:
    """The operations that a record type has what they are about for."""
    met = {
        "": True,
        "revisions": kind.audited,
        "states": bool(kind.states),
        "archive": kind.on_delete == "archive",
        "ontology": f"{kind.base_path}/ontology" in PUBLISHED["paths"],
        "changes": kind.changes,
    }
    return {row.key for row in STANDARD_OPERATIONS if met[row.only_with]}
