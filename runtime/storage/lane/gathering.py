"""Finds by id that several tasks ask for in the same turn of the event loop, sent as one command.

Of a find that returns one record, most of what it costs here and in MongoDB is the command. Under load many
come in one turn. Each keeps its whole match: the command looks the records up by their ids, and a record is
found only if it satisfies the match that is bound to its id. No id is named with two matches in a command, so
nobody is shown what only the match of another admits. Finds of one task that are alone in their turn are left
to it, and so is each of a command that MongoDB refuses, and each that large records leave no room for in the
first answer: nobody waits for more than that.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextvars import Context
from copy import copy
from typing import Any, Final, TypeAlias

import bson
from bson import ObjectId
from pymongo.errors import ConnectionFailure

from runtime.storage.lane.command import Document
from runtime.storage.lane.cursor import LaneCursor

Match = Mapping[str, Any]
Answer: TypeAlias = "asyncio.Future[Document | None]"
Find = Callable[[Match, Match, int], LaneCursor]
"""Finds by a match, with a projection, up to so many by their ids."""

_MOST: Final = 16
"""Finds of one command. With more, MongoDB would rest while the answers of all are rendered."""

_BY_ID: Final = "_id"


class _Asked:
    """One find, and who waits for its record: several that ask for the same with the same match."""

    __slots__ = ("answers", "match")

    def __init__(self, match: Match) -> None:
        self.match = match
        self.answers: list[Answer] = []

    def has_match(self, match: Match) -> bool:
        """Whether a match is the same to MongoDB, where ``True`` is not 1 and members have an order."""
        return self.match == match and bson.encode(self.match) == bson.encode(match)

    def settle(self, found: Document | None) -> None:
        """Hand the record to all who wait, to each one of its own."""
        waiting = [answer for answer in self.answers if not answer.done()]
        encoded = bson.encode(found) if found is not None and len(waiting) > 1 else None
        for at, answer in enumerate(waiting):
            answer.set_result(bson.decode(encoded) if at and encoded is not None else found)

    def fail(self, error: Exception) -> None:
        """Raise an error of its own for each who waits."""
        for answer in self.answers:
            if not answer.done():
                answer.set_exception(copy(error))


class _Group:
    """Finds by id with one projection that will be sent together, in one turn of ``loop``.

    ``tasks``: those that have asked. Finds of one task are left to it, which may send more with them.
    """

    __slots__ = ("asked", "loop", "projection", "tasks")

    def __init__(self, projection: Match) -> None:
        self.projection, self.loop = projection, asyncio.get_running_loop()
        self.asked: dict[ObjectId, _Asked] = {}
        self.tasks: set[asyncio.Task[Any] | None] = set()

    def fail(self, error: Exception) -> None:
        """Raise an error for all."""
        for one in self.asked.values():
            one.fail(error)


class Alone(Exception):
    """Tells who waits for a find that it was not sent with others."""


class Gathering:
    """Gathers the finds by id of one collection, on one event loop."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._open: dict[tuple[str, ...], _Group] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop itself holds tasks weakly

    def ask(self, match: Match, projection: Match, number: ObjectId) -> Answer:
        """Return what will hold the record with this id if it satisfies the match, or None.

        It raises ``Alone`` where the find has to be sent by itself, which may be said at once, and what the
        driver raises.
        """
        if not projection.get(_BY_ID):
            raise Alone
        names = tuple(projection)
        group = self._open.get(names)
        if group is None or len(group.asked) == _MOST:
            group = self._open[names] = _Group(projection)
            group.loop.call_soon(self._close, names, group)
        asked = group.asked.get(number)
        if group.projection != projection or (asked is not None and not asked.has_match(match)):
            raise Alone
        if asked is None:
            asked = group.asked[number] = _Asked(match)
        asked.answers.append(answer := group.loop.create_future())
        group.tasks.add(asyncio.current_task())
        return answer

    def _close(self, names: tuple[str, ...], group: _Group) -> None:
        if self._open.get(names) is group:
            del self._open[names]
        if len(group.tasks) < 2:
            group.fail(Alone())
            return
        # In a context of its own: it is the command of none of those who wait.
        task = group.loop.create_task(self._send(group), context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, group: _Group) -> None:
        asked = group.asked
        bound = [{_BY_ID: number, "$and": [one.match]} for number, one in asked.items()]
        match = {_BY_ID: {"$in": list(asked)}, "$or": bound}
        try:
            rows, has_more = await self._find(match, group.projection, len(asked)).read_first()
            found = {row[_BY_ID]: row for row in rows}
            for number, one in asked.items():
                if number in found or not has_more:
                    one.settle(found.get(number))
        except Exception as error:
            if isinstance(error, ConnectionFailure):  # else perhaps because of one of them
                group.fail(error)
        finally:
            group.fail(Alone())  # all that are left, whatever has happened: nobody else would answer them
