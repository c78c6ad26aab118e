"""The example service, as ``tests/http`` has it, which reads its rules anew for each request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from tests.http.conftest import key_folder, play
from tests.http.world import World, open_world

__all__ = ["key_folder", "play", "world"]


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], key_folder: Path) -> Iterator[World]:
    """The service of a module."""
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, rule_cache_seconds=0) as opened:
        yield opened
