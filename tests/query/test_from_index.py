"""What MongoDB reads from an index alone has null for what is absent: an expansion must not take it for a reference."""

from __future__ import annotations

import orjson
from bson import ObjectId

from runtime.contract.pages import FindBody
from runtime.query import plan_query, run_plan
from tests.query.ward import Document, Ward
from tests.query.wards import CLINIC, DOCTOR


def record(**fields: object) -> Document:
    record_id = ObjectId()
    return {
        "_id": record_id, "refName": str(record_id), "displayName": "x", "version": 1, "activeStatus": "ACTIVE",
        "auditInfo": {}, "dataDomain": {"tenantId": "acme", "dataSegment": 0}, **fields,
    }  # fmt: skip


def test_a_reference_that_is_not_set_stays_absent(ward: Ward) -> None:
    clinics = [record(town="Bern") for _ in range(200)]
    ward.store(CLINIC, clinics)
    ward.store(DOCTOR, [record(clinic={"entityId": one["_id"]}) for one in clinics])
    call = ward.call()
    for text in (
        "expand(clinic, fields:[+dataDomain.tenantId]) && expand(clinic.head)",
        "expand(clinic.head) && expand(clinic, fields:[+id])",
    ):
        page = ward.run(run_plan(call, plan_query(call, DOCTOR, text), FindBody(limit=1000)))
        assert all("head" not in row["clinic"] for row in orjson.loads(page.body)["rows"])
    plan = plan_query(call, CLINIC, "head.entityId:null && fields:[+dataDomain.tenantId] && expand(head)")
    page = ward.run(run_plan(call, plan, FindBody(limit=1000, sort="head.entityId")))
    rows = orjson.loads(page.body)["rows"]
    assert len(rows) == 200
    assert all("head" not in row for row in rows)
