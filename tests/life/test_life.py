"""Some releases of one service, each next to the one before: nothing is lost, and nobody sees an error.

``make faults`` has all of them, over many records, with kills in the middle of each migration.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient

from tests.life.play import Plan, play
from tests.life.releases import ADD, REFERENCE, RENAME, RENAME_TYPE, WIDEN, combine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="services are stopped by signals")


UPGRADE = combine("five releases at once", ADD, RENAME, WIDEN, REFERENCE, RENAME_TYPE)


def test_releases_of_a_service(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], tmp_path: Path
) -> None:
    realm = f"life-{uuid4().hex[:12]}"
    try:
        outcome = play(Plan((UPGRADE,), records=200), mongo_uri, realm, tmp_path, print)
    finally:
        mongo_client.drop_database(realm)
    assert outcome.wrong == []
    assert set(outcome.answers) <= {"200", "201", "204", "404"}
