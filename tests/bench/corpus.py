"""The data of the bench, made up alike at every run: shipments of 600 to 900 bytes, evenly over tenants.

They are written once in the form of this service; the store itself copies them into a database for each
peer, in the form that one expects. Every database gets the indexes its list needs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import bson
from bson import Decimal128, ObjectId
from pymongo import MongoClient
from pymongo.database import Database

Document = dict[str, Any]

TENANTS = 20
STATUSES = ("BOOKED", "IN_TRANSIT", "DELIVERED", "DELIVERED", "CANCELLED")
BATCH = 2000
BEGIN = datetime(2026, 1, 1)
WORDS = (
    *("tulips", "keep", "cold", "this", "side", "up", "fragile", "call", "before", "noon"),
    *("dock", "seven", "second", "floor", "no", "tail", "lift"),
)

REALM = "main"
COLLECTIONS = ("airports", "customers", "shipments")
COPIES = ("fastapi", "beanie", "eve", "fastify")


def tenant(number: int) -> str:
    """``tenant-07``."""
    return f"tenant-{number:02d}"


FILES = tenant(TENANTS)
"""The tenant whose files are exported and imported: it has shipments, and nobody else asks for them."""


class Corpus:
    """``records`` shipments, and ``exported`` ones of the tenant ``FILES``; ``ids`` and ``bodies`` are samples
    for requests, by tenant."""

    def __init__(self, records: int, exported: int = 0) -> None:
        self.per_tenant = max(1, records // TENANTS)
        self.exported = exported
        self._random = random.Random(20261121)
        self.ids: dict[str, list[str]] = {}
        self.bodies: dict[str, list[Document]] = {}

    def load(self, client: MongoClient[Document], copies: Sequence[str] = COPIES) -> tuple[int, int]:
        """Write everything; the least and the most bytes of a shipment."""
        home = client[REALM]
        sizes: list[int] = []
        numbers = {tenant(number): self.per_tenant for number in range(TENANTS)}
        for name, number in (numbers | ({FILES: self.exported} if self.exported else {})).items():
            parts = self._parts(name)
            for collection, documents in parts.items():
                home[collection].insert_many(documents)
            sample = []
            for batch in self._shipments(name, number, parts):
                home.shipments.insert_many(batch)
                sizes += [len(bson.encode(document)) for document in batch[::50]]
                sample += batch[:: max(1, number // 200)]
            self.ids[name] = [str(document["_id"]) for document in sample]
            self.bodies[name] = [_body(document) for document in sample]
        for copy in copies:
            _copy(client, copy)
        return min(sizes), max(sizes)

    def sample(self, name: str, count: int) -> list[Document]:
        """Shipments that are stored nowhere."""
        parts = self._parts(name)
        return [self._shipment(name, number, parts) for number in range(count)]

    def _parts(self, name: str) -> dict[str, list[Document]]:
        """What shipments of a tenant refer to."""
        return {
            "airports": [
                _named(name, f"AP{at:02d}", f"Airport {at}", icao=f"AP{at:02d}") for at in range(40)
            ],
            "carriers": [
                _named(name, f"CA{at}", f"Carrier {at}", mode="AIR", active=True) for at in range(5)
            ],
            "customers": [_named(name, f"CU{at:03d}", f"Customer {at}") for at in range(100)],
        }

    def _shipments(self, name: str, count: int, parts: dict[str, list[Document]]) -> Iterator[list[Document]]:
        for start in range(0, count, BATCH):
            stop = min(start + BATCH, count)
            yield [self._shipment(name, number, parts) for number in range(start, stop)]

    def _shipment(self, name: str, number: int, parts: dict[str, list[Document]]) -> Document:
        some = self._random
        origin, destination = some.choice(parts["airports"]), some.choice(parts["airports"])
        departs = BEGIN + timedelta(minutes=some.randrange(500_000))
        return {
            "_id": ObjectId(),
            "refName": f"S-{number:06d}",
            "displayName": f"S-{number:06d}: {origin['refName']} to {destination['refName']}",
            "activeStatus": "ACTIVE",
            "status": STATUSES[number % len(STATUSES)],
            "customer": _reference("Customer", some.choice(parts["customers"])),
            "origin": _reference("Airport", origin),
            "destination": _reference("Airport", destination),
            "weightKg": Decimal128(f"{some.randrange(1, 9_000_000) / 1000:.3f}"),
            "departsAt": departs,
            "arrivesAt": departs + timedelta(minutes=some.randrange(60, 900)),
            "notes": " ".join(some.choices(WORDS, k=some.randrange(1, 4))),
            "lines": [
                {"sku": f"SKU-{some.randrange(1000)}", "quantity": some.randrange(1, 99)}
                for _line in range(some.randrange(1, 3))
            ],
            **_kept(name),
        }


def products_csv(names: str, count: int, *, dearer: bool = False) -> bytes:
    """A file of products, made up alike at every call; ``dearer``: with another price in each row.

    ``names`` begins each refName.
    """
    some = random.Random(count)
    lines = ["refName,sku,name,price,weightKg,details"]
    for number in range(count):
        words = " ".join(some.choices(WORDS, k=4))
        price = f"{some.randrange(1, 900)}.{'95' if dearer else '90'}"
        sku, weight = f"SKU-{names}-{number:06d}", f"{some.randrange(1, 9000) / 1000:.3f}"
        lines.append(f"{names}-{number:06d},{sku},{words.title()},{price},{weight},Of {words}")
    return "\r\n".join(lines).encode()


def _named(owner: str, ref_name: str, name: str, **rest: Any) -> Document:
    return {
        "_id": ObjectId(),
        "refName": ref_name,
        "displayName": name,
        "name": name,
        "activeStatus": "ACTIVE",
        **rest,
        **_kept(owner),
    }


def _kept(name: str) -> Document:
    """What the server keeps of every record."""
    audit = {"createdBy": name, "createdDate": BEGIN, "lastUpdatedBy": name, "lastUpdatedDate": BEGIN}
    domain = {"tenantId": name, "ownerId": name, "dataSegment": 0}
    return {"dataDomain": domain, "version": 1, "auditInfo": audit}


def _reference(kind: str, target: Document) -> Document:
    return {
        "entityId": target["_id"],
        "entityType": kind,
        "entityRefName": target["refName"],
        "entityDisplayName": target["displayName"],
    }


def _body(document: Document) -> Document:
    """What a client sends to have such a shipment; the names in references are the server's to fill in."""
    references = ("customer", "origin", "destination")
    return {
        **{name: {"entityId": str(document[name]["entityId"])} for name in references},
        "weightKg": str(document["weightKg"]),
        **{
            name: f"{document[name].isoformat(timespec='milliseconds')}Z"
            for name in ("departsAt", "arrivesAt")
        },
        "notes": document["notes"],
        "lines": document["lines"],
    }


