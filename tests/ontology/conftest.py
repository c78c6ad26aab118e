"""A service with the example's ontology."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pymongo import MongoClient

from tests.http.world import Document, World, open_world
from tests.ontology.places import check_edges


@pytest.fixture(scope="module")
def opened(mongo_uri: str, mongo_client: MongoClient[Document]) -> Iterator[World]:
    # Many writers at once wait for each other, and longer on a busy machine.
    settings = {"rule_cache_seconds": 0}
    with open_world(mongo_uri, mongo_client, **settings) as world:
        world.sample("Port")  # stores a region with the first one, which no test is to count
        yield world


@pytest.fixture
def world(opened: World) -> Iterator[World]:
    """The service without records, whose edges are right when the test is over."""
    for name in ("regions", "ports", "suppliers", "ontologyEdges"):
        opened.documents[name].delete_many({})
    yield opened
    check_edges(opened.documents)
