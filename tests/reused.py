"""Databases that are used again within a process: emptied, with the indexes that they were created with.

Creating the indexes of a realm takes a second, most of it in MongoDB. Collections that a test adds are dropped.
What else it changes besides documents (an index, an option, a collection that is gone) would meet the next test:
such a database is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from pymongo import MongoClient

from runtime.model.record_type import Catalog
from runtime.storage.indexes import plan_index_models

Shape = dict[str, Any]


@dataclass
class Prepared:
    """A database, and how it looked once its service had started."""

    client: MongoClient[dict[str, Any]]
    name: str
    _shape: Shape | None = None

    def note_shape(self) -> None:
        """Remember the collections and indexes; to be called once the service has created them."""
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
        for name in self._shape:
            database[name].delete_many({})
        return True

    def _read_shape(self) -> Shape:
        database = self.client[self.name]
        return {
            one["name"]: (one["options"], database[one["name"]].index_information())
            for one in database.list_collections()
        }


_spare: dict[str, list[Prepared]] = {}


@contextmanager
def take_database(client: MongoClient[dict[str, Any]], catalog: Catalog) -> Iterator[Prepared]:
    """Yield an empty database, fresh or left by another test whose catalog asks for the same indexes."""
    indexes = repr(
        [(kind.collection, [model.document for model in plan_index_models(kind)]) for kind in catalog]
    )
    spare = _spare.setdefault(indexes, [])
    taken = spare.pop() if spare else Prepared(client, f"test-{uuid4().hex[:12]}")
    yield taken
    if taken.empty():
        spare.append(taken)
    else:
        client.drop_database(taken.name)
