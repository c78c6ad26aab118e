"""What is backed up in the tests: something of every sort, and what of it is stored."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import uuid4

from bson import Decimal128, Int64, ObjectId
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument
from pymongo.database import Database

Document = dict[str, Any]
Run = Callable[..., Document]
Stored = dict[str, list[bytes]]

APP = {"SERVICE_APP": "tests.cli.backups.small_app:create"}
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
LATER = datetime.now(UTC) + timedelta(days=2)
_numbers = count()
"""Ids are made of digits: one with the byte of ``$`` may look like an operator, and is written as bytes."""
RAW: CodecOptions[RawBSONDocument] = CodecOptions(document_class=RawBSONDocument)


def record(tenant: str = "acme", **members: Any) -> Document:
    own = ObjectId(f"{next(_numbers):012}".encode())
    return {
        "_id": own, "refName": str(own), "displayName": "R", "dataDomain": {"tenantId": tenant, "dataSegment": 0},
        "activeStatus": "ACTIVE", "version": 1, "auditInfo": {"createdBy": "ann", "createdDate": NOW}, **members,
    }  # fmt: skip


def credential(realm: str, name: str, tenant: str = "acme") -> Document:
    return record(
        tenant, userId=name, loginName=name, subject=uuid4().hex, roles=["admin"], passwordHash="$2b$04$secret",
        tokenEpoch=0, domainContext={"tenantId": tenant, "defaultRealm": realm}, realms=["elsewhere"],
        realmRoles={"elsewhere": ["admin"]}, impersonationGranter={"subject": "s", "realm": realm, "roles": []},
    )  # fmt: skip


def fill(documents: Database[Document], tenants: tuple[str, ...] = ("acme", "zeta")) -> None:
    """Something of every sort, a part of which no record type declares."""
    for tenant in tenants:
        documents["regions"].insert_many([record(tenant, name=f"R{n}", former=n) for n in range(5)])
        documents["orders"].insert_one(
            record(
                tenant, total=Decimal128("1.50"), big=Int64(1), ratio=float("inf"), activeStatus="ARCHIVED"
            )
        )
        documents["revisions"].insert_one(record(tenant, changes=[{"path": "a", "before": 1, "after": "x"}]))
        documents["idempotencyKeys"].insert_one(record(tenant, expiresAt=LATER, body="{}"))
        documents["renames"].insert_one(record(tenant, dueAt=LATER, targets=[], holder=""))
        documents["importSessions"].insert_one(record(tenant, expiresAt=LATER))
        documents["removedLater"].insert_one(record(tenant, odd={"$a": 1} if tenant == "acme" else {}))
        documents["credentials"].insert_one(credential(documents.name, f"ann@{tenant}", tenant))
        documents["signOns"].insert_one(record(tenant, cookie=uuid4().hex, expiresAt=LATER))
        documents["webhookDeliveries"].insert_one(record(tenant, status="WAITING"))


LEFT_OUT = {
    "storedShapes",
    "signOns",
    "webhookDeliveries",
    "restorations",
    "realms",
    "erasures",
    "loginAttempts",
    "serviceWorkers",
}


def stored(documents: Database[Document], tenant: str | None = None) -> Stored:
    """Every document as its bytes, by collection; those that no backup has left out."""
    match = {} if tenant is None else {"dataDomain.tenantId": tenant}
    found = {
        name: sorted(one.raw for one in documents.get_collection(name, RAW).find(match))
        for name in documents.list_collection_names()
        if name not in LEFT_OUT
    }
    return {name: rows for name, rows in found.items() if rows}


def content(report: Document) -> dict[str, int]:
    """How many records a report names, by collection; each realm has notes of shapes besides."""
    counts = {name: one["records"] for name, one in report["collections"].items()}
    return {name: number for name, number in counts.items() if number and name != "storedShapes"}
