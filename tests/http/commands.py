"""What a service really sends to MongoDB while it answers: which commands, on whose documents.

Two answers that look alike took the same commands, so that their times are of one class; and no command on
records goes without the tenant of the caller, whatever the code above the store did.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from bson.regex import Regex
from pymongo import AsyncMongoClient
from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

from runtime.storage.access import Access
from runtime.storage.store import AnyStore
from runtime.storage.store.commands import Commands as StoreCommands

_TENANT = "dataDomain.tenantId"


@dataclass(frozen=True)
class Sent:
    """One command; ``selections`` are its filters, ``made`` the documents it inserts."""

    name: str
    collection: str
    selections: tuple[Mapping[str, Any], ...]
    made: tuple[Mapping[str, Any], ...]
    collation: Mapping[str, Any] | None = None

    def is_bound_to(self, tenant: str, path: str = _TENANT) -> bool:
        """Whether it can reach and make documents of this tenant alone; ``path``: where they name it.

        Under a collation ``acme`` is ``ACME`` too, unless a pattern says otherwise.
        """
        exact = {"$eq": tenant, "$all": [Regex(f"^{re.escape(tenant)}(?!.)", "s")]}
        bound = exact if self.collation else tenant
        reaches = all(_required(selection, path) == bound for selection in self.selections)
        return reaches and all(one["dataDomain"]["tenantId"] == tenant for one in self.made)

    def pinned(self, path: str) -> object:
        """The value that its one selection asks for at a path; None where it asks for none."""
        return _required(self.selections[0], path) if len(self.selections) == 1 else None


@dataclass
class Commands(CommandListener):
    """Listens to the clients that are made while ``listening``; ``clear`` before a request.

    ``leaves``: with which leave each method of the store was called.
    """

    sent: list[Sent] = field(default_factory=list)
    leaves: list[Access] = field(default_factory=list)
    _meddling: dict[tuple[str, str], Callable[[], object]] = field(default_factory=dict)

    def clear(self) -> None:
        """Forget what was sent."""
        self.sent.clear()
        self.leaves.clear()

    def undisturbed(self) -> None:
        """From now on nobody else does anything."""
        self._meddling.clear()

    def before(self, command: str, collection: str, act: Callable[[], object]) -> None:
        """Once, right before the next such command is sent: what somebody else does meanwhile."""
        self._meddling[command, collection] = act

    def started(self, event: CommandStartedEvent) -> None:
        """One command, kept when it is about documents."""
        name, command = event.command_name, event.command
        if name == "explain":  # how another command would look for documents
            command = command["explain"]
            name = next(iter(command))
        act = self._meddling.pop((name, str(command.get(name))), None)
        if act is not None:
            act()
        if (found := _SELECTIONS.get(name)) is not None:
            made = tuple(command["documents"]) if name == "insert" else ()
            self.sent.append(
                Sent(name, str(command[name]), tuple(found(command)), made, command.get("collation"))
            )

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """Nothing to note."""

    def failed(self, event: CommandFailedEvent) -> None:
        """Nothing to note."""

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Stores made inside are listened to, for as long as they live."""
        with pytest.MonkeyPatch.context() as patch:
            client = partial(AsyncMongoClient, event_listeners=[self])
            patch.setattr("runtime.storage.store.connection.AsyncMongoClient", client)
            patch.setattr(StoreCommands, "_collection", self._noting(StoreCommands._collection))
            yield

    def _noting(self, collection: Callable[[Any, Access], Any]) -> Callable[[AnyStore, Access], Any]:
        """Each method of the store asks for the collection by the leave it works with."""

        def noted(store: AnyStore, access: Access) -> Any:
            self.leaves.append(access)
            return collection(store, access)

        return noted


def _of_pipeline(stages: Any) -> Iterator[Mapping[str, Any]]:
    """The first match of a pipeline and of each that is joined to it; one without selects everything."""
    first = stages[0] if stages else {}
    yield first.get("$match", {})
    for stage in stages:
        for joined in (stage.get("$unionWith"), stage.get("$lookup")):
            if joined is not None:
                yield from _of_pipeline(joined.get("pipeline", ()))


_SELECTIONS: dict[str, Any] = {
    "find": lambda command: [command.get("filter", {})],
    "aggregate": lambda command: _of_pipeline(command["pipeline"]),
    "insert": lambda _command: [],
    "update": lambda command: [one["q"] for one in command["updates"]],
    "delete": lambda command: [one["q"] for one in command["deletes"]],
    "findAndModify": lambda command: [command["query"]],
}


def _required(selection: Mapping[str, Any], path: str) -> object:
    """What the selection asks for at a path, whatever else it asks for, and in each of its alternatives."""
    if path in selection:
        return selection[path]
    found = [_required(one, path) for one in selection.get("$and", ())]
    ways = [_required(one, path) for one in selection.get("$or", ())]
    found += ways[:1] if all(way == ways[0] for way in ways) else []
    return next((value for value in found if value is not None), None)
