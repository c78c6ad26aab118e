"""FastAPI with Beanie documents, as Beanie's documentation tells: documents are the response models.

Token, tenant and references as in the hand-written peer beside it.
"""

from __future__ import annotations

import os
from asyncio import gather
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from beanie import DecimalAnnotation, Document, Link, PydanticObjectId, init_beanie
from beanie.operators import Inc, Set
from caller import CurrentUser, User
from fastapi import FastAPI, HTTPException, Query, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from pymongo import AsyncMongoClient


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    """Beanie needs the client before its documents can be used."""
    async with AsyncMongoClient[dict[str, Any]](os.environ["BENCH_MONGODB"], tz_aware=True) as client:
        await init_beanie(
            database=client[os.environ["BENCH_DATABASE"]],
            document_models=[Airport, Carrier, Customer, LinkedShipment, Shipment],
        )
        yield


app = FastAPI(lifespan=lifespan)


class Strict(BaseModel):
    """Unknown members are refused."""

    model_config = ConfigDict(extra="forbid")


class Reference(Strict):
    """A pointer to another record, with copies of its names."""

    entityId: PydanticObjectId
    entityType: str | None = None
    entityRefName: str | None = None
    entityDisplayName: str | None = None


class Line(Strict):
    """One line of a shipment."""

    sku: Annotated[str, Field(pattern="^[A-Z0-9-]+$")]
    quantity: Annotated[int, Field(ge=1)]


class DataDomain(BaseModel):
    """Whose record it is."""

    tenantId: str
    ownerId: str
    dataSegment: int = 0


class AuditInfo(BaseModel):
    """Who wrote it and when."""

    createdBy: str
    createdDate: datetime
    lastUpdatedBy: str
    lastUpdatedDate: datetime


class ShipmentFields(BaseModel):
    """The fields that are both sent and read."""

    status: Literal["BOOKED", "IN_TRANSIT", "DELIVERED", "LOST", "CANCELLED"] = "BOOKED"
    customer: Reference
    carrier: Reference | None = None
    origin: Reference
    destination: Reference
    weightKg: Annotated[DecimalAnnotation, Field(ge=0)] | None = None
    departsAt: AwareDatetime | None = None
    arrivesAt: AwareDatetime | None = None
    notes: Annotated[str, Field(max_length=2000)] | None = None
    lines: Annotated[list[Line], Field(max_length=500)] | None = None


class ShipmentInput(ShipmentFields, Strict):
    """What a caller sends."""


SENDABLE = set(ShipmentInput.model_fields)


class ShipmentPatch(Strict):
    """What a caller sends to change some fields."""

    status: Literal["BOOKED", "IN_TRANSIT", "DELIVERED", "LOST", "CANCELLED"] | None = None
    customer: Reference | None = None
    carrier: Reference | None = None
    origin: Reference | None = None
    destination: Reference | None = None
    weightKg: Annotated[DecimalAnnotation, Field(ge=0)] | None = None
    departsAt: AwareDatetime | None = None
    arrivesAt: AwareDatetime | None = None
    notes: Annotated[str, Field(max_length=2000)] | None = None
    lines: Annotated[list[Line], Field(max_length=500)] | None = None


class Shipment(Document, ShipmentFields):
    """What is stored and read."""

    refName: str
    displayName: str
    activeStatus: str = "ACTIVE"
    version: int = 1
    dataDomain: DataDomain
    auditInfo: AuditInfo

    class Settings:
        name = "shipments"


class Named(BaseModel):
    """What references need of a record."""

    refName: str
    displayName: str
    dataDomain: DataDomain


class Airport(Document, Named):
    class Settings:
        name = "airports"


class Carrier(Document, Named):
    class Settings:
        name = "carriers"


class Customer(Document, Named):
    class Settings:
        name = "customers"


class LinkedShipment(Document):
    """A shipment whose customer is a link, as Beanie has relations; otherwise the same."""

    status: str
    customer: Link[Customer]
    carrier: Reference | None = None
    origin: Reference
    destination: Reference
    weightKg: DecimalAnnotation | None = None
    departsAt: datetime | None = None
    arrivesAt: datetime | None = None
    notes: str | None = None
    lines: list[Line] | None = None
    refName: str
    displayName: str
    activeStatus: str
    version: int
    dataDomain: DataDomain
    auditInfo: AuditInfo

    class Settings:
        name = "linkedShipments"


