"""One service for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from tests.query.ward import Ward, open_ward


@pytest.fixture(scope="module")
def ward(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ward]:
    """The service of a module."""
    with open_ward(mongo_uri, mongo_client, tmp_path_factory.mktemp("ward")) as opened:
        yield opened
