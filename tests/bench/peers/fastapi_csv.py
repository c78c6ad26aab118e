"""The hand-written application with its files: CSV out as a stream, CSV in as upserts in bulk.

``StreamingResponse`` and ``Request.body`` as FastAPI's documentation tells, ``csv`` of the standard library, a
projection and ``bulk_write`` as PyMongo's tells. The file is the body, which costs less than a form. Each row is checked by a Pydantic class, bound to the tenant
and stamped. What is not here because hand-written ones have none of it: errors with advice, states, rules,
formula guard, and a comparison with what is stored: a row is always a write.
"""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO
from typing import Annotated, Any

from bson import Decimal128, ObjectId
from fastapi import Request
from fastapi.responses import StreamingResponse
from fastapi_pymongo import STATE, CurrentUser, Model, User, app
from pydantic import Field, ValidationError
from pymongo import UpdateOne

TOGETHER = 1000
COLUMNS = {
    "refName": 1, "status": 1, "customer.entityRefName": 1, "origin.entityRefName": 1,
    "destination.entityRefName": 1, "weightKg": 1, "departsAt": 1, "notes": 1,
}  # fmt: skip


class ProductRow(Model):
    """A row of a file."""

    ref_name: Annotated[str, Field(min_length=1, max_length=200)]
    sku: Annotated[str, Field(pattern="^[A-Z0-9-]{3,40}$")]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    price: Annotated[Decimal, Field(ge=0)]
    weight_kg: Annotated[Decimal, Field(ge=0)] | None = None
    details: Annotated[str, Field(max_length=5000)] | None = None


@app.get("/shipments.csv")
async def export_shipments(user: CurrentUser) -> StreamingResponse:
    """The shipments of the tenant as a file."""
    match = {"dataDomain.tenantId": user.tenant_id}
    found = STATE["db"].shipments.find(match, {**COLUMNS, "_id": 0}).sort("_id", 1)
    return StreamingResponse(_lines(found), media_type="text/csv")


async def _lines(found: Any) -> AsyncIterator[str]:
    out = StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    number = 0
    async for row in found:
        departs, weight = row.get("departsAt"), row.get("weightKg")
        writer.writerow(
            (
                row["refName"],
                row["status"],
                row["customer"]["entityRefName"],
                row["origin"]["entityRefName"],
                row["destination"]["entityRefName"],
                weight.to_decimal() if weight is not None else "",
                departs.isoformat(timespec="milliseconds") if departs is not None else "",
                row.get("notes"),
            )
        )
        number += 1
        if number % TOGETHER == 0 or number == 100:  # the first soon
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


@app.post("/products/csv")
async def import_products(user: CurrentUser, request: Request) -> dict[str, int]:
    """Insert what is new, change what is there; rows that are wrong are counted and left out."""
    counts = {"importedCount": 0, "failedCount": 0}
    waiting: list[UpdateOne] = []
    file = StringIO((await request.body()).decode("utf-8-sig"), newline="")
    for row in csv.DictReader(file):
        try:
            checked = ProductRow.model_validate({name: cell for name, cell in row.items() if cell})
        except ValidationError:
            counts["failedCount"] += 1
            continue
        waiting.append(_upsert(checked, user))
        if len(waiting) == TOGETHER:
            counts["importedCount"] += await _write(waiting)
            waiting = []
    if waiting:
        counts["importedCount"] += await _write(waiting)
    return counts


def _upsert(row: ProductRow, user: User) -> UpdateOne:
    now = datetime.now(UTC)
    document = row.model_dump(by_alias=True, exclude_none=True)
    for name in ("price", "weightKg"):
        if name in document:
            document[name] = Decimal128(document[name])
    stamp = {"auditInfo.lastUpdatedBy": user.user_id, "auditInfo.lastUpdatedDate": now}
    first = {
        "_id": ObjectId(),
        "activeStatus": "ACTIVE",
        "dataDomain.ownerId": user.user_id,
        "dataDomain.dataSegment": 0,
        "auditInfo.createdBy": user.user_id,
        "auditInfo.createdDate": now,
    }
    shown = {"displayName": row.name, "label": f"{row.name} ({row.sku})"}
    return UpdateOne(
        {"dataDomain.tenantId": user.tenant_id, "refName": row.ref_name},
        {"$set": document | shown | stamp, "$setOnInsert": first, "$inc": {"version": 1}},
        upsert=True,
        hint=[("dataDomain.tenantId", 1), ("refName", 1)],
    )


async def _write(waiting: list[UpdateOne]) -> int:
    done = await STATE["db"].products.bulk_write(waiting, ordered=False)
    return int(done.upserted_count + done.matched_count)
