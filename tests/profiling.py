"""What MongoDB does for the commands of a block, as its profiler records them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pymongo.database import Database

Document = dict[str, Any]


@contextmanager
def profiled(database: Database[Document], *collections: str) -> Iterator[list[Document]]:
    """Fill the list with the commands on some collections, as MongoDB profiles them."""
    commands: list[Document] = []
    names = [f"{database.name}.{one}" for one in collections]
    database.command("profile", 2)
    try:
        yield commands
    finally:
        database.command("profile", 0)
        commands += database["system.profile"].find({"ns": {"$in": names}}).sort("ts", 1)
        database.drop_collection("system.profile")


def most_examined(commands: list[Document]) -> int:
    """The most documents that one of the commands looked at."""
    return max(one.get("docsExamined", 0) for one in commands)
