"""``recordsmith explain``: what it says of a user and of a refusal, and how it ends."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

PASSWORD = "correct horse battery"
CARRIER = ("--area", "logistics", "--domain", "carrier", "--action", "VIEW")
APP = {
    "SERVICE_APP": "generated.app:create", "SERVICE_ENVIRONMENT": "production", "AUTH_JWT_SECRET": "0123456789" * 4,
}  # fmt: skip
"""The whole application; production makes no indexes, so that it opens quickly."""

REFUSAL = ObjectId()


@pytest.fixture
def realm(emptied_realm: str) -> str:
    return emptied_realm


@pytest.fixture
def explain(command: Any, realm: str, mongo_client: MongoClient[dict[str, Any]]) -> Any:
    """Runs the command on the whole application; there are a user and an auditor of acme, and a refusal."""
    for user, role in (("ann@acme", "user"), ("abe@acme", "admin")):
        options = ("--user", user, "--tenant", "acme", "--roles", role, "--password-stdin")
        assert command("users", "create", *options, stdin=PASSWORD).exit_code == 0
    ann = mongo_client[realm]["credentials"].find_one({"userId": "ann@acme"})
    assert ann is not None
    place = {"tenantId": "acme", "dataSegment": 0}
    carrier = {"_id": ObjectId(), "refName": "tagus", "dataDomain": place, "version": 1, "mode": "RAIL"}
    mongo_client[realm]["carriers"].insert_one(carrier)
    mongo_client[realm]["decisions"].insert_one(
        {
            "_id": REFUSAL, "refName": str(REFUSAL), "dataDomain": place, "verdict": "DENY", "reason": "no",
            "decidedAt": datetime(2026, 3, 27, 4, 12, tzinfo=UTC), "realm": realm, "requestId": "r-1",
            "userId": "ann@acme", "subject": ann["subject"], "callerRoles": ["clerk"], "askedArea": "security",
            "askedDomain": "users", "askedAction": "VIEW", "appliedRules": ["user stays out of security"],
            "expiresAt": datetime(2126, 3, 27, tzinfo=UTC),
        }
    )  # fmt: skip
    return lambda *words: command("explain", *words, env=APP)


@pytest.mark.parametrize(
    ("words", "exit_code", "lines"),
    [
        pytest.param(
            ("--user", "ann@acme", *CARRIER), 0,
            ["ALLOW  ann@acme (user) in realm", 'the rule "user views records" allows', "tenantId acme",
             'identity: "admin" is not one of', "=>"],
            id="allowed",
        ),
        pytest.param(
            ("--user", "ANN@acme", *CARRIER, "--resource", "tagus"), 0, ["ALLOW", "carrier"], id="one record"
        ),
        pytest.param(
            ("--user", "ann@acme", "--area", "security", "--domain", "users", "--action", "VIEW"), 1,
            ["DENY", "it needs the role admin", 'the rule "user stays out of security" denies'],
            id="denied",
        ),
        pytest.param(
            ("--user", "ann@acme", "--area", "security", "--domain", "credential", "--action", "VIEW"), 1,
            ["DENY", "ALLOW where userId:${principalId}", "DENY the others", "of records where"],
            id="by the record",
        ),
        pytest.param(
            ("--decision", str(REFUSAL)), 1,
            ["refused  ann@acme (clerk)", "at 2026-03-27T04:12:00+00:00, request r-1", "VIEW security/users",
             "rules then: user stays out of security", "still denied", "it needs the role admin"],
            id="a refusal",
        ),
    ],
)  # fmt: skip
def test_what_it_says(explain: Any, words: tuple[str, ...], exit_code: int, lines: list[str]) -> None:
    done = explain(*words)
    assert done.exit_code == exit_code, done.output
    assert [line for line in lines if line not in done.stdout] == [], done.stdout


def test_json_is_the_answer_of_the_route(explain: Any) -> None:
    done = explain("--user", "abe@acme", *CARRIER, "--resource", "tagus", "--json")
    shown = json.loads(done.stdout)
    assert (done.exit_code, shown["decision"], shown["winningRule"]["name"]) == (
        0,
        "ALLOW",
        "admin does everything",
    )
    assert shown["asked"]["identity"] == "abe@acme"
    shown = json.loads(explain("--decision", str(REFUSAL), "--json").stdout)
    assert (shown["id"], shown["stillDenied"], shown["reason"]) == (str(REFUSAL), True, "no")
    assert shown["decidedAt"] == "2026-03-27T04:12:00.000Z"


def test_what_is_allowed_by_now_ends_with_0(explain: Any, command: Any) -> None:
    assert command("users", "assign-roles", "--user", "ann@acme", "--roles", "admin").exit_code == 0
    done = explain("--decision", str(REFUSAL))
    assert (done.exit_code, "allowed by now" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        pytest.param(("--user", "nobody", *CARRIER), 2, "record.not_found", id="user"),
        pytest.param(("--user", "ann@acme", *CARRIER, "--resource", "x"), 2, "record.not_found", id="record"),
        pytest.param(("--user", "ann@acme", *CARRIER, "--realm", "nowhere"), 2, "realm.unknown", id="realm"),
        pytest.param(
            ("--decision", "0" * 24), 2, "no decision has the id 000000000000000000000000", id="decision"
        ),
        pytest.param(("--decision", "d-1"), 2, "no decision has the id d-1", id="malformed decision"),
        pytest.param(
            ("--user", "ann@acme", "--area", "logistic", *CARRIER[2:]), 2, "record.invalid", id="area"
        ),
        pytest.param(("--user", "ann@acme"), 2, "explain.usage", id="no question"),
        pytest.param(("--decision", "x", "--user", "ann@acme"), 2, "explain.usage", id="two questions"),
    ],
)
def test_failures(explain: Any, words: tuple[str, ...], exit_code: int, code: str) -> None:
    done = explain(*words, "--json")
    assert done.exit_code == exit_code, done.output
    assert code in json.loads(done.stdout)["error"].values()
