"""A service of its own for the modules of imports that need a store (``stock.py``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from anyio.from_thread import start_blocking_portal
from pydantic import SecretStr
from pymongo import MongoClient

from generated.rules import RULES
from runtime.app import open_service
from runtime.model.catalog import Catalog
from runtime.settings import Settings
from runtime.system.record_types import IMPORT_ROW, IMPORT_SESSION
from tests.transfer.stock import BIN, CLERK, ROOMS, SHELF, Stock


@pytest.fixture(scope="module")
def stock(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stock]:
    """The service of a module, with the same shelves for each tenant."""
    realm = f"test-{uuid4().hex[:12]}"
    settings = Settings.read(
        {}, environment="development", data_folder=tmp_path_factory.mktemp("stock"), log_level="ERROR",
        mongodb_uri=SecretStr(mongo_uri), default_realm=realm, change_streams=False,
    )  # fmt: skip
    catalog = Catalog((BIN, CLERK, SHELF, IMPORT_SESSION, IMPORT_ROW))
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(open_service(catalog, settings, rules=RULES)) as service,
    ):
        made = Stock(service, realm, portal, mongo_client[realm])
        for tenant in ("acme", "globex"):
            made.plant(*({"refName": name} for name in ROOMS), tenant=tenant, collection="shelves")
        yield made
    mongo_client.drop_database(realm)


@pytest.fixture
def bins(stock: Stock) -> Stock:
    """The same without bins."""
    stock.empty()
    return stock