def _copy(client: MongoClient[Document], name: str) -> None:
    """A peer's database, copied inside the store. Eve keeps tenant, dates and tag in fields of its own."""
    change: list[Document] = []
    if name == "eve":
        change = [
            {
                "$set": {
                    "tenantId": "$dataDomain.tenantId",
                    "_created": "$auditInfo.createdDate",
                    "_updated": "$auditInfo.lastUpdatedDate",
                    "_etag": {"$concat": ["0000000000000000", {"$toString": "$_id"}]},
                }
            }
        ]
    for collection in COLLECTIONS:
        target = {"db": database(name), "coll": collection}
        client[REALM][collection].aggregate([*change, {"$out": target}])
    if name == "beanie":
        _link_customers(client)
    _index(client[database(name)], "tenantId" if name == "eve" else "dataDomain.tenantId")


def _link_customers(client: MongoClient[Document]) -> None:
    """Shipments whose customer is a link of Beanie: a DBRef in place of the reference."""
    link: Any = {}
    for field, value in (("$ref", "customers"), ("$id", "$customer.entityId")):
        link = {"$setField": {"field": {"$literal": field}, "input": link, "value": value}}
    target = {"db": database("beanie"), "coll": "linkedShipments"}
    client[REALM].shipments.aggregate([{"$set": {"customer": link}}, {"$out": target}])
    keys = [("dataDomain.tenantId", 1), ("status", 1), ("departsAt", -1)]
    client[database("beanie")].linkedShipments.create_index(keys)


def database(name: str) -> str:
    """Where a peer's data is."""
    return f"bench_{name}"


def _index(home: Database[Document], owner: str) -> None:
    """As the service's own indexes: reading by tenant, status and departure; unique names."""
    home.shipments.create_index([(owner, 1), ("status", 1), ("departsAt", -1)])
    home.shipments.create_index([(owner, 1), ("customer.entityRefName", 1), ("departsAt", -1)])
    home.shipments.create_index([(owner, 1), ("customer.entityId", 1)])
    home.products.create_index([(owner, 1), ("sku", 1)], unique=True)
    home.products.create_index([("details", "text")])
    for collection in (*COLLECTIONS, "products"):
        home[collection].create_index([(owner, 1), ("_id", 1)])
        home[collection].create_index([(owner, 1), ("refName", 1)], unique=True)
