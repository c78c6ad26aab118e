"""MongoDB's primary and the service are killed while writers write: what was acknowledged is there, once.

A short run of the harness; `make faults` is the long one. Nothing here is timed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from tests.faults.inspection import findings
from tests.faults.ledger import Kept, Ledger, Wait, longest
from tests.faults.play import Plan, play
from tests.faults.service import ServiceProcess

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by their session")

Document = dict[str, Any]
USER = "ada@acme.example"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_nothing_acknowledged_is_lost_or_doubled(tmp_path: Path) -> None:
    outcome = play(Plan(faults=("kill primary", "kill service"), seed=7, writers=6), tmp_path)
    assert outcome.findings == []
    assert [stroke.fault for stroke in outcome.strokes] == ["kill primary", "kill service"]
    assert outcome.ledger.acknowledged > 50
    # Writers met the service's absence: refused, cut off in the middle, or left to wait, whichever came first.
    unanswered = {answer for answer in outcome.ledger.answers if answer.endswith(("Error", "Timeout"))}
    assert unanswered, outcome.ledger.answers
    assert all(stroke.waited > 0 for stroke in outcome.strokes)


class TestInspection:
    """A sound store is found sound, and each way to be broken is found."""

    @pytest.fixture
    def stored(self) -> dict[str, list[Document]]:
        """One customer with an order of two versions, a shipment, a shared shipment and a removed order."""
        customer = record("customers", "W1-1", 1)
        order = record("orders", "W1-2", 2, customer=refer(customer), items=items(1, 2))
        order["persistentEvents"] = [{"version": at, "date": at} for at in (1, 2)]
        own = record("shipments", "W1-3", 2, customer=refer(customer), lines=[{"sku": "W1-4"}])
        shared = record("shipments", "W1-5", 3, customer=refer(customer))
        shared["lines"] = [{"sku": "W2-1"}, {"sku": "W1-6"}]
        gone = record("orders", "W1-7", 1)
        history = [
            revision(order, 1, "CREATE", items(1)), revision(order, 2, "UPDATE", items(1, 2)),
            revision(gone, 1, "CREATE", items(1)), revision(gone, 2, "DELETE", None),
        ]  # fmt: skip
        keys = [{"_id": ObjectId(), "state": "DONE", "status": 201, "dataDomain": TENANT}]
        return {
            "customers": [customer], "orders": [order], "shipments": [own, shared], "revisions": history,
            "idempotencyKeys": keys,
        }  # fmt: skip

    @pytest.fixture
    def ledger(self, stored: dict[str, list[Document]]) -> Ledger:
        (customer,), (order,), (own, shared) = (stored[name] for name in ("customers", "orders", "shipments"))
        gone = stored["revisions"][2]["recordId"]
        return Ledger(
            orders={
                key(order): Kept("W1-2", key(customer), [1, 2], 2),
                gone: Kept("W1-7", key(customer), [1], 1, is_deleted=True),
            },
            shipments={
                key(own): Kept("W1-3", key(customer), ["W1-4"], 2),
                key(shared): Kept("W1-5", key(customer), ["W1-6", "W2-1"]),
            },
            customers={key(customer): Kept("W1-1", "", [])},
            keys={"W1-key-1": 201},
        )

    @pytest.fixture
    def inspected(
        self,
        mongo_client: MongoClient[Document],
        realm: str,
        ledger: Ledger,
        stored: dict[str, list[Document]],
    ) -> Callable[[dict[str, list[Document]]], str]:
        """What is found in a store of these documents."""
        shared = [key(stored["shipments"][1])]

        def inspect(documents: dict[str, list[Document]]) -> str:
            for name, rows in documents.items():
                if rows:
                    mongo_client[realm][name].insert_many(deepcopy(rows))
            return "\n".join(findings(mongo_client[realm], ledger, shared, USER))

        return inspect

    def test_sound(self, inspected: Callable[..., str], stored: dict[str, list[Document]]) -> None:
        assert inspected(stored) == ""

    @pytest.mark.parametrize(
        ("breaks", "said"),
        [
            pytest.param(lambda s: s["orders"].clear(), "is lost", id="lost"),
            pytest.param(lambda s: s["orders"].append(s["orders"][0] | {"_id": ObjectId()}), "2 times", id="doubled"),
            pytest.param(
                lambda s: s["shipments"].append(record("shipments", "W3-1", 1, customer=s["orders"][0]["customer"])),
                "never acknowledged", id="not acknowledged",
            ),
            pytest.param(lambda s: s["orders"][0].update(items=items(1)), "instead of [1, 2]", id="a lost item"),
            pytest.param(lambda s: s["orders"][0].update(version=3), "version 3", id="one version more"),
            pytest.param(lambda s: s["shipments"].pop(1), "shared shipment", id="a lost shared record"),
            pytest.param(lambda s: s["shipments"][1]["lines"].pop(), "lost ['W1-6']", id="a lost shared line"),
            pytest.param(
                lambda s: s["shipments"][1]["lines"].append({"sku": "W2-1"}), "too many ['W2-1']", id="a doubled line"
            ),
            pytest.param(lambda s: s["customers"].clear(), "who is not there", id="a dangling reference"),
            pytest.param(lambda s: s["customers"][0].update(refName="x"), "calls its customer", id="an old name"),
            pytest.param(lambda s: s["revisions"].pop(1), "its history tells", id="a version without a revision"),
            pytest.param(lambda s: s["revisions"].pop(3), "its history tells", id="a removal without a revision"),
            pytest.param(
                lambda s: s["revisions"].append(revision({"_id": ObjectId()}, 1, "CREATE", items(1))),
                "there is a history", id="a revision of nothing",
            ),
            pytest.param(lambda s: s["revisions"][1].update(writtenAt=7), "differ in their dates", id="another date"),
            pytest.param(
                lambda s: s["revisions"][1]["changes"][0].update(after=items(1)), "other items", id="another diff"
            ),
            pytest.param(
                lambda s: s["orders"][0]["persistentEvents"].pop(0), "has the events", id="a missing event"
            ),
            pytest.param(
                lambda s: s["shipments"][0]["auditInfo"].update(lastUpdatedBy="eve"), "was written by", id="a wrong stamp"
            ),
            pytest.param(lambda s: s["idempotencyKeys"][0].update(state="IN_FLIGHT"), "not done", id="a key in flight"),
            pytest.param(lambda s: s["idempotencyKeys"].clear(), "idempotency keys tell", id="a lost key"),
        ],
    )  # fmt: skip
    def test_broken(
        self,
        inspected: Callable[..., str],
        stored: dict[str, list[Document]],
        breaks: Callable[[dict[str, list[Document]]], Any],
        said: str,
    ) -> None:
        breaks(stored)
        assert said in inspected(stored)

    def test_a_removed_record_that_is_there(
        self, inspected: Callable[..., str], ledger: Ledger, stored: dict[str, list[Document]]
    ) -> None:
        order = key(stored["orders"][0])
        ledger.orders[order] = replace(ledger.orders[order], is_deleted=True)
        assert "was removed and is there" in inspected(stored)

    def test_what_a_writer_found_wrong_counts(
        self, inspected: Callable[..., str], ledger: Ledger, stored: dict[str, list[Document]]
    ) -> None:
        ledger.wrong.append("W1: POST: 500")
        assert inspected(stored) == "W1: POST: 500"


@pytest.mark.parametrize(
    ("begin", "end", "seconds"),
    [
        pytest.param(0.0, 0.5, 0.0, id="before any"),
        pytest.param(1.5, 1.5, 1.0, id="within one"),
        pytest.param(2.0, 3.0, 4.0, id="over two"),
    ],
)
def test_longest_wait(begin: float, end: float, seconds: float) -> None:
    assert longest([Wait(1.0, 2.0), Wait(3.0, 7.0)], begin, end) == seconds


TENANT = {"tenantId": "acme"}


def record(kind: str, mark: str, version: int, **fields: Any) -> Document:
    """A stored document with the stamps of ``USER``."""
    names = {"orders": "displayName", "shipments": "notes", "customers": "name"}
    audit = {"createdBy": USER, "lastUpdatedBy": USER, "createdDate": 1, "lastUpdatedDate": version}
    named = {"refName": mark, "displayName": mark, names[kind]: mark}
    return {
        "_id": ObjectId(),
        "dataDomain": TENANT,
        "version": version,
        "auditInfo": audit,
        **named,
        **fields,
    }


def refer(customer: Document) -> Document:
    return {
        "entityId": customer["_id"],
        "entityRefName": customer["refName"],
        "entityDisplayName": customer["displayName"],
    }


def items(*quantities: int) -> list[Document]:
    return [{"quantity": quantity} for quantity in quantities]


def revision(document: Document, version: int, action: str, after: list[Document] | None) -> Document:
    """Its date is its version, as that of the event is."""
    return {
        "_id": ObjectId(), "dataDomain": TENANT, "recordId": key(document), "recordVersion": version,
        "action": action, "writtenAt": version, "changes": [{"path": "items", "after": after}],
    }  # fmt: skip


def key(document: Document) -> str:
    return str(document["_id"])


def test_the_service_has_the_settings_of_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``MONGODB_LANE=false make faults`` is about a service without the lane; its address is that of the run."""
    monkeypatch.setenv("MONGODB_LANE", "false")
    monkeypatch.setenv("MONGODB_URI", "mongodb://elsewhere.example/")
    monkeypatch.setenv("AUTH_JWT_SECRET", "of a developer")
    found = ServiceProcess("mongodb://here/", tmp_path, 1, 1).environment()
    assert (found["MONGODB_LANE"], found["MONGODB_URI"]) == ("false", "mongodb://here/")
    assert "AUTH_JWT_SECRET" not in found
