"""A collection for the tests of a module, which fill it with what they compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient
from pymongo.collection import Collection


@pytest.fixture(scope="module")
def rows(mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Collection[dict[str, Any]]]:
    collection = mongo_client["filter-test"][uuid4().hex]
    yield collection
    collection.drop()
