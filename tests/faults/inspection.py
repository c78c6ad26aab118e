"""What is stored in the end, held against what was acknowledged. Every finding is a broken promise.

Read from the store behind the service's back, when all requests have been answered: so nothing is in doubt,
and what is stored is exactly what was acknowledged.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from pymongo.database import Database

from generated.record_types import CATALOG
from runtime.records.document.lifecycle import MOST_EVENTS
from tests.faults.ledger import Kept, Ledger
from tests.faults.service import TENANT
from tests.ontology.places import read_edges, read_statements
from tests.ontology.recomputation import recompute

Document = dict[str, Any]


def findings(database: Database[Document], ledger: Ledger, shared: list[str], user: str) -> list[str]:
    """All that is not as it must be, in words."""
    orders, shipments, customers = (_all(database, name) for name in ("orders", "shipments", "customers"))
    revisions: dict[str, list[Document]] = defaultdict(list)
    for revision in _all(database, "revisions").values():
        revisions[revision["recordId"]].append(revision)
    return [
        *ledger.wrong,
        *_records("order", orders, ledger.orders, _order_mark, _order_marks),
        *_records("shipment", shipments, _own(ledger, shared), _shipment_mark, _shipment_marks, shared),
        *_records("customer", customers, ledger.customers, lambda one: one["name"], None),
        *_shared(shipments, ledger, shared),
        *_references(customers, {**orders, **shipments}),
        *_audits({**orders, **shipments}, ledger, user),
        *_histories(orders, ledger.orders, revisions),
        *_keys(_all(database, "idempotencyKeys"), ledger),
        *_edges(database),
    ]


def _edges(database: Database[Document]) -> Iterator[str]:
    """The edges of the ontology, compared with a plain recomputation."""
    should, stored = recompute(CATALOG.relationships, read_statements(database)), read_edges(database)
    yield from (f"edge missing: {edge}" for edge in should - stored.keys())
    yield from (f"edge that nothing implies: {edge}" for edge in stored.keys() - should)


def _all(database: Database[Document], collection: str) -> dict[str, Document]:
    """By id; those of the writers' tenant."""
    return {
        str(document["_id"]): document
        for document in database[collection].find({"dataDomain.tenantId": TENANT})
    }


def _own(ledger: Ledger, shared: list[str]) -> dict[str, Kept]:
    return {record_id: kept for record_id, kept in ledger.shipments.items() if record_id not in shared}


def _records(
    kind: str,
    stored: Mapping[str, Document],
    kept: Mapping[str, Kept],
    mark_of: Any,
    marks_of: Any,
    others: list[str] | tuple[str, ...] = (),
) -> Iterator[str]:
    """Each acknowledged record is there once, with what its writes brought along, in their order; what was
    removed is gone, and nothing is there of which nobody was notified."""
    for record_id, one in kept.items():
        fault = _fault(one, stored.get(record_id), mark_of, marks_of)
        if fault is not None:
            yield f"{kind} {one.mark} {fault}"
    for record_id in stored.keys() - kept.keys() - set(others):
        if not _is_planted(stored[record_id]):
            yield f"{kind} {mark_of(stored[record_id])} ({record_id}) is there and was never acknowledged"
    for mark, number in Counter(mark_of(document) for document in stored.values()).items():
        if mark is not None and number > 1:
            yield f"{kind} {mark} is there {number} times"


def _fault(one: Kept, document: Document | None, mark_of: Any, marks_of: Any) -> str | None:
    """What is wrong with a record of which the service has told."""
    if one.is_deleted or document is None:
        lost, left = None if one.is_deleted else "was acknowledged and is lost", "was removed and is there"
        return lost if document is None else left
    if mark_of(document) != one.mark:
        return f"has become {mark_of(document)}"
    if marks_of is not None and marks_of(document) != one.marks:
        return f"has {marks_of(document)} instead of {one.marks}"
    if document["version"] != one.version:
        return f"has version {document['version']} instead of {one.version}"
    return None


def _shared(shipments: Mapping[str, Document], ledger: Ledger, shared: list[str]) -> Iterator[str]:
    """Every acknowledged line is there once, and each write made one version."""
    for record_id in shared:
        if record_id not in shipments:
            yield f"shared shipment {record_id} is lost"
            continue
        lines, kept = _shipment_marks(shipments[record_id]), ledger.shipments[record_id]
        if sorted(lines) != sorted(kept.marks):
            lost, more = Counter(kept.marks) - Counter(lines), Counter(lines) - Counter(kept.marks)
            yield f"shared shipment {kept.mark}: lost {sorted(lost)}, too many {sorted(more)}"
        if shipments[record_id]["version"] != 1 + len(lines):
            yield f"shared shipment {kept.mark}: version {shipments[record_id]['version']} of {len(lines)} lines"


