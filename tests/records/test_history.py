"""A revision for each write of an audited record, in one transaction with it; and who may read them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

import orjson
import pytest
from pymongo import MongoClient

from runtime import records
from runtime.call import Call
from runtime.contract.history import HistoryParameters
from runtime.contract.writes import Bulk, BulkOperation
from runtime.errors import Denied, NotFound, ServiceError
from runtime.permissions import Rule
from runtime.principal import DomainContext, Identity, OnBehalfOf
from runtime.records.document.terms import Terms
from tests.records.conftest import Caller
from tests.records.crates import CRATE, CrateInput, crate

pytestmark = pytest.mark.anyio

Document = dict[str, Any]
Client = MongoClient[Document]

ADMIN = frozenset({"admin"})


async def save(call: Call, terms: Terms | None = None, **members: Any) -> Document:
    answer = await records.save(call, CRATE, crate(**members), terms or Terms())
    found: Document = orjson.loads(answer.body)
    return found


async def history(call: Call, record_id: str, **query: Any) -> Document:
    answer = await records.get_history(call, CRATE, record_id, HistoryParameters(**query))
    page: Document = orjson.loads(answer.body)
    return page


def changes(row: Document) -> dict[str, Any]:
    """Path → (before, after) of what is told with values."""
    return {
        one["path"]: (one.get("before"), one.get("after")) for one in row["changes"] if "hidden" not in one
    }


async def test_a_life(caller: Caller) -> None:
    call = caller(roles=ADMIN)
    packed = datetime(2026, 3, 27, 4, 12, 14, 118000, tzinfo=UTC)
    made = await save(call, content="tulips", weight=Decimal("1.50"), tags=["a"], extra={"x": {"y": 1}})
    await save(
        replace(call, request_id="request-2"), id=made["id"], content="roses", weight=Decimal("1.50"),
        tags=["a", "b"], extra={"x": {"y": 2}}, packedAt=packed,
    )  # fmt: skip
    await records.delete_by_id(replace(call, request_id="request-3"), CRATE, made["id"])
    page = await history(call, made["id"], count="exact")
    assert {k: page[k] for k in ("offset", "limit", "rowCount", "totalCount")} == {
        "offset": 0, "limit": 50, "rowCount": 3, "totalCount": 3,
    }  # fmt: skip
    gone, changed, new = page["rows"]
    assert [(row["version"], row["action"], row["requestId"]) for row in (new, changed, gone)] == [
        (1, "CREATE", "request-1"), (2, "UPDATE", "request-2"), (3, "DELETE", "request-3"),
    ]  # fmt: skip
    assert {(row["userId"], row["subject"]) for row in page["rows"]} == {("ann@acme", "s-ann-acme")}
    assert new["date"] == made["auditInfo"]["createdDate"]
    assert changes(new).items() >= {
        "content": (None, "tulips"), "weight": (None, "1.50"), "extra.x.y": (None, 1),
        "dataDomain.tenantId": (None, "acme"), "refName": (None, made["refName"]),
    }.items()  # fmt: skip
    assert changes(changed) == {
        "content": ("tulips", "roses"), "tags": (["a"], ["a", "b"]), "extra.x.y": (1, 2),
        "packedAt": (None, "2026-03-27T04:12:14.118Z"),
    }  # fmt: skip
    assert changes(gone).items() >= {"content": ("roses", None), "weight": ("1.50", None)}.items()


async def test_pages(caller: Caller) -> None:
    call = caller()
    made = await save(call, content="0")
    for number in range(1, 5):
        await save(call, id=made["id"], content=str(number))
    page = await history(call, made["id"], skip=1, limit=2)
    assert [row["version"] for row in page["rows"]] == [4, 3]
    assert "totalCount" not in page
    assert (await history(call, made["id"], skip=9))["rows"] == []


async def test_archived_and_restored(caller: Caller) -> None:
    call = caller()
    made = await save(call, content="x")
    await save(call, id=made["id"], content="x", activeStatus="ARCHIVED")
    await save(call, id=made["id"], content="y", activeStatus="ARCHIVED")
    await save(call, id=made["id"], content="y", activeStatus="ACTIVE")
    page = await history(call, made["id"])
    assert [row["action"] for row in page["rows"]] == ["RESTORE", "UPDATE", "ARCHIVE", "CREATE"]


async def test_hidden_fields_are_named_and_not_told(caller: Caller, mongo_client: Client, realm: str) -> None:
    call = caller()
    made = await save(call, seal="hush-1", mark={"text": "t", "secret": "hush-2"})
    await save(call, id=made["id"], mark={"text": "t"})
    await records.save(call, CRATE, CrateInput(id=made["id"], seal=None))
    rows = (await history(call, made["id"]))["rows"]
    hidden = [[one["path"] for one in row["changes"] if one.get("hidden")] for row in rows]
    assert hidden == [["seal"], [], ["mark.secret", "seal"]]
    stored = list(mongo_client[realm]["revisions"].find())
    assert len(stored) == 3
    assert "hush" not in str(stored)


async def test_who_acted_for_whom(caller: Caller) -> None:
    call = caller()
    boss = Identity("bob", "s-bob", "main", ADMIN, DomainContext("acme", "main"))
    principal = replace(call.principal, impersonator=boss, on_behalf_of=OnBehalfOf(user_id="eve"))
    made = await save(replace(call, principal=principal), content="x")
    (row,) = (await history(call, made["id"]))["rows"]
    told = {"impersonatorUserId": "bob", "impersonatorSubject": "s-bob", "actingOnBehalfOfUserId": "eve"}
    assert row.items() >= told.items()
    assert "actingOnBehalfOfSubject" not in row


async def test_a_write_that_fails_leaves_no_revision(
    caller: Caller, mongo_client: Client, realm: str
) -> None:
    call = caller()
    made = await save(call, content="x", refName="one")
    await make_names_unique(mongo_client, realm)
    with pytest.raises(ServiceError):
        await save(call, content="y", refName="one")
    await save(call, Terms(is_dry_run=True), content="z", id=made["id"])
    assert mongo_client[realm]["revisions"].count_documents({}) == 1


async def make_names_unique(client: Client, realm: str) -> None:
    """Records of a bare realm may share names; this one's may not."""
    await asyncio.to_thread(
        client[realm]["crates"].create_index, [("dataDomain.tenantId", 1), ("refName", 1)], unique=True
    )


