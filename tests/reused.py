"""Databases that are used again within a process: emptied, with the indexes that they were created with.

Creating the indexes of a realm takes a second, most of it in MongoDB. Collections that a test adds are dropped.
What else it changes besides documents (an index, an option, a collection that is gone) would meet the next test:
such a database is dropped. A service that starts over a database that is as it was is not made to ask for each of
its indexes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from runtime import app
from runtime.model.catalog import Catalog
from runtime.storage.indexes import apply_indexes, plan_index_models
from runtime.storage.store import Store

Shape = dict[str, Any]

_EMPTY = "d41d8cd98f00b204e9800998ecf8427e"
"""The hash that MongoDB has of a collection without documents."""


@dataclass
class Prepared:
    """A database, and how it looked once its service had started."""

    client: MongoClient[dict[str, Any]]
    name: str
    _shape: Shape | None = None
    _starting: pytest.MonkeyPatch = field(default_factory=pytest.MonkeyPatch)

    def skip_indexes(self) -> None:
        """Let a service that starts find the indexes of this database, if it is one that had them before."""
        if self._shape is None:
            return

        async def apply_elsewhere(store: Store, realm: str, catalog: Catalog) -> None:
            if realm != self.name:
                await apply_indexes(store, realm, catalog)

        self._starting.setattr(app, "apply_indexes", apply_elsewhere)

    def end_start(self) -> None:
        """Let services create all indexes again; also where the one that started could not."""
        self._starting.undo()

    def note_shape(self) -> None:
        """Remember the collections and indexes; to be called once the service has created them."""
        self.end_start()
        self._shape = self._shape or self._read_shape()

    def empty(self) -> bool:
        """Delete all documents and new collections; return whether all is then as it was at the start."""
        if self._shape is None:
            return False
        found, database = self._read_shape(), self.client[self.name]
        added = found.keys() - self._shape.keys()
        if found != self._shape | {name: found[name] for name in added}:
            return False
        for name in added:
            database.drop_collection(name)
        delete_documents(database)
        return True

    def _read_shape(self) -> Shape:
        """Each collection's options and indexes, read by one command."""
        listed = self.client.admin.aggregate([{"$listCatalog": {}}, {"$match": {"db": self.name}}])
        return {one["name"]: _read_definition(one) for one in listed}


def delete_documents(database: Database[dict[str, Any]]) -> None:
    """Empty the collections that hold anything: looking into each takes a test of few records longer."""
    for name, found in database.command("dbHash")["collections"].items():
        if found != _EMPTY:
            database[name].delete_many({})


def _read_definition(listed: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    options = {name: value for name, value in listed["md"]["options"].items() if name != "uuid"}
    return options, [index["spec"] for index in listed["md"]["indexes"]]


_spare: dict[str, list[Prepared]] = {}


@cache
def describe_indexes(catalog: Catalog) -> str:
    """Describe them as text. Clear the cache where record types were changed in their places."""
    return repr(
        [(kind.collection, [model.document for model in plan_index_models(kind)]) for kind in catalog]
    )


@contextmanager
def take_database(client: MongoClient[dict[str, Any]], catalog: Catalog) -> Iterator[Prepared]:
    """Yield an empty database, fresh or left by another test whose catalog asks for the same indexes."""
    spare = _spare.setdefault(f"{id(client)} {describe_indexes(catalog)}", [])  # others may be closed
    taken = spare.pop() if spare else Prepared(client, f"test-{uuid4().hex[:12]}")
    taken.skip_indexes()
    try:
        yield taken
    finally:
        taken.end_start()
    if taken.empty():
        spare.append(taken)
    else:
        client.drop_database(taken.name)
