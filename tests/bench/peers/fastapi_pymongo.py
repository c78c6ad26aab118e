"""A hand-written FastAPI application on PyMongo's asynchronous client, as the two documentations tell.

Response models, strict input models, a bearer token checked in a dependency, every query bound to the
caller's tenant. ``check=false`` on the insert leaves out the look-up of references, which most hand-written
services do without.
"""

from __future__ import annotations

import os
from asyncio import gather
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from bson import Decimal128, ObjectId
from caller import CurrentUser, User
from fastapi import FastAPI, HTTPException, Query, Response
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pymongo import AsyncMongoClient, ReturnDocument

STATE: dict[str, Any] = {}


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    """The client lives as long as the application."""
    async with AsyncMongoClient[dict[str, Any]](os.environ["BENCH_MONGODB"], tz_aware=True) as client:
        STATE["db"] = client[os.environ["BENCH_DATABASE"]]
        yield


app = FastAPI(lifespan=lifespan)


PyObjectId = Annotated[str, BeforeValidator(str)]
Amount = Annotated[
    Decimal, BeforeValidator(lambda value: value.to_decimal() if isinstance(value, Decimal128) else value)
]


class Model(BaseModel):
    """camelCase on the wire and in the store."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


class Reference(Model):
    """A pointer to another record, with copies of its names."""

    entity_id: PyObjectId
    entity_type: str | None = None
    entity_ref_name: str | None = None
    entity_display_name: str | None = None


class Line(Model):
    """One line of a shipment."""

    sku: Annotated[str, Field(pattern="^[A-Z0-9-]+$")]
    quantity: Annotated[int, Field(ge=1)]


class DataDomain(Model):
    """Whose record it is."""

    tenant_id: str
    owner_id: str
    data_segment: int = 0


class AuditInfo(Model):
    """Who wrote it and when."""

    created_by: str
    created_date: datetime
    last_updated_by: str
    last_updated_date: datetime


class ShipmentInput(Model):
    """What a caller sends."""

    status: Literal["BOOKED", "IN_TRANSIT", "DELIVERED", "LOST", "CANCELLED"] = "BOOKED"
    customer: Reference
    carrier: Reference | None = None
    origin: Reference
    destination: Reference
    weight_kg: Annotated[Amount, Field(ge=0)] | None = None
    departs_at: AwareDatetime | None = None
    arrives_at: AwareDatetime | None = None
    notes: Annotated[str, Field(max_length=2000)] | None = None
    lines: Annotated[list[Line], Field(max_length=500)] | None = None


class ShipmentPatch(Model):
    """What a caller sends to change some fields."""

    status: Literal["BOOKED", "IN_TRANSIT", "DELIVERED", "LOST", "CANCELLED"] | None = None
    customer: Reference | None = None
    carrier: Reference | None = None
    origin: Reference | None = None
    destination: Reference | None = None
    weight_kg: Annotated[Amount, Field(ge=0)] | None = None
    departs_at: AwareDatetime | None = None
    arrives_at: AwareDatetime | None = None
    notes: Annotated[str, Field(max_length=2000)] | None = None
    lines: Annotated[list[Line], Field(max_length=500)] | None = None


SENDABLE = [to_camel(name) for name in ShipmentInput.model_fields]


class Shipment(ShipmentInput):
    """What a caller reads."""

    id: Annotated[PyObjectId, Field(alias="_id")]
    ref_name: str
    display_name: str
    active_status: str
    version: int
    data_domain: DataDomain
    audit_info: AuditInfo


class Page(Model):
    """A page of a list."""

    offset: int
    limit: int
    rows: list[Shipment]


@app.get("/shipments", response_model=Page)
async def list_shipments(
    user: CurrentUser,
    state: Annotated[str, Query(alias="status")],
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Any:
    """The shipments of the tenant in one state, the latest departure first."""
    found = STATE["db"].shipments.find({"dataDomain.tenantId": user.tenant_id, "status": state})
    rows = await found.sort("departsAt", -1).skip(offset).limit(limit).to_list()
    return {"offset": offset, "limit": limit, "rows": rows}


class Customer(Model):
    """What a customer is read as."""

    id: Annotated[PyObjectId, Field(alias="_id")]
    ref_name: str
    display_name: str
    name: str
    active_status: str
    version: int
    data_domain: DataDomain
    audit_info: AuditInfo


class ExpandedShipment(Shipment):
    """A shipment with its customer."""

    customer: Customer | None


class ExpandedPage(Model):
    """A page of these."""

    offset: int
    limit: int
    rows: list[ExpandedShipment]


@app.get("/shipments-expanded", response_model=ExpandedPage)
async def list_expanded(
    user: CurrentUser,
    state: Annotated[str, Query(alias="status")],
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Any:
    """The same list with the customers of the tenant, by ``$lookup`` as MongoDB's documentation tells."""
    customers = {
        "from": "customers",
        "localField": "customer.entityId",
        "foreignField": "_id",
        "pipeline": [{"$match": {"dataDomain.tenantId": user.tenant_id}}],
        "as": "customer",
    }
    stages = [
        {"$match": {"dataDomain.tenantId": user.tenant_id, "status": state}},
        {"$sort": {"departsAt": -1}},
        {"$skip": offset},
        {"$limit": limit},
        {"$lookup": customers},
        {"$set": {"customer": {"$first": "$customer"}}},
    ]
    cursor = await STATE["db"].shipments.aggregate(stages)
    return {"offset": offset, "limit": limit, "rows": await cursor.to_list()}