async def test_racing_writers_leave_one_revision_a_version(caller: Caller) -> None:
    call = caller()
    made = await save(call, content="0")
    done = await asyncio.gather(
        *(save(call, id=made["id"], content=str(number)) for number in range(1, 9)), return_exceptions=True
    )
    written = [one for one in done if isinstance(one, dict)]
    assert all(isinstance(one, dict | ServiceError) for one in done)
    page = await history(call, made["id"])
    assert [row["version"] for row in page["rows"]] == list(range(len(written) + 1, 0, -1))
    told = [changes(row)["content"] for row in reversed(page["rows"])]
    assert all(after == before for (_old, after), (before, _new) in pairwise(told))


async def test_bulk(caller: Caller, mongo_client: Client, realm: str) -> None:
    call = caller()
    made = await save(call, content="old")
    operations = [
        BulkOperation(op="save", record={"content": "a"}),
        BulkOperation(op="save", record={"content": "b"}),
        BulkOperation(op="save", record={"id": made["id"], "content": "new"}),
        BulkOperation(op="delete", id=made["id"]),
    ]
    for atomic in (True, False):
        await records.run_bulk(call, CRATE, Bulk(operations=operations, atomic=atomic))
    actions = [row["action"] for row in mongo_client[realm]["revisions"].find(sort=[("_id", 1)])]
    first, second = actions[1:5], actions[5:]
    assert first == ["CREATE", "CREATE", "UPDATE", "DELETE"]
    assert second == ["CREATE"] * 3  # its id is taken for none by now, and there is nothing to delete


class TestWhoMayRead:
    async def test_another_tenant_finds_nothing(self, caller: Caller) -> None:
        made = await save(caller(), content="x")
        for other in (caller("globex"), caller("globex", roles=ADMIN)):
            with pytest.raises(NotFound):
                await history(other, made["id"])

    async def test_another_organisation_finds_nothing(self, caller: Caller) -> None:
        north, south = (caller(org_ref_name=name, roles=ADMIN) for name in ("north", "south"))
        made = await save(north, content="x")
        await records.delete_by_id(north, CRATE, made["id"])
        assert (await history(north, made["id"]))["rowCount"] == 2
        with pytest.raises(NotFound):
            await history(south, made["id"])

    async def test_nobody_without_leave_to_view(self, caller: Caller) -> None:
        made = await save(caller(), content="x")
        with pytest.raises(Denied):
            await history(caller(roles=frozenset({"auditor"})), made["id"])

    async def test_withheld_fields_are_left_out(self, caller: Caller) -> None:
        rule = Rule("no content", identity="user", domain="crate", hidden=frozenset({"content", "extra.x"}))
        made = await save(caller(), content="x", tags=["t"], extra={"x": 1, "y": 2})
        (row,) = (await history(caller(rules=(rule,)), made["id"]))["rows"]
        assert changes(row).keys().isdisjoint({"content", "extra.x"})
        assert changes(row).items() >= {"tags": (None, ["t"]), "extra.y": (None, 2)}.items()

    async def test_of_a_record_that_rules_withhold_there_is_none(self, caller: Caller) -> None:
        """To an administrator as well: it is there, so its history is not that of a removed one."""
        rule = Rule(
            "not the red ones", allows=False, priority=50, domain="crate", action="VIEW", filter="content:red"
        )
        red, blue = [await save(caller(), content=content) for content in ("red", "blue")]
        for call in (caller(rules=(rule,)), caller(rules=(rule,), roles=ADMIN)):
            assert (await history(call, blue["id"]))["rowCount"] == 1
            with pytest.raises(NotFound):
                await history(call, red["id"])

    async def test_of_a_removed_record_administrators(self, caller: Caller) -> None:
        made = await save(caller(), content="x")
        await records.delete_by_id(caller(), CRATE, made["id"])
        assert (await history(caller(roles=ADMIN), made["id"]))["rowCount"] == 2
        rule = Rule("by content", allows=False, priority=50, domain="crate", filter="content:red")
        for call in (caller(), caller(roles=ADMIN, rules=(rule,)), caller("globex", roles=ADMIN)):
            with pytest.raises(NotFound):
                await history(call, made["id"])

    @pytest.mark.parametrize("record_id", ["0" * 24, "xyz"])
    async def test_of_no_record_nobody(self, caller: Caller, record_id: str) -> None:
        with pytest.raises(NotFound):
            await history(caller(roles=ADMIN), record_id)
