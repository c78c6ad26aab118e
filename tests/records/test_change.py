"""What every write passes: calculated fields, constraints, leniency, withheld parts, unnamed references.

Each by every route that writes a record.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from generated.record_types import CATALOG
from runtime import records
from runtime.call import Call
from runtime.contract.writes import Bulk, BulkOperation, BulkSet, RecordPatch, SetParameters
from runtime.errors import Denied, NotArchived, ServiceError, ValidationFailed
from runtime.filter import by_id
from runtime.model.catalog import Catalog
from runtime.model.record_type import RecordType, Reference
from runtime.permissions import Rule
from runtime.records.change import prepare_deletion
from runtime.records.document.lenient import read_input
from runtime.records.document.withheld import unseen_fields
from runtime.seams import Seams
from runtime.storage.as_service import as_service
from tests.records.conftest import Caller
from tests.records.parcels import LENIENT, PARCEL

pytestmark = pytest.mark.anyio

Document = dict[str, Any]
Client = MongoClient[dict[str, Any]]
UNSENT = frozenset({"version", "actionList", "invalid", "violations"})

Write = Callable[[Call, RecordType[Any], Document, Document], Awaitable[Document]]

WITHHELD = Rule("no street", identity="user", domain="parcel", hidden=frozenset({"place.street", "code"}))
NO_DELETE = Rule("keep", allows=False, priority=50, domain="parcel", action="DELETE")


def seen_by(record: Any) -> str | None:
    return "customs" if record.get("urgent") else None


def weight_twice(record: Any) -> Any:
    weight = record.get("weight")
    return None if weight is None else str(2 * float(weight))


def as_caller(caller: Caller, kind: RecordType[Any] = PARCEL, *rules: Rule) -> Call:
    """A call in a service that has parcels of this kind."""
    call = caller(rules=rules)
    seams = Seams(expressions={"weightTwice": weight_twice, "seen": seen_by})
    return replace(call, service=replace(call.service, catalog=Catalog((*CATALOG, kind)), seams=seams))


async def save(call: Call, kind: RecordType[Any], body: Document) -> Document:
    sent = read_input(kind, json.dumps({"label": "Lamp", "pin": "12345"} | body).encode())
    answer: Document = json.loads((await records.save(call, kind, sent)).body)
    return answer


async def by_save(call: Call, kind: RecordType[Any], made: Document, change: Document) -> Document:
    kept = {name: value for name, value in made.items() if name not in UNSENT}
    return await save(call, kind, kept | change)


async def by_patch(call: Call, kind: RecordType[Any], made: Document, change: Document) -> Document:
    answer: Document = json.loads((await records.patch(call, kind, made["id"], RecordPatch(change))).body)
    return answer


async def by_set(call: Call, kind: RecordType[Any], made: Document, change: Document) -> Document:
    pairs = ",".join(f"{name}:{json.dumps(value)}".replace('"', "") for name, value in change.items())
    query = SetParameters(id=made["id"], pairs=pairs)
    answer: Document = json.loads((await records.set_fields(call, kind, query)).body)
    return answer


async def by_bulk_set(call: Call, kind: RecordType[Any], made: Document, change: Document) -> Document:
    body = BulkSet(ids=[made["id"]], values=change, atomic=True)
    await records.run_bulk_set(call, kind, body)
    return await read(call, kind, made)


async def by_bulk(call: Call, kind: RecordType[Any], made: Document, change: Document) -> Document:
    kept = {name: value for name, value in made.items() if name not in UNSENT}
    operation = BulkOperation(op="save", record={"pin": "12345"} | kept | change)
    await records.run_bulk(call, kind, Bulk(operations=[operation], atomic=True))
    return await read(call, kind, made)


ROUTES: dict[str, Write] = {
    "save": by_save, "patch": by_patch, "set": by_set, "bulk": by_bulk, "bulk set": by_bulk_set,
}  # fmt: skip


@pytest.fixture(params=ROUTES)
def write(request: pytest.FixtureRequest) -> Write:
    """Each route that changes a record: ``write(call, kind, record, {name: value})``."""
    return ROUTES[request.param]


async def read(call: Call, kind: RecordType[Any], made: Document) -> Document:
    found: Document = json.loads((await records.get_by_id(call, kind, made["id"], None)).body)
    return found


async def as_stored(call: Call, kind: RecordType[Any], made: Document) -> Document:
    """With the members that the answer lacks."""
    access = as_service(kind, call.database)
    return await call.service.store.find_one(access, by_id(made["id"])) or {}


async def test_calculated_fields_are_made_anew(caller: Caller, write: Write) -> None:
    call = as_caller(caller)
    made = await save(call, PARCEL, {"weight": "1.5", "title": "forged"})
    assert (made["title"], made["total"]) == ("Lamp", "3.0")
    changed = await write(call, PARCEL, made, {"label": "Clock", "weight": 2})
    assert (changed["title"], changed["total"], changed["version"]) == ("Clock", "4.0", 2)


async def test_a_calculated_value_that_does_not_fit_is_refused(caller: Caller, write: Write) -> None:
    call = as_caller(caller)
    made = await save(call, PARCEL, {"weight": "1.5"})
    with pytest.raises(ValidationFailed, match="total"):
        await write(call, PARCEL, made, {"weight": 51})
    assert await read(call, PARCEL, made) == made


async def test_a_hidden_calculated_value_goes_when_there_is_none(
    caller: Caller, write: Write, mongo_client: Client, realm: str
) -> None:
    calculated = {"seenBy": "seen"}
    kind = replace(PARCEL, hidden=PARCEL.hidden | {"seenBy"}, calculated=calculated, constraints=())
    call = as_caller(caller, kind)
    made = await save(call, kind, {"urgent": True})
    stored = mongo_client[realm]["parcels"].find_one({"refName": made["refName"]}) or {}
    assert stored["seenBy"] == "customs"
    await write(call, kind, made, {"urgent": False})
    stored = mongo_client[realm]["parcels"].find_one({"refName": made["refName"]}) or {}
    assert "seenBy" not in stored
    assert stored["pin"] == "12345"


async def test_constraints_hold_for_the_whole_record(caller: Caller, write: Write) -> None:
    call = as_caller(caller)
    with pytest.raises(ValidationFailed, match="only when urgent"):
        await save(call, PARCEL, {"count": 200})
    made = await save(call, PARCEL, {"count": 200, "urgent": True})
    with pytest.raises(ValidationFailed, match="only when urgent"):
        await write(call, PARCEL, made, {"urgent": False})
    assert await read(call, PARCEL, made) == made


async def test_a_lenient_type_stores_what_is_wrong_and_says_so(caller: Caller, write: Write) -> None:
    call = as_caller(caller, LENIENT)
    made = await save(call, LENIENT, {"count": 200, "weight": "80"})
    changed = await write(call, LENIENT, made, {"label": "x"})
    stored = await as_stored(call, LENIENT, made)
    assert stored["invalid"] is True
    assert {one["path"] for one in stored["violations"]} == {"label", "count", "total"}
    mended = await write(call, LENIENT, changed, {"label": "Lamp", "count": 1, "weight": 1})
    stored = await as_stored(call, LENIENT, mended)
    assert not {"invalid", "violations"} & stored.keys()


async def test_a_field_that_is_checked_with_a_withheld_one_does_not_change(
    caller: Caller, write: Write
) -> None:
    """``count:<100 || urgent:true`` would say whether a parcel is urgent."""
    made = await save(as_caller(caller), PARCEL, {})
    hides = Rule("no urgency", identity="user", domain="parcel", hidden=frozenset({"urgent"}))
    call = as_caller(caller, PARCEL, hides)
    with pytest.raises(ValidationFailed, match="count: cannot change: it is checked together with"):
        await write(call, PARCEL, made, {"count": 8})


async def test_that_an_older_record_breaks_a_constraint_over_a_withheld_field_is_not_revealed(
    caller: Caller, write: Write, mongo_client: Client, realm: str
) -> None:
    made = await save(as_caller(caller), PARCEL, {"count": 90}) | {"count": 200}
    mongo_client[realm]["parcels"].update_one({"refName": made["refName"]}, {"$set": {"count": 200}})
    with pytest.raises(ValidationFailed, match="only when urgent"):
        await write(as_caller(caller), PARCEL, made, {"label": "Clock"})
    hides = Rule("no urgency", identity="user", domain="parcel", hidden=frozenset({"urgent"}))
    changed = await write(as_caller(caller, PARCEL, hides), PARCEL, made, {"label": "Clock"})
    assert (changed["label"], changed["count"]) == ("Clock", 200)


async def test_what_is_withheld_stays_and_cannot_be_named(caller: Caller) -> None:
    place = {"city": "Rome", "street": "1 Road"}
    made = await save(as_caller(caller), PARCEL, {"place": place, "code": "C"})
    call = as_caller(caller, PARCEL, WITHHELD)
    for change in ({"code": "D"}, {"place.street": "2 Road"}):
        for route in (by_set, by_bulk_set):
            with pytest.raises(ServiceError) as caught:
                await route(call, PARCEL, made, change)
            assert (caught.value.status, caught.value.code) == (400, "field.unknown")
    with pytest.raises(ServiceError, match=r"place\.street"):
        await by_patch(call, PARCEL, made, {"place": {"street": "2 Road"}})
    await by_patch(call, PARCEL, made, {"label": "Clock", "place": {"city": "Oslo"}})
    found = await read(as_caller(caller), PARCEL, made)
    assert (found["place"], found["code"], found["label"]) == (
        {"city": "Oslo", "street": "1 Road"}, "C", "Clock",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["save", "patch", "set", "bulk", "bulk set"])
async def test_an_object_is_not_cleared_around_what_is_withheld(caller: Caller, name: str) -> None:
    made = await save(as_caller(caller), PARCEL, {"place": {"city": "Rome", "street": "1 Road"}})
    bare = await save(as_caller(caller), PARCEL, {"place": {"city": "Rome"}})
    call = as_caller(caller, PARCEL, WITHHELD)
    for record in (made, bare):  # the same answer, whether the withheld street is there or not
        with pytest.raises(ValidationFailed, match="place: cannot be cleared"):
            await ROUTES[name](call, PARCEL, record, {"place": None})
        assert await read(as_caller(caller), PARCEL, record) == record


async def test_references_are_looked_up_where_they_change(caller: Caller, write: Write) -> None:
    """An id that the record has in another field is not one that the caller may see."""
    references = (Reference("customer", "Customer"), Reference("carriers[]", "Customer"))
    kind = replace(PARCEL, references=references, constraints=())
    call = as_caller(caller, kind)
    customer = CATALOG["Customer"]
    one, two = [
        json.loads((await records.save(call, customer, customer.input(name=name))).body)
        for name in ("A", "B")
    ]
    made = await save(call, kind, {"customer": {"entityId": one["id"]}})
    assert made["customer"]["entityDisplayName"] == "A"
    for gone in (one, two):
        await records.delete_by_id(call, customer, gone["id"])
    changed = await write(call, kind, made, {"label": "Clock"})
    assert changed["customer"] == made["customer"]
    for record_id in (one["id"], two["id"]):
        with pytest.raises(ServiceError) as caught:
            await by_patch(call, kind, made, {"carriers": [{"entityId": record_id}]})
        assert caught.value.code == "reference.missing"


async def test_who_archives_by_a_write_needs_leave_to_delete(caller: Caller, write: Write) -> None:
    kind = replace(PARCEL, on_delete="archive")
    made = await save(as_caller(caller, kind), kind, {})
    with pytest.raises(Denied):
        await write(as_caller(caller, kind, NO_DELETE), kind, made, {"activeStatus": "ARCHIVED"})
    changed = await write(as_caller(caller, kind), kind, made, {"activeStatus": "ARCHIVED"})
    assert changed["activeStatus"] == "ARCHIVED"
    back = json.loads((await records.restore(as_caller(caller, kind, NO_DELETE), kind, made["id"])).body)
    assert back["activeStatus"] == "ACTIVE"
    with pytest.raises(NotArchived):
        await records.restore(as_caller(caller, kind), kind, made["id"])


async def test_a_stored_record_without_a_domain_is_refused_as_any(caller: Caller) -> None:
    stored = {"_id": ObjectId(), "refName": "P-1"}
    with pytest.raises(Denied):
        await prepare_deletion(as_caller(caller), PARCEL, stored, is_bound=False)


async def test_a_lenient_record_that_is_restored_stays_marked(caller: Caller) -> None:
    kind = replace(LENIENT, on_delete="archive")
    call = as_caller(caller, kind)
    made = await save(call, kind, {"label": "x"})
    await records.delete_by_id(call, kind, made["id"])
    await records.restore(call, kind, made["id"])
    stored = await as_stored(call, kind, made)
    assert (stored["activeStatus"], stored["invalid"]) == ("ACTIVE", True)


@pytest.mark.parametrize("change", [{"label": "Clock"}, {"count": 9, "weight": "2.50"}], ids=str)
async def test_what_is_answered_is_stored_and_what_is_hidden_stays(
    change: Document, caller: Caller, write: Write, mongo_client: Client, realm: str
) -> None:
    call = as_caller(caller)
    place = {"city": "Porto", "alarmCode": "A-1"}
    made = await save(call, PARCEL, {"weight": "1.5", "place": place, "note": "n", "tags": ["a"]})
    changed = await write(call, PARCEL, made, change)
    stored = mongo_client[realm]["parcels"].find_one({"refName": made["refName"]}) or {}
    assert (stored["pin"], stored["note"], stored["place"]["alarmCode"]) == ("12345", "n", "A-1")
    assert await read(call, PARCEL, made) == changed == changed | change | {"version": 2}
    assert changed.keys() == made.keys()


async def test_names_that_are_looked_up_anew_are_stored(
    caller: Caller, mongo_client: Client, realm: str
) -> None:
    """As they are of a record that goes to another tenant, though its patch does not speak of them."""
    kind = replace(PARCEL, references=(Reference("customer", "Customer"),), constraints=())
    call = as_caller(caller, kind)
    customer = CATALOG["Customer"]
    one = json.loads((await records.save(call, customer, customer.input(name="A"))).body)
    made = await save(call, kind, {"customer": {"entityId": one["id"]}})
    parcels = mongo_client[realm]["parcels"]
    parcels.update_one({}, {"$set": {"customer.entityDisplayName": "stale"}})
    operator = replace(call, principal=replace(call.principal, roles=frozenset({"system"})))
    moved = await by_patch(operator, kind, made, {"dataDomain": {"tenantId": "globex"}})
    stored = parcels.find_one() or {}
    assert moved["dataDomain"]["tenantId"] == stored["dataDomain"]["tenantId"] == "globex"
    assert moved["customer"]["entityDisplayName"] == stored["customer"]["entityDisplayName"] == "A"


class TestUnseenFields:
    """Required fields that the caller does not see, in a full save."""

    CITY = Rule("no city", identity="user", domain="parcel", hidden=frozenset({"label", "place.city"}))

    async def save(self, call: Call, kind: RecordType[Any], body: Document) -> Document:
        sent = read_input(kind, json.dumps(body).encode(), unseen_fields(call, kind))
        answer: Document = json.loads((await records.save(call, kind, sent)).body)
        return answer

    async def test_keep_their_stored_value(self, caller: Caller, mongo_client: Client, realm: str) -> None:
        place = {"city": "Rome", "street": "1 Road"}
        made = await save(as_caller(caller), PARCEL, {"place": place})
        body = {"id": made["id"], "count": 3, "place": {"street": "2 Road"}}
        changed = await self.save(as_caller(caller, PARCEL, self.CITY), PARCEL, body)
        stored = mongo_client[realm]["parcels"].find_one({"refName": made["refName"]}) or {}
        assert (stored["pin"], stored["label"], stored["count"]) == ("12345", "Lamp", 3)
        assert stored["place"] == {"city": "Rome", "street": "2 Road"}
        assert changed["version"] == 2
        assert changed.keys().isdisjoint({"label", "pin"})

    async def test_are_needed_for_a_new_record(self, caller: Caller) -> None:
        for body in ({"label": "Lamp"}, {"id": "5" * 24, "label": "Lamp"}):
            with pytest.raises(ValidationFailed, match="pin: Field required"):
                await self.save(as_caller(caller), PARCEL, body)

    async def test_are_needed_for_an_object_that_the_record_lacks(self, caller: Caller) -> None:
        made = await save(as_caller(caller), PARCEL, {})
        body = {"id": made["id"], "place": {"street": "2 Road"}}
        with pytest.raises(ValidationFailed, match=r"place\.city: Field required"):
            await self.save(as_caller(caller, PARCEL, self.CITY), PARCEL, body)
        assert await read(as_caller(caller), PARCEL, made) == made

    async def test_mark_a_lenient_record_that_lacks_them(self, caller: Caller) -> None:
        call = as_caller(caller, LENIENT, self.CITY)
        made = await self.save(call, LENIENT, {"count": 3})
        for body in ({}, {"count": 4}):
            await self.save(call, LENIENT, {"id": made["id"]} | body)
            stored = await as_stored(call, LENIENT, made)
            assert [one["path"] for one in stored["violations"]] == ["label"]
        await by_patch(as_caller(caller, LENIENT), LENIENT, made, {"label": "Lamp"})
        await self.save(call, LENIENT, {"id": made["id"], "count": 5})
        assert "violations" not in await as_stored(call, LENIENT, made)
