"""The example service, as ``tests/http`` has it, which sees changes at once and throttles nobody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from tests.http.conftest import key_folder, world
from tests.oauth.served import Served, serve_applications

__all__ = ["key_folder", "usual_settings", "world"]


@pytest.fixture(scope="session")
def usual_settings() -> dict[str, Any]:
    """Without a memory, so that what is changed in the store is seen at once."""
    return {"credential_cache_seconds": 0, "login_failures": 100_000}


@pytest.fixture(scope="module")
def served(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    with serve_applications(mongo_uri, mongo_client, tmp_path_factory.mktemp("served")) as opened:
        yield opened
