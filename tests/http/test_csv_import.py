"""CSV import: direct, and by session."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from runtime.transfer import direct
from runtime.transfer.importing import analyze
from runtime.transfer.importing.further import add_further
from runtime.transfer.rows.reading import BATCH
from tests.http.world import NOWHERE, Document, World
from tests.profiling import most_examined, profiled
from tests.scenario import check_problem

CARRIERS = "/logistics/carriers"
AIRPORTS = "/logistics/airports"
COLUMNS = "refName,name,mode,active"
FORM = "multipart/form-data; boundary=b"


def send(
    world: World, path: str, *rows: str, caller: str | None = "acme", columns: str = COLUMNS, **query: str
) -> httpx2.Response:
    """A file with a header and these rows."""
    content = "\r\n".join([columns, *rows]).encode()
    return world.ask(
        f"POST {path}", caller, params={"requestedColumns": columns, **query},
        files={"file": ("rows.csv", content, "text/csv")},
    )  # fmt: skip


def imported(world: World, *rows: str, path: str = CARRIERS, **query: str) -> Document:
    answer = send(world, f"{path}/csv", *rows, **query)
    assert answer.status_code == 200, answer.text
    body: Document = answer.json()
    success, failed = answer.headers["x-import-success-count"], answer.headers["x-import-failed-count"]
    assert (success, failed) == (str(body["importedCount"]), str(body["failedCount"]))
    return body


def analysed(world: World, *rows: str, path: str = CARRIERS, **query: str) -> Document:
    answer = send(world, f"{path}/csv/session", *rows, **query)
    assert answer.status_code == 200, answer.text
    body: Document = answer.json()
    return body


def session(world: World, session_id: str, below: str, caller: str = "acme") -> httpx2.Response:
    """``session(world, id, "POST commit")``"""
    method, _, rest = below.partition(" ")
    return world.ask(f"{method} {CARRIERS}/csv/session/{session_id}/{rest}".rstrip("/"), caller)


def counts(body: Document) -> tuple[int, ...]:
    """Inserted, updated, skipped, failed."""
    failed = body["failedCount"] if "failedCount" in body else body["errorRows"]
    return (body["insertCount"], body["updateCount"], body["skipCount"], failed)


def stored(world: World, prefix: str) -> dict[str, Document]:
    rows = world.documents["carriers"].find({"refName": {"$regex": f"^{prefix}"}})
    return {row["refName"]: row for row in rows}


def test_new_changed_and_unchanged_rows(world: World) -> None:
    first = imported(world, "i-1,One,AIR,true", "i-2,Two,SEA,false")
    assert counts(first) == (2, 0, 0, 0)
    before = stored(world, "i-")
    again = imported(world, "i-1,One,AIR,true", "i-2,Second,SEA,false", "i-3,Three,ROAD,")
    assert counts(again) == (1, 1, 1, 0)
    after = stored(world, "i-")
    assert after["i-1"] == before["i-1"]
    assert (after["i-2"]["name"], after["i-2"]["version"]) == ("Second", 2)
    assert after["i-2"]["_id"] == before["i-2"]["_id"]
    assert after["i-2"]["auditInfo"]["createdDate"] == before["i-2"]["auditInfo"]["createdDate"]
    assert "active" not in after["i-3"]
    assert counts(imported(world, "i-1,One,AIR,true", "i-2,Second,SEA,false", "i-3,Three,ROAD,")) == (
        0,
        0,
        3,
        0,
    )


def test_rows_with_errors_are_told_and_the_others_stored(world: World) -> None:
    body = imported(
        world,
        "e-1,One,AIR,true",
        "e-2,Two,BOAT,true",
        "e-3,,SEA,true",
        "e-4,Four,SEA,TRUE",
        "e-5,Five",
        "e-1,Again,AIR,true",
    )
    assert counts(body) == (1, 0, 0, 5)
    told = [
        (row["rowNumber"], row["errors"][0]["code"], row["errors"][0].get("field")) for row in body["rows"]
    ]
    assert told == [
        (2, "PARSE", "mode"), (3, "VALIDATION", "name"), (4, "PARSE", "active"), (5, "PARSE", None),
        (6, "DUPLICATE", "refName"),
    ]  # fmt: skip
    assert body["rows"][2]["errors"][0]["suggestion"] == "true"
    assert body["rows"][0]["rawData"] == {"refName": "e-2", "name": "Two", "mode": "BOAT", "active": "true"}
    assert stored(world, "e-").keys() == {"e-1"}


def test_references_are_found_by_name_in_the_callers_scope(world: World) -> None:
    world.make("Country", refName="PORTUGAL-1", code="PQ")
    world.make("Country", "globex", refName="ELSEWHERE-1", code="EQ")
    columns = "refName,icao,name,country.entityRefName,elevationFt"
    rows = ("K1,K1,Field,PORTUGAL-1,10", "K2,K2,Field,PORTUGAL-2,10", "K3,K3,Field,ELSEWHERE-1,10")
    answer = send(world, f"{AIRPORTS}/csv", *rows, columns=columns)
    body = answer.json()
    assert counts(body) == (1, 0, 0, 2)
    errors = [row["errors"][0] for row in body["rows"]]
    assert [error["code"] for error in errors] == ["REFERENCE", "REFERENCE"]
    assert errors[0]["suggestion"] == "PORTUGAL-1"
    assert "suggestion" not in errors[1] or not errors[1]["suggestion"].startswith("ELSEWHERE")
    found = world.documents["airports"].find_one({"refName": "K1"})
    assert found is not None
    assert found["country"]["entityDisplayName"]
    again = send(world, f"{AIRPORTS}/csv", rows[0], columns=columns).json()
    assert counts(again) == (0, 0, 1, 0)


def test_a_taken_unique_value_fails_its_row_alone(world: World) -> None:
    country = world.ref("Country")
    world.make("Airport", icao="TAKEN", refName="has-it", country=country)
    name = world.read("Country", {"id": country["entityId"]})["refName"]
    columns = "refName,icao,name,country.entityRefName"
    body = send(
        world, f"{AIRPORTS}/csv", f"n1,TAKEN,One,{name}", f"n2,FREE,Two,{name}", columns=columns
    ).json()
    assert counts(body) == (1, 0, 0, 1)
    error = body["rows"][0]["errors"][0]
    assert (error["code"], error["field"], error["value"]) == ("DUPLICATE", "icao", "TAKEN")


def test_a_file_that_cannot_be_read_to_its_end_is_answered_with_counts(world: World) -> None:
    """A problem, since the line of text of other refusals has no place for them."""
    rows = [f"brk-{at},Name,AIR,true" for at in range(2 * BATCH)]
    answer = send(world, f"{CARRIERS}/csv", *rows, '"never closed')
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    body = answer.json()
    assert (body["code"], body["row"]) == ("csv.malformed", 2 * BATCH + 1)
    assert body["counts"] == {"inserted": 2 * BATCH, "updated": 0, "skipped": 0, "failed": 0}
    assert len(stored(world, "brk-")) == 2 * BATCH
    short = send(world, f"{CARRIERS}/csv", '"never closed')
    assert (short.status_code, short.headers["content-type"]) == (400, "text/plain; charset=utf-8")


def test_a_sender_that_goes_away_is_not_a_fault(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    """What came before is stored; nobody is there to answer, and there is nothing to log as an error."""
    head = b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nrefName,name,mode,active\r\n'
    rows = b"".join(b"gone-%d,Name,AIR,true\r\n" % at for at in range(2 * BATCH))
    messages = iter(
        [{"type": "http.request", "body": head + rows, "more_body": True}, {"type": "http.disconnect"}]
    )

    async def receive() -> Any:
        return next(messages)

    headers, query = world.headers("acme") | {"Content-Type": FORM}, f"requestedColumns={COLUMNS}"
    capfd.readouterr()
    sent = world.send_messages("POST", f"{CARRIERS}/csv", receive, query=query.encode(), headers=headers)
    assert sent == []
    assert '"level":"error"' not in capfd.readouterr().err
    assert len(stored(world, "gone-")) >= BATCH


def test_a_session_stores_nothing_until_its_commit(world: World) -> None:
    imported(world, "s-1,One,AIR,true", "s-2,Two,AIR,true")
    found = analysed(
        world, "s-1,One,AIR,true", "s-2,Second,AIR,true", "s-3,Three,SEA,true", "s-4,Four,BOAT,true"
    )
    assert (found["status"], found["totalRows"], found["validRows"]) == ("ANALYZED", 4, 3)
    assert counts(found) == (1, 1, 1, 1)
    assert [row["intent"] for row in found["rows"]] == ["SKIP", "UPDATE", "INSERT", "INSERT"]
    assert stored(world, "s-").keys() == {"s-1", "s-2"}
    answer = session(world, found["sessionId"], "POST commit")
    expected = {"sessionId": found["sessionId"], "inserted": 1, "updated": 1, "skipped": 1, "failed": 1}
    assert (answer.status_code, answer.json()) == (200, expected)
    after = stored(world, "s-")
    assert (sorted(after), after["s-2"]["name"]) == (["s-1", "s-2", "s-3"], "Second")
    assert session(world, found["sessionId"], "POST commit").json() == expected
    assert stored(world, "s-") == after


def test_rows_of_a_session(world: World) -> None:
    found = analysed(world, *(f"p-{n},{'' if n % 3 == 0 else 'Name'},AIR,true" for n in range(10)))

    def numbers(query: str) -> tuple[list[int], int]:
        page = session(world, found["sessionId"], f"GET rows?{query}").json()
        assert page["rowCount"] == len(page["rows"])
        return [row["rowNumber"] for row in page["rows"]], page["totalCount"]

    assert numbers("skip=2&limit=3") == ([3, 4, 5], 10)
    assert numbers("onlyErrors=true") == ([1, 4, 7, 10], 4)
    assert numbers("intent=UPDATE") == ([], 0)
    assert session(world, found["sessionId"], "GET rows?intent=DELETE").status_code == 400


def test_a_page_of_rows_does_not_count_them_again(world: World) -> None:
    found = analysed(world, *(f"q-{number},Name,AIR,true" for number in range(20)))
    with profiled(world.documents, "importRows") as commands:
        page = session(world, found["sessionId"], "GET rows?limit=2").json()
    assert (page["rowCount"], page["totalCount"]) == (2, 20)
    assert most_examined(commands) <= 4


def test_rows_carry_their_record(world: World) -> None:
    """What they would store, and after the commit what is stored."""
    imported(world, "rec-1,One,AIR,true", "rec-2,Two,AIR,true")
    before = world.ask(f"GET {CARRIERS}/refName/rec-2").json()
    found = analysed(world, "rec-1,One,AIR,true", "rec-2,Second,SEA,", "rec-3,Three,AIR,true", "rec-4,,AIR,")
    rows = session(world, found["sessionId"], "GET rows").json()["rows"]
    assert rows == found["rows"]
    same, changed, new, failed = (row.get("record") for row in rows)
    assert same == world.ask(f"GET {CARRIERS}/refName/rec-1").json()
    assert changed is not None
    assert {name: changed.get(name) for name in ("id", "name", "mode", "active", "version")} == {
        "id": before["id"], "name": "Second", "mode": "SEA", "active": None, "version": 2,
    }  # fmt: skip
    assert new is not None
    assert (new["refName"], new["name"], new["dataDomain"]["tenantId"]) == ("rec-3", "Three", "acme")
    assert not {"id", "auditInfo", "actionList"} & new.keys()
    assert failed is None
    assert stored(world, "rec-").keys() == {"rec-1", "rec-2"}
    session(world, found["sessionId"], "POST commit")
    records = [row.get("record") for row in session(world, found["sessionId"], "GET rows").json()["rows"]]
    assert records[:3] == [world.ask(f"GET {CARRIERS}/refName/rec-{at}").json() for at in (1, 2, 3)]
    assert records[3] is None


def test_the_error_file(world: World) -> None:
    found = analysed(world, "f-1,One,AIR,true", 'f-2,"Two, too",BOAT,true')
    answer = session(world, found["sessionId"], "GET errors")
    header, row = answer.text.splitlines()
    assert answer.headers["content-type"].startswith("text/csv")
    assert header == f"{COLUMNS},errors"
    assert row.startswith('f-2,"Two, too",BOAT,true,')
    assert "PARSE mode" in row


def test_progress_tells_of_the_end(world: World) -> None:
    found = analysed(world, "g-1,One,AIR,true")
    session(world, found["sessionId"], "POST commit")
    answer = session(world, found["sessionId"], "GET progress")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert '"status":"COMMITTED"' in answer.text
    assert '"inserted":1' in answer.text


def test_a_discarded_session_is_gone(world: World) -> None:
    found = analysed(world, "d-1,One,AIR,true")
    for _time in range(2):
        assert session(world, found["sessionId"], "DELETE").status_code == 204
    for below in ("POST commit", "GET rows", "GET errors", "GET progress"):
        assert session(world, found["sessionId"], below).status_code == 404
    assert stored(world, "d-") == {}
    for unknown in (NOWHERE, "nonsense"):
        assert session(world, unknown, "DELETE").status_code == 204
        assert session(world, unknown, "POST commit").status_code == 404


@pytest.mark.parametrize("caller", ["acme-user", "globex", "system"])
def test_a_session_of_somebody_else_is_as_good_as_absent(world: World, caller: str) -> None:
    found = analysed(world, f"o-{caller},One,AIR,true")
    for below in ("POST commit", "GET rows", "GET errors", "GET progress"):
        answer = session(world, found["sessionId"], below, caller)
        check_problem(404, answer.headers, answer.json())
    assert session(world, found["sessionId"], "DELETE", caller).status_code == 204
    assert session(world, found["sessionId"], "POST commit").json()["inserted"] == 1


@pytest.mark.parametrize("way", ["csv", "csv/session"])
def test_names_are_those_of_the_tenant_that_an_operator_imports_for(world: World, way: str) -> None:
    """Though another tenant has a record of the same name."""
    short = way[-3:]
    homes = {
        caller: world.make("Airport", caller, refName=f"HOME-{short}")["id"] for caller in ("globex", "acme")
    }
    world.make("Airport", refName=f"FAR-{short}")
    changed = world.make("Carrier", "globex", refName=f"p-{short}-old", mode="AIR")
    rows = [
        f"p-{short}-{name},One,AIR,{home}-{short},{tenant}"
        for name, home, tenant in (
            ("1", "HOME", "globex"), ("2", "HOME", "acme"), ("3", "FAR", "globex"), ("old", "HOME", "globex"),
        )
    ]  # fmt: skip
    columns = "refName,name,mode,home.entityRefName,dataDomain.tenantId"
    answer = send(world, f"{CARRIERS}/{way}", *rows, caller="system", columns=columns).json()
    assert counts(answer) == (2, 1, 0, 1), answer
    (failed,) = [row for row in answer["rows"] if row["errors"]]
    assert [(error["code"], error["field"]) for error in failed["errors"]] == [("REFERENCE", "home")]
    assert failed["errors"][0]["message"] == f"tenant globex has no Airport with the refName FAR-{short}"
    if "sessionId" in answer:
        assert session(world, answer["sessionId"], "POST commit", "system").json()["failed"] == 1
    after = stored(world, f"p-{short}-")
    found = {name.rpartition("-")[2]: str(row["home"]["entityId"]) for name, row in after.items()}
    assert found == {"1": homes["globex"], "2": homes["acme"], "old": homes["globex"]}
    assert changed["id"] == str(after[f"p-{short}-old"]["_id"])


def test_rows_of_one_name_for_several_tenants_are_several_records(world: World) -> None:
    columns = "refName,sku,name,price,tags[0],dataDomain.tenantId"
    items = (("red", "acme"), ("blue", "acme"), ("green", "globex"), ("white", "globex"), ("grey", ""))
    rows = [f"many-1,MANY-1,Lamp,1.50,{tag},{tenant}" for tag, tenant in items]
    answer = send(world, "/logistics/products/csv", *rows, caller="system", columns=columns).json()
    assert counts(answer) == (1, 0, 0, 1), answer
    ((error,),) = [row["errors"] for row in answer["rows"]]
    assert (error["field"], error["message"]) == (
        "dataDomain.tenantId",
        "differs from row 3 of the same record",
    )
    (found,) = world.documents["products"].find({"refName": "many-1"})
    assert (found["dataDomain"]["tenantId"], found["tags"]) == ("acme", ["red", "blue"])


def test_errors_that_no_answer_has_room_for_are_not_worked_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    explained: list[int] = []

    async def count(call: Any, kind: Any, failed: Any, *others: Any) -> Any:
        explained.append(len(failed))
        return await add_further(call, kind, failed, *others)

    monkeypatch.setattr(analyze, "add_further", count)
    monkeypatch.setattr(direct, "MOST_REPORTED", 2)
    rows = [f"many-{number},,AIR,maybe" for number in range(5 * BATCH)]
    answer = send(world, f"{CARRIERS}/csv", *rows).json()
    assert [len(row["errors"]) for row in answer["rows"]] == [2, 2]
    assert answer["failedCount"] == len(rows)
    assert 0 < sum(explained) < len(rows)


def test_a_session_belongs_to_its_record_type(world: World) -> None:
    found = analysed(world, "t-1,One,AIR,true")
    answer = world.ask(f"GET {AIRPORTS}/csv/session/{found['sessionId']}/rows")
    assert answer.status_code == 404


def test_a_commit_decides_anew(world: World) -> None:
    """Somebody made and changed records since the analysis."""
    imported(world, "c-1,One,AIR,true")
    found = analysed(world, "c-1,First,AIR,true", "c-2,Two,AIR,true")
    imported(world, "c-1,Meanwhile,SEA,true", "c-2,Meanwhile,SEA,true")
    answer = session(world, found["sessionId"], "POST commit").json()
    assert (answer["inserted"], answer["updated"]) == (0, 2)
    after = stored(world, "c-")
    assert {name: (row["name"], row["mode"], row["version"]) for name, row in after.items()} == {
        "c-1": ("First", "AIR", 3), "c-2": ("Two", "AIR", 2),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"requestedColumns": "refName,nam"}, "name"),
        ({"fieldSeparator": ";;"}, "fieldSeparator"),
        ({"colour": "red"}, "unknown parameter colour"),
        ({"charsetEncoding": "US-ASCII"}, "US-ASCII"),
    ],
    ids=["unknown field", "separator", "unknown parameter", "charset"],
)
def test_a_file_that_cannot_be_read_is_refused_in_a_line(
    world: World, query: dict[str, str], says: str
) -> None:
    before = world.snapshot()
    for path in ("csv", "csv/session"):
        answer = send(world, f"{CARRIERS}/{path}", "x-1,Café,AIR,true", **query)
        assert (answer.status_code, answer.headers["content-type"]) == (400, "text/plain; charset=utf-8")
        assert says in answer.text
        assert "\n" not in answer.text
    assert world.snapshot() == before


def test_a_file_whose_columns_are_not_named(world: World) -> None:
    answer = world.ask(f"POST {CARRIERS}/csv", files={"file": ("rows.csv", b"refName\r\nx-1", "text/csv")})
    assert (answer.status_code, answer.text) == (400, "requestedColumns is missing")


@pytest.mark.parametrize(
    ("content", "media_type", "status"),
    [
        (b"{}", "application/json", 415),
        (b"--b--\r\n", "multipart/form-data", 415),
        (b"--b--\r\n", f"multipart/form-data; boundary={'b' * 300}", 415),
        (b"--b--\r\n", "multipart/mixed; boundary=b", 415),
        (b"--b\r\nnonsense", FORM, 400),
        (b"--b--\r\n", FORM, 400),
        (b'--b\r\nContent-Disposition: form-data; name="other"\r\n\r\nx\r\n--b--\r\n', FORM, 400),
    ],
    ids=[
        "not a form",
        "no boundary",
        "an endless boundary",
        "not a form of fields",
        "broken",
        "empty",
        "another field",
    ],
)
def test_what_is_no_form_with_a_file(world: World, content: bytes, media_type: str, status: int) -> None:
    path = f"{CARRIERS}/csv?requestedColumns=refName,name,mode"
    assert (
        world.ask(f"POST {path}", content=content, headers={"Content-Type": media_type}).status_code == status
    )


@pytest.mark.parametrize(("caller", "status"), [(None, 401), ("acme-nobody", 403)], ids=str)
def test_who_may_not(world: World, caller: str | None, status: int) -> None:
    for path in ("csv", "csv/session"):
        answer = send(world, f"{CARRIERS}/{path}", "w-1,One,AIR,true", caller=caller)
        assert answer.status_code == status
    assert stored(world, "w-") == {}


def test_the_same_name_in_another_tenant_is_another_record(world: World) -> None:
    imported(world, "m-1,One,AIR,true")
    body = send(world, f"{CARRIERS}/csv", "m-1,Other,AIR,true", caller="globex").json()
    assert counts(body) == (1, 0, 0, 0)
    names = {
        row["dataDomain"]["tenantId"]: row["name"]
        for row in world.documents["carriers"].find({"refName": "m-1"})
    }
    assert names == {"acme": "One", "globex": "Other"}


def test_many_rows_in_several_batches(world: World) -> None:
    rows = [f"b-{n},Name {n},AIR,true" for n in range(1234)]
    assert counts(imported(world, *rows)) == (1234, 0, 0, 0)
    assert counts(imported(world, *rows)) == (0, 0, 1234, 0)
    changed = [row.replace("AIR", "SEA") for row in rows]
    found = analysed(world, *changed)
    assert counts(found) == (0, 1234, 0, 0)
    assert len(found["rows"]) == 100
    assert session(world, found["sessionId"], "POST commit").json()["updated"] == 1234
    assert {row["version"] for row in stored(world, "b-").values()} == {2}


def test_audited_records_keep_a_revision_of_each_write(world: World) -> None:
    customer = world.ref("Customer")
    product = world.ref("Product")
    name = world.read("Customer", {"id": customer["entityId"]})["refName"]
    sku = world.read("Product", {"id": product["entityId"]})["refName"]
    columns = "refName,customer.entityRefName,items[0].product.entityRefName,items[0].quantity,items[0].price"
    rows = (f"or-1,{name},{sku},3,12.90", f"or-1,{name},{sku},4,1.50", f"or-2,{name},{sku},1,2.00")
    body: Any = send(world, "/logistics/orders/csv", *rows, columns=columns).json()
    assert counts(body) == (2, 0, 0, 0), body
    order = world.documents["orders"].find_one({"refName": "or-1"})
    assert order is not None
    assert [item["quantity"] for item in order["items"]] == [3, 4]
    assert world.documents["revisions"].count_documents({"recordId": str(order["_id"])}) == 1
    again = send(world, "/logistics/orders/csv", *rows, columns=columns).json()
    assert counts(again) == (0, 0, 2, 0)