@app.get("/shipments-expanded", response_model=list[LinkedShipment])
async def list_expanded(
    user: CurrentUser,
    state: Annotated[str, Query(alias="status")],
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Any:
    """The same list with its customers fetched, as Beanie's chapter on relations tells."""
    kind = LinkedShipment
    found = kind.find(kind.dataDomain.tenantId == user.tenant_id, kind.status == state, fetch_links=True)
    return await found.sort(-kind.departsAt).skip(offset).limit(limit).to_list()


@app.get("/shipments", response_model=list[Shipment])
async def list_shipments(
    user: CurrentUser,
    state: Annotated[str, Query(alias="status")],
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Any:
    """The shipments of the tenant in one state, the latest departure first."""
    found = Shipment.find(Shipment.dataDomain.tenantId == user.tenant_id, Shipment.status == state)
    return await found.sort(-Shipment.departsAt).skip(offset).limit(limit).to_list()


@app.get("/shipments/{shipment_id}", response_model=Shipment)
async def get_shipment(user: CurrentUser, shipment_id: PydanticObjectId) -> Any:
    """One shipment of the tenant."""
    found = await Shipment.find_one(
        Shipment.id == shipment_id, Shipment.dataDomain.tenantId == user.tenant_id
    )
    if found is None:
        raise HTTPException(404, f"Shipment {shipment_id} not found")
    return found


@app.post("/shipments", response_model=Shipment, status_code=201)
async def add_shipment(user: CurrentUser, body: ShipmentInput, response: Response, check: bool = True) -> Any:
    """Insert, with tenant, audit and, unless told otherwise, references that must exist."""
    if check:
        await _resolve(body, user)
    now = datetime.now(UTC)
    key = PydanticObjectId()
    audit = AuditInfo(
        createdBy=user.user_id, createdDate=now, lastUpdatedBy=user.user_id, lastUpdatedDate=now
    )
    shipment = Shipment(
        id=key,
        refName=str(key),
        displayName=str(key),
        dataDomain=DataDomain(tenantId=user.tenant_id, ownerId=user.user_id),
        auditInfo=audit,
        **body.model_dump(),
    )
    await shipment.insert()
    response.headers["Location"] = f"/shipments/{key}"
    return shipment


@app.patch("/shipments/{shipment_id}", response_model=Shipment)
async def change_shipment(user: CurrentUser, shipment_id: PydanticObjectId, body: ShipmentPatch) -> Any:
    """Partial update: what was sent on what is stored, checked as a whole; Beanie's update answers anew."""
    found = await get_shipment(user, shipment_id)
    await _resolve(body, user)
    sent = body.model_dump(exclude_unset=True)
    try:
        ShipmentInput.model_validate(found.model_dump(include=SENDABLE) | sent)
    except ValidationError as error:
        raise HTTPException(422, error.errors(include_url=False, include_input=False)) from None
    stamp = {"auditInfo.lastUpdatedBy": user.user_id, "auditInfo.lastUpdatedDate": datetime.now(UTC)}
    await found.update(Set(sent | stamp), Inc({Shipment.version: 1}))
    return found


async def _resolve(body: ShipmentInput | ShipmentPatch, user: User) -> None:
    """The names of what was sent, one query a type."""
    airports = [reference for reference in (body.origin, body.destination) if reference]
    wanted = {
        Customer: [body.customer] if body.customer else [],
        Carrier: [body.carrier] if body.carrier else [],
        Airport: airports,
    }
    await gather(*(_fill(kind, references, user) for kind, references in wanted.items() if references))


async def _fill(kind: Any, references: list[Reference], user: User) -> None:
    """Names of what the references point to; it must exist in the tenant."""
    ids = [reference.entityId for reference in references]
    rows = await kind.find({"_id": {"$in": ids}}, kind.dataDomain.tenantId == user.tenant_id).to_list()
    found = {row.id: row for row in rows}
    for reference in references:
        row = found.get(reference.entityId)
        if row is None:
            raise HTTPException(422, f"no {kind.__name__} {reference.entityId}")
        reference.entityRefName, reference.entityDisplayName = row.refName, row.displayName
