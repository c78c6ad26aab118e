"""What a service really sends to MongoDB while it answers: which commands, on whose documents.

Two answers that look alike took the same commands, so that their times are of one class; and no command on
records goes without the tenant of the caller, whatever the code above the store did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from pymongo import AsyncMongoClient
from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

_TENANT = "dataDomain.tenantId"


@dataclass(frozen=True)
class Sent:
    """One command; ``selections`` are its filters, ``made`` the documents it inserts."""

    name: str
    collection: str
    selections: tuple[Mapping[str, Any], ...]
    made: tuple[Mapping[str, Any], ...]

    def is_bound_to(self, tenant: str) -> bool:
        """Whether it can reach and make documents of this tenant alone."""
        reaches = all(_requires(selection, tenant) for selection in self.selections)
        return reaches and all(one["dataDomain"]["tenantId"] == tenant for one in self.made)


@dataclass
class Commands(CommandListener):
    """Listens to the clients that are made while ``listening``; ``clear`` before a request."""

    sent: list[Sent] = field(default_factory=list)

    def started(self, event: CommandStartedEvent) -> None:
        """One command, kept when it is about documents."""
        name, command = event.command_name, event.command
        if (found := _SELECTIONS.get(name)) is not None:
            made = tuple(command["documents"]) if name == "insert" else ()
            self.sent.append(Sent(name, str(command[name]), tuple(found(command)), made))

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """Nothing to note."""

    def failed(self, event: CommandFailedEvent) -> None:
        """Nothing to note."""

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Stores made inside are listened to, for as long as they live."""
        with pytest.MonkeyPatch.context() as patch:
            client = partial(AsyncMongoClient, event_listeners=[self])
            patch.setattr("runtime.store.store.AsyncMongoClient", client)
            yield


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


def _requires(selection: Mapping[str, Any], tenant: str) -> bool:
    return selection.get(_TENANT) == tenant or any(
        _requires(one, tenant) for one in selection.get("$and", ())
    )
