"""What the routes below ``/api/query`` do and refuse, told as scenarios. Nothing else in the realm may differ."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import Scenario

CARRIER = {"name": "Atlantic Air Cargo", "mode": "AIR"}


def query(word: str, caller: str | None = "acme", /, **said: Any) -> Scenario:
    """``query("find", rootType="Airport")`` as a scenario that is answered with 200."""
    told = {name: said.pop(name) for name in list(said) if name in Scenario.__dataclass_fields__}
    return Scenario(word, f"POST /api/query/{word}", caller, body=said or None, **told)


def ask(world: World, word: str, caller: str | None = "acme", status: int = 200, **body: Any) -> Document:
    answer = world.ask(f"POST /api/query/{word}", caller, json=body)
    assert answer.status_code == status, answer.text
    found: Document = answer.json()
    return found


def test_root_types_are_those_with_routes_that_the_caller_may_view(world: World) -> None:
    def names(caller: str) -> list[str]:
        rows = world.ask("GET /api/query/rootTypes", caller).json()["rootTypes"]
        return [row["className"] for row in rows]

    everybody = {"logistics.Airport", "logistics.Order", "integration.ImportProfile"}
    assert everybody <= set(names("acme-user"))
    assert not any(name.startswith(("security", "system")) for name in names("acme-user"))
    assert set(names("acme")) - set(names("acme-user")) == {"security.PermissionRule", "security.OauthClient"}
    assert names("acme-nobody") == []
    assert names("acme") == sorted(names("acme"))


UNKNOWN = [
    ("Airprt", "Airport"), ("logistic.Airport", ""), ("security.Airport", ""), ("airport", "Airport"), ("$where", ""),
    ("Credential", ""), ("security.Credential", ""), ("IdempotencyKey", ""), ("Revision", ""), ("RefreshFamily", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "near"), UNKNOWN)
@pytest.mark.parametrize("caller", ["acme", "system"])
@pytest.mark.parametrize("word", ["plan", "find", "count", "export", "save", "delete", "deleteMany"])
def test_an_unknown_root_type_is_not_found(play: Play, word: str, caller: str, name: str, near: str) -> None:
    rest: Document = {
        "save": {"entity": {}}, "delete": {"id": NOWHERE}, "deleteMany": {"query": "id:~"},
    }.get(word, {})  # fmt: skip
    play(query(word, caller, rootType=name, **rest, status=404, code="record.not_found", says=(name, near)))


LONG = "x" * 250
"""Fields of an order are one text in the list that find goes through, and so are the columns of a file."""


@pytest.mark.parametrize(
    ("word", "said", "names"),
    [
        ("find", {"sort": [{"field": f"{name}{' ' * 280}"} for name in ("name", "mode", "active", "refName")]}, "sort"),
        ("export", {"sort": [{"field": f"{LONG}{number}"} for number in range(5)]}, "sort"),
        ("export", {"columns": [f"{LONG}{number}" for number in range(40)]}, "columns: "),
    ],
    ids=["the order of find", "the order of an export", "columns of an export"],
)  # fmt: skip
def test_what_is_too_long_for_a_list_is_refused_by_name(
    play: Play, word: str, said: Document, names: str
) -> None:
    play(
        query(
            word,
            rootType="Carrier",
            **said,
            status=400,
            code="request.invalid_parameter",
            says=(names, "at most"),
        )
    )


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("export", {"columns": ["name", "name"]}),
        ("import/analyze", {"csv": "A,B\n", "columns": ["name", "name"]}),
        ("import/analyze", {"csv": "name,name\nA,B\n"}),
    ],
)
def test_a_refused_column_is_one_of_the_argument_columns(world: World, word: str, said: Document) -> None:
    problem = world.ask(f"POST /api/query/{word}", json={"rootType": "Carrier", **said}).json()
    found = (problem["code"], problem["parameter"], problem["detail"])
    assert found == ("request.invalid_parameter", "columns", "columns: name is named twice: name it once")


@pytest.mark.parametrize("name", ["Carrier", "logistics.Carrier"])
def test_find_is_the_list_of_the_record_type(world: World, name: str) -> None:
    made = [world.make("Carrier", mode=mode) for mode in ("AIR", "SEA", "SEA")]
    match = f"mode:SEA && id:^[{','.join(one['id'] for one in made)}]"
    sort = [{"field": "mode"}, {"field": "refName", "dir": "DESC"}]
    body = {"filter": match, "sort": "mode,-refName", "limit": 1, "skip": 1, "count": "exact"}
    listed = world.ask("POST /logistics/carriers/find", json=body).json()
    found = ask(world, "find", rootType=name, query=match, sort=sort, limit=1, skip=1, count="exact")
    assert found == listed
    assert found["totalCount"] == 2
    assert (
        ask(world, "find", rootType=name, query=match, sort=sort, page={"limit": 1, "skip": 1}, count="exact")
        == found
    )
    assert ask(world, "count", rootType=name, query=match) == {"count": 2}
    first = ask(world, "find", rootType=name, query=match, sort=sort, limit=1)
    second = ask(world, "find", rootType=name, query=match, sort=sort, limit=1, cursor=first["nextCursor"])
    assert second["rows"] == found["rows"]
    assert ask(world, "find", rootType=name, query=match)["limit"] == 50


REFUSED: list[tuple[str, Document, int, str]] = [
    ("find", {"query": "nmae:x"}, 400, "field.unknown"),
    ("find", {"query": "name:("}, 400, "filter.syntax"),
    ("find", {"query": "version:many"}, 400, "filter.type"),
    ("find", {"sort": [{"field": "nmae"}]}, 400, "field.unknown"),
    ("find", {"sort": [{"field": "name,-version"}]}, 422, "record.invalid"),
    ("find", {"sort": [{"field": "-name"}]}, 422, "record.invalid"),
    ("find", {"sort": [{"field": "name", "dir": "UP"}]}, 422, "record.invalid"),
    ("find", {"limit": 0}, 422, "record.invalid"),
    ("find", {"limit": 1001}, 422, "record.invalid"),
    ("find", {"skip": -1}, 422, "record.invalid"),
    ("find", {"limit": 1, "page": {"limit": 1}}, 400, "request.invalid_parameter"),
    ("find", {"cursor": "made-up"}, 400, "request.invalid_parameter"),
    ("find", {"filter": "id:~"}, 400, "request.unknown_member"),
    ("find", {"query": "customsToken:x", "rootType": "Shipment"}, 400, "field.unknown"),
    ("count", {"query": "nmae:x"}, 400, "field.unknown"),
    ("plan", {"query": "nmae:x"}, 400, "field.unknown"),
    ("export", {"columns": ["nmae"]}, 400, "field.unknown"),
    ("export", {"columns": ["customsToken"], "rootType": "Shipment"}, 400, "field.unknown"),
    ("export", {"columns": ["name,mode"]}, 422, "record.invalid"),
    ("export", {"query": "nmae:x"}, 400, "field.unknown"),
    ("save", {"entity": {"name": 1, "mode": "AIR"}}, 422, "record.invalid"),
    ("save", {"entity": {"name": "A", "mode": "SPACE"}}, 422, "record.invalid"),
    ("save", {"entity": {"nmae": "A"}}, 400, "request.unknown_member"),
    ("save", {"entity": {"name": "A", "mode": "AIR", "version": 3}}, 409, "record.version_conflict"),
    ("save", {"entity": []}, 422, "record.invalid"),
    ("delete", {"id": NOWHERE}, 404, "record.not_found"),
    ("delete", {"id": "many"}, 400, "request.malformed"),
    ("deleteMany", {}, 422, "record.invalid"),
    ("deleteMany", {"query": " "}, 422, "record.invalid"),
    ("deleteMany", {"query": "nmae:x"}, 400, "field.unknown"),
    ("import/analyze", {"csv": "nmae\nA\n"}, 400, "field.unknown"),
    ("import/analyze", {"csv": "name\vmode\nA\n"}, 400, "field.unknown"),
    ("import/analyze", {"csv": "name\u2028mode\nA\n"}, 400, "field.unknown"),
    ("import/analyze", {"csv": '"a,b"\nA\n'}, 400, "csv.malformed"),
    ("import/analyze", {"csv": "refName;name\nA;B\n"}, 400, "csv.malformed"),
    ("import/analyze", {"csv": "name\nA\n", "columns": ["name"], "profile": "x"}, 400, "request.invalid_parameter"),
    ("import/analyze", {"csv": "name\nA\n", "profile": "unknown"}, 404, "record.not_found"),
    ("import/rows", {"sessionId": NOWHERE}, 404, "record.not_found"),
    ("import/commit", {"sessionId": NOWHERE}, 404, "record.not_found"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "body", "status", "code"), REFUSED)
def test_what_is_refused_is_refused_as_at_the_route_of_the_type(
    play: Play, word: str, body: Document, status: int, code: str
) -> None:
    play(query(word, **{"rootType": "Carrier", **body}, status=status, code=code))


@pytest.mark.parametrize("number", ["1e400", "-1e400", "18446744073709551616", "1" + "0" * 30])
@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("find", '"rootType": "Carrier", "limit": NUMBER'),
        ("save", '"rootType": "Carrier", "entity": {"name": NUMBER}'),
        ("deleteMany", '"rootType": "Carrier", "query": "id:~", "confirm": NUMBER'),
        ("deleteMany", '"rootType": "Carrier", "query": "id:~", "dryRun": NUMBER'),
    ],
)
def test_a_number_that_is_too_long_or_not_finite_is_refused_and_never_left_out(
    world: World, word: str, said: str, number: str
) -> None:
    world.make("Carrier")
    before, arguments = world.snapshot(), f"{{{said.replace('NUMBER', number)}}}"
    tool = f'{{"tool": "query_{word}", "arguments": {arguments}}}'
    for path, body in ((f"/api/query/{word}", arguments), ("/api/agent/execute", tool)):
        refused = world.ask(f"POST {path}", content=body, headers={"Content-Type": "application/json"})
        assert (refused.status_code, refused.json()["code"]) == (422, "record.invalid"), refused.text
    assert world.snapshot() == before


def test_a_save_inserts_and_replaces(world: World, play: Play) -> None:
    made = play(
        query("save", rootType="Carrier", entity=CARRIER, stored=1, has={"inserted": True, "version": 1})
    )
    assert made["record"] == world.read("Carrier", made)
    entity = {**CARRIER, "id": made["id"], "name": "Baltic"}
    changed = play(
        query("save", rootType="Carrier", entity=entity, changed=1, has={"inserted": False, "version": 2})
    )
    assert changed["record"]["name"] == "Baltic"
    play(
        query(
            "save",
            rootType="Carrier",
            entity=entity | {"version": 1},
            status=409,
            code="record.version_conflict",
        )
    )
    play(query("save", "globex", rootType="Carrier", entity=entity, stored=1, has={"inserted": True}))
    assert world.read("Carrier", made)["version"] == 2


def test_state_graphs_and_references_hold(world: World, play: Play) -> None:
    order = world.sample("Order")
    play(
        query(
            "save",
            rootType="Order",
            entity=order | {"status": "DELIVERED"},
            status=422,
            code="state.transition",
        )
    )
    foreign = {"customer": world.ref("Customer", "globex")}
    play(query("save", rootType="Order", entity=order | foreign, status=422, code="reference.missing"))
    saved = ask(world, "save", rootType="Order", entity=order)
    history = world.ask(f"GET /logistics/orders/id/{saved['id']}/history").json()
    assert [one["version"] for one in history["rows"]] == [1]
    customer = order["customer"]["entityId"]
    refused = query("delete", rootType="Customer", id=customer, status=409, code="reference.in_use")
    play(refused)


def test_a_dry_run_stores_and_deletes_nothing(world: World, play: Play) -> None:
    made = world.make("Carrier")
    dry = {"dryRun": True, "answers": {"Dry-Run": "true"}}
    play(query("save", rootType="Carrier", entity=CARRIER, **dry, has={"inserted": True}))
    play(query("delete", rootType="Carrier", id=made["id"], **dry, has={"matched": 1, "deleted": 0}))
    match = f"id:{made['id']}"
    play(query("deleteMany", rootType="Carrier", query=match, **dry, has={"matched": 1, "deleted": 0}))
    play(query("delete", rootType="Carrier", id=made["id"], removed=1, has={"matched": 1, "deleted": 1}))


def test_only_the_version_that_the_caller_knows_is_written(world: World, play: Play) -> None:
    made = world.make("Carrier")
    entity = CARRIER | {"id": made["id"]}
    failed = {"status": 412, "code": "record.precondition_failed"}
    blank = {"headers": {"If-Match": " "}, "status": 400, "code": "request.invalid_parameter"}
    play(query("save", rootType="Carrier", entity=entity, **blank))
    play(query("delete", rootType="Carrier", id=made["id"], **blank))
    stale, known, new = ({"If-Match": '"7"'}, {"If-Match": '"1"'}, {"If-None-Match": "*"})
    for headers in (stale, new, {"If-None-Match": 'W/"1"'}):
        play(query("save", rootType="Carrier", entity=entity, headers=headers, **failed))
    play(query("save", rootType="Carrier", entity=CARRIER, headers=stale, **failed))
    play(query("delete", rootType="Carrier", id=made["id"], headers=stale, **failed))
    play(query("save", rootType="Carrier", entity=entity, headers=known, changed=1, has={"version": 2}))
    play(query("save", rootType="Carrier", entity=entity, dryRun=True, headers=known, **failed))
    play(query("delete", rootType="Carrier", id=made["id"], headers=known, **failed))
    play(query("save", rootType="Carrier", entity=CARRIER, headers=new, stored=1, has={"inserted": True}))
    play(query("delete", rootType="Carrier", id=made["id"], headers={"If-Match": '"2"'}, removed=1))


def test_an_idempotency_key_holds(world: World, play: Play) -> None:
    key = {"headers": {"Idempotency-Key": "gateway save"}}
    first = play(query("save", rootType="Carrier", entity=CARRIER, **key, stored=1))
    replayed = {"answers": {"Idempotency-Replayed": "true"}}
    assert play(query("save", rootType="Carrier", entity=CARRIER, **key, **replayed)) == first
    play(
        query(
            "save",
            rootType="Carrier",
            entity=CARRIER | {"name": "B"},
            **key,
            status=422,
            code="idempotency.mismatch",
        )
    )
    key = {"headers": {"Idempotency-Key": "gateway deletions"}}
    gone = query(
        "deleteMany", rootType="Carrier", query=f"id:{first['id']}", **key, removed=1, has={"deleted": 1}
    )
    play(gone)
    play(
        query(
            "deleteMany", rootType="Carrier", query=f"id:{first['id']}", **key, **replayed, has={"deleted": 1}
        )
    )
    key = {"headers": {"Idempotency-Key": "abroad"}}
    play(
        query(
            "save", rootType="Carrier", entity=CARRIER, realm="elsewhere", **key, status=400,
            code="request.invalid_parameter",
        )
    )  # fmt: skip


def test_an_import_from_its_analysis_to_its_end(world: World, play: Play) -> None:
    text = "refName,name,mode\nG-1,Atlantic,AIR\nG-2,Baltic,SPACE\n"
    found = play(
        query("import/analyze", rootType="Carrier", csv=text, has={"insertCount": 1, "errorRows": 1})
    )
    session = {"rootType": "Carrier", "sessionId": found["sessionId"]}
    wrong = play(query("import/rows", **session, onlyErrors=True, has={"rowCount": 1, "totalCount": 1}))
    assert wrong["rows"][0]["rowNumber"] == 2
    for caller in ("acme-user", "globex"):
        play(query("import/rows", caller, **session, status=404, code="record.not_found"))
        play(query("import/commit", caller, **session, status=404, code="record.not_found"))
        play(query("import/cancel", caller, **session, has={"status": "DISCARDED"}))
    play(query("import/commit", rootType="Airport", sessionId=found["sessionId"], status=404))
    play(query("import/commit", **session, stored=1, has={"inserted": 1, "failed": 1}))
    play(query("import/commit", **session, has={"inserted": 1}))
    for _time in range(2):
        play(query("import/cancel", **session, has={"status": "COMMITTED", "inserted": 1, "updated": 0}))
    play(query("import/cancel", "globex", **session, has={"status": "DISCARDED"}))
    play(query("import/rows", **session, status=404))
    again = ask(world, "import/analyze", rootType="Carrier", csv=text, columns=["refName", "name", "mode"])
    session = {"rootType": "Carrier", "sessionId": again["sessionId"]}
    for _time in range(2):
        play(query("import/cancel", **session, has={"status": "DISCARDED"}))
    play(query("import/commit", **session, status=404))


def test_an_export_is_a_file(world: World) -> None:
    made = world.make("Carrier", name="=1+1")
    body = {"rootType": "Carrier", "query": f"id:{made['id']}", "columns": ["name", "mode"]}
    answer = world.ask("POST /api/query/export", json=body)
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.text == "name,mode\r\n'=1+1,AIR\r\n"
    assert world.ask("POST /api/query/export", json=body | {"includeHeader": False}).text == "'=1+1,AIR\r\n"
    assert world.ask("POST /api/query/export", "globex", json=body).text == "name,mode\r\n"


@pytest.mark.parametrize("text", [None, "", " ", "\t\n"])
def test_a_blank_query_reads_all_records(world: World, text: str | None) -> None:
    made, body = world.make("Carrier"), {"rootType": "Carrier", "query": text}
    assert made["id"] in {row["id"] for row in ask(world, "find", **body, limit=1000)["rows"]}
    count = ask(world, "count", **body)["count"]
    (group,) = ask(world, "aggregate", **body, measures={"all": "count"})["rows"]
    assert group["all"] == count == ask(world, "count", rootType="Carrier")["count"]
    assert made["refName"] in world.ask("POST /api/query/export", json=body).text


@pytest.mark.parametrize("word", ["find", "count", "export", "deleteMany"])
def test_other_tenants_and_roles_see_nothing(world: World, play: Play, word: str) -> None:
    made = world.make("Carrier")
    body = {"rootType": "Carrier", "query": f"id:{made['id']}"}
    play(query(word, "acme-nobody", **body, status=403, code="access.denied"))
    play(query(word, None, **body, status=401, code="access.unauthenticated"))
    answer = world.ask(
        f"POST /api/query/{word}", "globex", json=body | {"query": f"refName:{made['refName']}"}
    )
    assert answer.status_code == 200
    assert {"find": '"rowCount":0', "count": '{"count":0}', "export": "refName\r\n"}.get(
        word, '"matched":0'
    ) in answer.text
    assert world.read("Carrier", made) == made
    for kind in ("PermissionRule", "OauthClient"):
        play(query(word, "acme-user", rootType=kind, query="id:~", status=403, code="access.denied"))


def test_find_embeds_what_the_query_expands(world: World) -> None:
    customer = world.make("Customer", name="Casa das Flores")
    made = world.make("Shipment", customer={"entityId": customer["id"]})
    text = f"id:{made['id']} && expand(customer, fields:[+_id,+name]) && fields:[+_id,+customer]"
    found = ask(world, "find", rootType="Shipment", query=text)
    assert found["rows"] == [
        {"id": made["id"], "customer": {"id": customer["id"], "name": "Casa das Flores"}}
    ]
    assert found["filter"] == f"id:{made['id']}"
    planned = ask(world, "plan", rootType="Shipment", query=text)
    assert planned == {"mode": "AGGREGATION", "expandPaths": ["customer"]}
    explained = ask(world, "plan", rootType="Shipment", query=text, explain=True)
    assert explained["cost"]["matched"] == 1
    assert len(explained["pipeline"]) == 2
    assert "index" in explained
    assert "index" not in ask(world, "plan", "acme-user", rootType="Shipment", query=text, explain=True)
    assert ask(world, "find", "globex", rootType="Shipment", query=text)["rows"] == []
    for wrong in (
        "expand(notes)",
        "expand(customer",
        "expand(customer, fields:[+nmae])",
        "fields:[+customsToken]",
    ):
        ask(world, "find", rootType="Shipment", query=wrong, status=400)
        ask(world, "plan", rootType="Shipment", query=wrong, status=400)
    for word in ("count", "export", "deleteMany"):
        ask(world, word, rootType="Shipment", query="expand(customer)", status=400)


def test_ids_are_left_out_where_the_query_says_so(world: World) -> None:
    country = world.make("Country", name="Idless")
    airport = world.make("Airport", name="Idless", country={"entityId": country["id"]})
    carriers = [
        world.make("Carrier", name=f"Idless {number}", home={"entityId": airport["id"]})
        for number in range(3)
    ]
    match = f"name:Idless* && home.entityId:{airport['id']}"
    name, at = {"name": "Idless"}, {"home": {"name": "Idless"}}
    for text, expected in {
        "fields:[+name,-_id]": {"name": "Idless 0"},
        "fields:[+name,-id] && expand(home, fields:[+name,-id])": {"name": "Idless 0", **at},
        "fields:[+home,-id] && expand(home, fields:[-_id,+name])": at,
        "fields:[+home,-id] && expand(home, fields:[-id,+name]) && expand(home.country, fields:[+name,-id])": {
            "home": {**name, "country": name}
        },
        "fields:[+home] && expand(home, fields:[-id,+name])": {"id": carriers[0]["id"], **at},
        "fields:[+home,-id] && expand(home, fields:[+name])": {"home": {"id": airport["id"], **name}},
    }.items():
        body = {"rootType": "Carrier", "query": f"{match} && {text}", "sort": [{"field": "name"}], "limit": 1}
        assert ask(world, "find", **body)["rows"] == [expected], text
    only = f"id:{carriers[0]['id']}"
    (whole,) = ask(world, "find", rootType="Carrier", query=only)["rows"]
    (rest,) = ask(world, "find", rootType="Carrier", query=f"{only} && fields:[-id]")["rows"]
    assert {"id": carriers[0]["id"], **rest} == whole
    assert "id" not in rest


def test_pages_without_ids_go_on_by_their_cursor(world: World) -> None:
    for number in range(3):
        world.make("Carrier", name=f"Page {number % 2}", mode="RAIL")
    body = {
        "rootType": "Carrier", "query": "mode:RAIL && name:Page* && fields:[+name,-id]", "limit": 1,
        "sort": [{"field": "name"}],
    }  # fmt: skip
    names = [row for page in world.pages("POST /api/query/find", **body) for row in page["rows"]]
    assert names == [{"name": "Page 0"}, {"name": "Page 0"}, {"name": "Page 1"}]


def test_a_plan_shows_that_ids_are_left_out(world: World) -> None:
    text = "fields:[+customer,-_id] && expand(customer, fields:[+name,-_id])"
    root, inner = ask(world, "plan", rootType="Shipment", query=text, explain=True)["pipeline"]
    assert (root["fields"], inner["fields"]) == (["+customer", "-id"], ["+name", "-id"])


def test_lists_always_have_ids(world: World, play: Play) -> None:
    play(
        Scenario(
            "find of a type", "POST /logistics/carriers/find", body={"projection": "+name,-id"},
            status=400, code="request.invalid_parameter", says=("id is always returned",),
        )
    )  # fmt: skip


def test_relation_blocks_narrow_every_operation(world: World, play: Play) -> None:
    customer = world.make("Customer", name="Narrow")
    made = world.make("Shipment", customer={"entityId": customer["id"]})
    match = f"customer{{name:Narrow && id:{customer['id']}}}"
    assert [one["id"] for one in ask(world, "find", rootType="Shipment", query=match)["rows"]] == [made["id"]]
    assert ask(world, "count", rootType="Shipment", query=match) == {"count": 1}
    assert ask(world, "count", "globex", rootType="Shipment", query=match) == {"count": 0}
    play(query("deleteMany", rootType="Shipment", query=match, removed=1, has={"deleted": 1}))
