"""One realm, and the services of several versions on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient

from runtime.migrations import keeper
from tests.migrations.versions import Document, Opening, run


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers read phases all the time, since no change streams tell them."""
    monkeypatch.setattr(keeper, "_SECONDS", 0.1)
    monkeypatch.setattr(keeper, "_QUIET_SECONDS", 0.1)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys")


@pytest.fixture
def database(mongo_client: MongoClient[Document]) -> Any:
    name = f"test-{uuid4().hex[:12]}"
    yield mongo_client[name]
    mongo_client.drop_database(name)


@pytest.fixture
def opening(mongo_uri: str, database: Any, keys: Path) -> Opening:
    return lambda version, *rules, **more: run(version, mongo_uri, database.name, keys, *rules, **more)
