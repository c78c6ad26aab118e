"""One service for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pymongo import MongoClient

from tests.query.stock import Stock
from tests.query.ward import LOGISTICS, ORDER, Ward, open_ward


@pytest.fixture(scope="session")
def ward_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One set of keys for all wards: generating them takes a tenth of a second."""
    return tmp_path_factory.mktemp("ward")


@pytest.fixture(scope="module")
def ward(mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], ward_keys: Path) -> Iterator[Ward]:
    """The service of a module."""
    with open_ward(mongo_uri, mongo_client, ward_keys) as opened:
        yield opened


@pytest.fixture(scope="module")
def pending_orders(ward: Ward) -> None:
    """Records of the example; all orders are such that a user of acme sees them."""
    made = Stock(Random(7), LOGISTICS)
    for kind in LOGISTICS:
        ward.store(kind, made.documents(kind))
    order = {"$set": {"status": "PENDING", "activeStatus": "ACTIVE", "dataDomain": {"tenantId": "acme"}}}
    ward.database[ORDER.collection].update_many({}, order)