def _references(customers: Mapping[str, Document], referrers: Mapping[str, Document]) -> Iterator[str]:
    """No tracked reference leads nowhere, and its copy of the name is right."""
    for record_id, document in referrers.items():
        entry = document["customer"]
        target = customers.get(str(entry["entityId"]))
        if target is None:
            yield f"{record_id} refers to customer {entry['entityId']}, who is not there"
        elif (entry["entityRefName"], entry["entityDisplayName"]) != (
            target["refName"],
            target["displayName"],
        ):
            yield f"{record_id} calls its customer {entry['entityRefName']} instead of {target['refName']}"


def _audits(records: Mapping[str, Document], ledger: Ledger, user: str) -> Iterator[str]:
    """Stamps name the writer, in the order of time, and every event its version."""
    for record_id in records.keys() & (ledger.orders.keys() | ledger.shipments.keys()):
        audit, version = records[record_id]["auditInfo"], records[record_id]["version"]
        if {audit["createdBy"], audit["lastUpdatedBy"]} != {user}:
            yield f"{record_id} was written by {audit}"
        if audit["createdDate"] > audit["lastUpdatedDate"]:
            yield f"{record_id} was changed before it was made: {audit}"
        events = records[record_id].get("persistentEvents")
        first = max(1, version + 1 - MOST_EVENTS)
        if events is not None and [event["version"] for event in events] != list(range(first, version + 1)):
            yield f"{record_id} of version {version} has the events {events}"
        if events and events[-1]["date"] != audit["lastUpdatedDate"]:
            yield f"{record_id}: its last event is not its last write: {events[-1]}, {audit}"


def _histories(
    orders: Mapping[str, Document], kept: Mapping[str, Kept], revisions: Mapping[str, list[Document]]
) -> Iterator[str]:
    """One revision for each version, and one for the removal; none of what never was."""
    for record_id, one in kept.items():
        told = sorted(revisions.get(record_id, []), key=lambda revision: revision["recordVersion"])
        wanted = ["CREATE", *["UPDATE"] * (one.version - 1), *["DELETE"] * one.is_deleted]
        if [revision["action"] for revision in told] != wanted:
            yield f"order {one.mark}: its history tells {[revision['action'] for revision in told]}, not {wanted}"
        elif [revision["recordVersion"] for revision in told] != list(range(1, len(wanted) + 1)):
            yield f"order {one.mark}: its history has versions {[each['recordVersion'] for each in told]}"
        elif record_id in orders:
            yield from _agrees(orders[record_id], told)
    for record_id in revisions.keys() - kept.keys():
        if not _is_planted(orders.get(record_id, {})):
            yield f"there is a history of order {record_id}, which was never acknowledged"


def _agrees(order: Document, told: list[Document]) -> Iterator[str]:
    """Dates of the events are those of the revisions, and the last ones tell what is stored."""
    dates = [revision["writtenAt"] for revision in told][-MOST_EVENTS:]
    if dates != [event["date"] for event in order["persistentEvents"]]:
        yield f"order {order['_id']}: events and history differ in their dates"
    last = [each for one in told for each in one["changes"] if each["path"] == "items"][-1:]
    if any("after" in each and each["after"] != order["items"] for each in last):  # large ones are not told
        yield f"order {order['_id']}: the history tells of other items than are stored"


def _keys(stored: Mapping[str, Document], ledger: Ledger) -> Iterator[str]:
    """Each request has one key, which is done and knows the answer that was given."""
    if unfinished := [one for one in stored.values() if one["state"] != "DONE"]:
        yield f"{len(unfinished)} idempotency keys are not done: {unfinished[:3]}"
    told = Counter(one.get("status") for one in stored.values())
    answered = Counter(ledger.keys.values())
    if told != answered:
        yield f"idempotency keys tell of {dict(told)}, the answers were {dict(answered)}"


def _is_planted(document: Document) -> bool:
    return document.get("refName") in ("O-1001", "S-1001", "casa-das-flores", "heath-and-sons")


def _order_mark(order: Document) -> Any:
    return order["displayName"]


def _order_marks(order: Document) -> list[int]:
    return [item["quantity"] for item in order["items"]]


def _shipment_mark(shipment: Document) -> Any:
    return shipment.get("notes")


def _shipment_marks(shipment: Document) -> list[str]:
    return [line["sku"] for line in shipment.get("lines", [])]
