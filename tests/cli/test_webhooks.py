"""``recordsmith webhooks``: what it shows, what it sends again, and that no secret is among it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.database import Database

from runtime.outbox import management

Document = dict[str, Any]
AT = datetime(2026, 3, 27, 4, 12, 14)
HOOK, DEAD, DONE, WAITING = (ObjectId() for _ in range(4))


@pytest.fixture
def realm(emptied_realm: str) -> str:
    return emptied_realm


@pytest.fixture
def documents(mongo_client: MongoClient[Document], realm: str) -> Database[Document]:
    """A paused webhook, and deliveries in each state."""
    found = mongo_client[realm]
    common = {
        "dataDomain": {"tenantId": "acme", "dataSegment": 0}, "activeStatus": "ACTIVE", "version": 1,
        "displayName": "[bold]x",
    }  # fmt: skip
    found["webhooks"].insert_one({
        **common, "_id": HOOK, "refName": "[red]warehouse", "recordTypes": ["Depot"], "events": ["created"],
        "address": "https://app.example/hooks", "active": True, "ownerUserId": "ann@acme.example",
        "secret": "whsec_c2VjcmV0", "previousSecret": "whsec_b2xk", "pausedReason": "GONE", "pausedDate": AT,
    })  # fmt: skip
    for own_id, status in ((DEAD, "DEAD"), (DONE, "DELIVERED"), (WAITING, "WAITING")):
        found["webhookDeliveries"].insert_one({
            **common, "_id": own_id, "refName": str(own_id), "webhookId": str(HOOK), "line": "a", "sequence": 1,
            "type": "depot.created", "op": "created", "recordId": "0" * 24, "recordType": "Depot", "recordVersion": 1,
            "document": {"name": "Harbour"}, "occurredAt": AT, "status": status, "dueAt": AT, "holder": "",
            "isBlocked": False, "attempts": 3, "lastError": "the address answered 500", "giveUpAt": AT,
        })  # fmt: skip
    return found


def report(command: Any, *words: str, code: int = 0) -> Any:
    done = command("webhooks", *words, "--json")
    assert done.exit_code == code, done.output
    assert "whsec_" not in done.output
    assert "Harbour" not in done.output
    return json.loads(done.stdout) if code == 0 else done.output


def test_webhooks_are_listed_without_secrets(command: Any, documents: Database[Document]) -> None:
    (row,) = report(command, "list")
    assert row == {
        "id": str(HOOK), "refName": "[red]warehouse", "tenantId": "acme", "ownerUserId": "ann@acme.example",
        "address": "https://app.example/hooks", "state": "GONE", "waiting": 1,
    }  # fmt: skip
    text = command("webhooks", "list").stdout
    assert "[red]" in text.replace("\n", "")
    assert "whsec_" not in text


def test_a_webhook_that_is_not_active_is_listed_so(command: Any, documents: Database[Document]) -> None:
    changes = {"$unset": {"pausedReason": ""}, "$set": {"activeStatus": "INACTIVE"}}
    documents["webhooks"].update_one({"_id": HOOK}, changes)
    (row,) = report(command, "list")
    assert row["state"] == "INACTIVE"


def test_dead_deliveries_are_listed_and_sent_again(command: Any, documents: Database[Document]) -> None:
    (row,) = report(command, "dead", "--webhook", str(HOOK))
    assert (row["id"], row["webhookId"], row["attempts"]) == (str(DEAD), f"msg_{DEAD}", 3)
    assert row["occurredAt"] == "2026-03-27T04:12:14.000Z"
    assert row["occurredAt"] in command("webhooks", "dead", "--webhook", str(HOOK)).stdout
    done = report(command, "resend", "--webhook", str(HOOK))
    assert done == {"webhook": str(HOOK), "resent": [str(DEAD)], "remaining": 0}
    found = documents["webhookDeliveries"].find_one({"_id": DEAD})
    assert found is not None
    assert found["status"] == "WAITING"
    assert found["giveUpAt"] > AT
    assert report(command, "dead", "--webhook", str(HOOK)) == []
    assert report(command, "resend", "--webhook", str(HOOK))["resent"] == []
    done_already = documents["webhookDeliveries"].find_one({"_id": DONE})
    assert done_already is not None
    assert done_already["status"] == "DELIVERED"


@pytest.mark.parametrize("unknown", ["h-1", "0" * 24])
@pytest.mark.parametrize("name", ["dead", "resend", "test"])
def test_an_unknown_webhook_is_named_so(
    command: Any, documents: Database[Document], name: str, unknown: str
) -> None:
    assert f"no Webhook has the id {unknown}" in report(command, name, "--webhook", unknown, code=1)


@pytest.mark.parametrize("unknown", ["zz", "0" * 24])
def test_an_unknown_delivery_is_named_with_what_was_sent(
    command: Any, documents: Database[Document], unknown: str
) -> None:
    named = ("--delivery", str(DEAD), "--delivery", unknown)
    refused = report(command, "resend", "--webhook", str(HOOK), *named, code=1)
    assert f"no dead delivery {unknown} of this webhook" in refused
    (delivery,) = documents["webhookDeliveries"].find({"_id": DEAD})
    assert (delivery["status"] == "WAITING") is (f"sent again before it: {DEAD}" in refused)


@pytest.mark.parametrize(
    ("changes", "later"),
    [
        ({}, " once the webhook is resumed: its state is GONE"),
        ({"$unset": {"pausedReason": ""}}, ""),
        (
            {"$unset": {"pausedReason": ""}, "$set": {"active": False}},
            " once the webhook is resumed: its state is off",
        ),
        (
            {"$unset": {"pausedReason": ""}, "$set": {"activeStatus": "INACTIVE"}},
            " once its activeStatus is ACTIVE: its state is INACTIVE",
        ),
        (
            {"$set": {"activeStatus": "INACTIVE"}},
            " once the webhook is resumed and its activeStatus is ACTIVE: its state is GONE",
        ),
    ],
)
def test_how_many_are_sent_and_when(
    command: Any, documents: Database[Document], changes: Document, later: str
) -> None:
    if changes:
        documents["webhooks"].update_one({"_id": HOOK}, changes)
    for message in (f"1 delivery is sent again{later}", "no delivery of this webhook was dead"):
        done = command("webhooks", "resend", "--webhook", str(HOOK)).stdout
        assert done.replace("\n", " ").strip() == message
    tested = command("webhooks", "test", "--webhook", str(HOOK)).stdout
    assert tested.replace("\n", " ").strip().endswith(later)


def test_all_dead_deliveries_are_sent_again_however_many(
    command: Any, documents: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(management, "MOST_SHOWN", 2)
    (dead,) = documents["webhookDeliveries"].find({"_id": DEAD})
    more = [dead | {"_id": (own_id := ObjectId()), "refName": str(own_id)} for _ in range(4)]
    documents["webhookDeliveries"].insert_many(more)
    done = report(command, "resend", "--webhook", str(HOOK))
    assert sorted(done["resent"]) == sorted(str(one["_id"]) for one in [dead, *more])
    assert documents["webhookDeliveries"].count_documents({"status": "DEAD"}) == 0


def test_no_more_are_sent_again_than_may_wait(
    command: Any, documents: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """More would pause the webhook with one of its next deliveries."""
    monkeypatch.setattr(management, "MOST_SHOWN", 70)
    (dead,) = documents["webhookDeliveries"].find({"_id": DEAD})
    more = [dead | {"_id": (own_id := ObjectId()), "refName": str(own_id)} for _ in range(249)]
    documents["webhookDeliveries"].insert_many(more)
    documents["webhooks"].update_one({"_id": HOOK}, {"$unset": {"pausedReason": ""}})
    limit = {"WEBHOOKS_MAX_WAITING": "100"}
    for done, remain in (("89 deliveries are sent again", 161), ("0 deliveries are sent again", 161)):
        text = command("webhooks", "resend", "--webhook", str(HOOK), env=limit).stdout
        why = "no more than 90 may then wait (nine tenths of webhooks.max-waiting)"
        assert " ".join(text.split()) == f"{done}; {remain} dead deliveries remain: {why}"
        assert documents["webhookDeliveries"].count_documents({"status": "WAITING"}) == 90
    documents["webhookDeliveries"].delete_many({"_id": WAITING})
    done = command("webhooks", "resend", "--webhook", str(HOOK), "--json", env=limit)
    assert (len(json.loads(done.stdout)["resent"]), json.loads(done.stdout)["remaining"]) == (1, 160)


@pytest.mark.usefixtures("documents")
def test_what_is_sent_again_before_a_fault_is_reported(command: Any) -> None:
    named = "--delivery", str(DEAD), "--delivery", "f" * 24
    refusal = report(command, "resend", "--webhook", str(HOOK), *named, code=1)
    message = f"no dead delivery {'f' * 24} of this webhook; sent again before it: {DEAD}"
    assert message in " ".join(refusal.split())


def test_a_test_is_stored_for_the_running_service(command: Any, documents: Database[Document]) -> None:
    stored = report(command, "test", "--webhook", str(HOOK))
    found = documents["webhookDeliveries"].find_one({"_id": ObjectId(stored["id"])})
    assert found is not None
    assert (found["type"], found["status"], found["dataDomain"]["tenantId"]) == (
        "webhook.test",
        "WAITING",
        "acme",
    )


@pytest.mark.parametrize(
    "words",
    [
        ("dead", "--webhook", "0" * 24),
        ("dead", "--webhook", "nothing"),
        ("test", "--webhook", "0" * 24),
        ("resend", "--webhook", "0" * 24),
        ("resend", "--webhook", str(HOOK), "--delivery", str(DONE)),
        ("resend", "--webhook", str(HOOK), "--delivery", str(WAITING)),
        ("resend", "--webhook", str(HOOK), "--delivery", "nothing"),
    ],
)
def test_what_is_not_there(command: Any, documents: Database[Document], words: tuple[str, ...]) -> None:
    before = list(documents["webhookDeliveries"].find())
    report(command, *words, code=1)
    assert list(documents["webhookDeliveries"].find()) == before