@app.get("/shipments/{shipment_id}", response_model=Shipment)
async def get_shipment(user: CurrentUser, shipment_id: str) -> Any:
    """One shipment of the tenant."""
    if ObjectId.is_valid(shipment_id):
        wanted = {"_id": ObjectId(shipment_id), "dataDomain.tenantId": user.tenant_id}
        if (found := await STATE["db"].shipments.find_one(wanted)) is not None:
            return found
    raise HTTPException(404, f"Shipment {shipment_id} not found")


@app.post("/shipments", response_model=Shipment, status_code=201)
async def add_shipment(user: CurrentUser, body: ShipmentInput, response: Response, check: bool = True) -> Any:
    """Insert, with tenant, audit and, unless told otherwise, references that must exist."""
    document = body.model_dump(by_alias=True, exclude_none=True)
    await _resolve(document, user, check)
    now = datetime.now(UTC)
    audit = {"createdBy": user.user_id, "createdDate": now, "lastUpdatedBy": user.user_id}
    key = ObjectId()
    document |= {
        "_id": key,
        "refName": str(key),
        "displayName": str(key),
        "activeStatus": "ACTIVE",
        "version": 1,
        "dataDomain": {"tenantId": user.tenant_id, "ownerId": user.user_id, "dataSegment": 0},
        "auditInfo": audit | {"lastUpdatedDate": now},
    }
    if "weightKg" in document:
        document["weightKg"] = Decimal128(document["weightKg"])
    await STATE["db"].shipments.insert_one(document)
    response.headers["Location"] = f"/shipments/{key}"
    return document


@app.patch("/shipments/{shipment_id}", response_model=Shipment)
async def change_shipment(user: CurrentUser, shipment_id: str, body: ShipmentPatch) -> Any:
    """Partial update, as FastAPI's tutorial tells: what was sent on what is stored, checked as a whole."""
    key = ObjectId(shipment_id) if ObjectId.is_valid(shipment_id) else None
    wanted = {"_id": key, "dataDomain.tenantId": user.tenant_id}
    stored = await STATE["db"].shipments.find_one(wanted)
    if stored is None:
        raise HTTPException(404, f"Shipment {shipment_id} not found")
    sent = body.model_dump(by_alias=True, exclude_unset=True)
    try:
        ShipmentInput.model_validate({name: stored[name] for name in SENDABLE if name in stored} | sent)
    except ValidationError as error:
        raise HTTPException(422, error.errors(include_url=False, include_input=False)) from None
    await _resolve(sent, user, check=True)
    if sent.get("weightKg") is not None:
        sent["weightKg"] = Decimal128(sent["weightKg"])
    stamp = {"auditInfo.lastUpdatedBy": user.user_id, "auditInfo.lastUpdatedDate": datetime.now(UTC)}
    change = {"$set": sent | stamp, "$inc": {"version": 1}}
    return await STATE["db"].shipments.find_one_and_update(
        wanted, change, return_document=ReturnDocument.AFTER
    )


async def _resolve(document: dict[str, Any], user: User, check: bool) -> None:
    """Object ids for references and, with ``check``, the names of what they point to: one query a type."""
    wanted = {"customers": ["customer"], "carriers": ["carrier"], "airports": ["origin", "destination"]}
    present = {name: [path for path in paths if document.get(path)] for name, paths in wanted.items()}
    for path in (path for paths in present.values() for path in paths):
        document[path]["entityId"] = ObjectId(document[path]["entityId"])
    if check:
        await gather(
            *(
                _fill(name, [document[path] for path in paths], user)
                for name, paths in present.items()
                if paths
            )
        )


async def _fill(collection: str, references: list[dict[str, Any]], user: User) -> None:
    ids = [reference["entityId"] for reference in references]
    match = {"_id": {"$in": ids}, "dataDomain.tenantId": user.tenant_id}
    cursor = STATE["db"][collection].find(match, {"refName": 1, "displayName": 1})
    found = {row["_id"]: row for row in await cursor.to_list()}
    for reference in references:
        row = found.get(reference["entityId"])
        if row is None:
            raise HTTPException(422, f"{collection}: no {reference['entityId']}")
        reference["entityRefName"], reference["entityDisplayName"] = row["refName"], row["displayName"]
