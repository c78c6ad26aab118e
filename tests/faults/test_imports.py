"""What `import_kills.py` holds against each other: a sound import is found sound, each way to be broken is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.database import Database

from tests.faults.imports import COLUMNS, Row, inspected
from tests.faults.service import TENANT

Document = dict[str, Any]
USER = "ada@acme.example"
FILE = [Row(number) for number in (1, 2, 3, 100)]
CUSTOMER = {"entityId": ObjectId(), "entityRefName": "casa-das-flores", "entityDisplayName": "Casa"}
TOLD = {"sessionId": "s", "inserted": 1, "updated": 1, "skipped": 1, "failed": 1}


def test_a_file_has_rows_of_every_sort() -> None:
    assert [row.intent for row in FILE] == ["update", "skip", "insert", "fail"]
    assert {len(row.line().split(",")) for row in FILE} == {len(COLUMNS.split(","))}
    assert Row(100).line().split(",")[-2] == "0"
    assert Row(1).line(quantity=7).split(",")[-2] == "7"


class TestInspection:
    @pytest.fixture
    def database(self, mongo_client: MongoClient[Any], realm: str) -> Database[Document]:
        """What the file makes of a store that had the first order, with another quantity, and the second."""
        found: Database[Document] = mongo_client[realm]
        known = {
            "_id": CUSTOMER["entityId"],
            "refName": "casa-das-flores",
            "displayName": "Casa",
            "name": "Casa",
        }
        found["customers"].insert_one(known | {"dataDomain": {"tenantId": TENANT}, "version": 1})
        for row, version in ((Row(1), 2), (Row(2), 1), (Row(3), 1)):
            plant(found, row.name, version)
        found["importSessions"].insert_one({"refName": "s", "state": "COMMITTED"})
        return found

    def test_sound(self, database: Database[Document]) -> None:
        assert inspected(database, FILE, [TOLD, TOLD], "s", USER) == []

    @pytest.mark.parametrize(
        ("breaks", "said"),
        [
            (lambda d: d["orders"].delete_one({"refName": "I-000003"}), "I-000003 is lost"),
            (lambda d: plant(d, "I-000003", 1), "is there 2 times"),
            (lambda d: plant(d, "I-000100", 1), "never acknowledged"),
            (lambda d: set_order(d, "I-000001", version=3), "version 3"),
            (lambda d: set_order(d, "I-000003", items=[{"quantity": 1}]), "instead of [2]"),
            (lambda d: set_order(d, "I-000003", persistentEvents=[]), "has the events []"),
            (lambda d: set_order(d, "I-000002", auditInfo={**STAMPS, "lastUpdatedBy": "eve"}), "was written by"),
            (lambda d: d["revisions"].delete_one({"recordVersion": 2}), "its history tells"),
            (lambda d: d["importSessions"].update_one({}, {"$set": {"state": "COMMITTING"}}), "is COMMITTING"),
        ],
        ids=[
            "a lost row", "a row twice", "a row that failed", "a row written twice", "a change that is lost",
            "no event", "somebody else's stamp", "no revision of a change", "a session that is not done",
        ],
    )  # fmt: skip
    def test_broken(
        self, database: Database[Document], breaks: Callable[[Database[Document]], Any], said: str
    ) -> None:
        breaks(database)
        assert said in "\n".join(inspected(database, FILE, [TOLD], "s", USER))

    def test_counts_that_are_not_those_of_the_store(self, database: Database[Document]) -> None:
        (said,) = inspected(database, FILE, [TOLD, TOLD | {"inserted": 2}], "s", USER)
        assert "'inserted': 2" in said


STAMPS = {"createdBy": USER, "lastUpdatedBy": USER, "createdDate": 1, "lastUpdatedDate": 1}


def plant(database: Database[Document], name: str, version: int) -> None:
    """An order as the service stores it; the date of a write is its version."""
    order_id, versions = ObjectId(), range(1, version + 1)
    order = {
        "_id": order_id, "refName": name, "displayName": name, "dataDomain": {"tenantId": TENANT}, "version": version,
        "customer": CUSTOMER, "items": [{"quantity": 2}], "auditInfo": {**STAMPS, "lastUpdatedDate": version},
        "persistentEvents": [{"version": at, "date": at} for at in versions],
    }  # fmt: skip
    database["orders"].insert_one(order)
    database["revisions"].insert_many(
        {
            "_id": ObjectId(), "dataDomain": {"tenantId": TENANT}, "recordId": str(order_id), "recordVersion": at,
            "action": "CREATE" if at == 1 else "UPDATE", "writtenAt": at,
            "changes": [{"path": "items", "after": [{"quantity": 2 if at == version else 1}]}],
        }
        for at in versions
    )  # fmt: skip


def set_order(database: Database[Document], name: str, **fields: Any) -> None:
    database["orders"].update_one({"refName": name}, {"$set": fields})
