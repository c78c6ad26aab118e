"""Finds by id that are asked for in the same turn of the event loop, sent as one command.

Of a find that returns one record, most of what it costs here and in MongoDB is the command. Under load many
come in one turn. Each keeps its whole match: the command looks the records up by their ids, and a record is
found only if it satisfies the match that is bound to its id. No id is named twice in a command, so nobody is
shown what only the match of another admits. A find that is alone in its turn is sent as it always was, and so
is each of a command that MongoDB refuses.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextvars import Context
from copy import copy
from typing import Any, Final, NamedTuple

from bson import ObjectId
from pymongo.errors import ConnectionFailure

from runtime.storage.lane.command import Document
from runtime.storage.lane.cursor import LaneCursor

Match = Mapping[str, Any]
Find = Callable[[Match, Match, int], LaneCursor]
"""Finds by a match, with a projection, up to so many by their ids."""

_MOST: Final = 50
"""Records of one command: each is compared with the matches of all."""

_BY_ID: Final = "_id"


class _Asked(NamedTuple):
    """One find, and who waits for its record."""

    match: Match
    answer: "asyncio.Future[Document | None]"


class _Group:
    """Finds by id with one projection that will be sent together."""

    __slots__ = ("asked", "projection")

    def __init__(self, projection: Match) -> None:
        self.projection = projection
        self.asked: dict[ObjectId, _Asked] = {}


class Alone(Exception):
    """Tells who waits for a find that it was not sent with others."""


class Gathering:
    """Gathers the finds by id of one collection, on one event loop."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._open: dict[tuple[str, ...], _Group] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop itself holds tasks weakly

    async def find(self, match: Match, projection: Match, number: ObjectId) -> Document | None:
        """Return the record with this id if it satisfies the match, or None.

        Raises ``Alone`` where it has to be sent by itself, and what the driver raises.
        """
        if not projection.get(_BY_ID):
            raise Alone
        names = tuple(projection)
        group = self._open.get(names)
        loop = asyncio.get_running_loop()
        if group is None or len(group.asked) == _MOST:
            group = self._open[names] = _Group(projection)
            loop.call_soon(self._close, names, group)
        if number in group.asked or group.projection != projection:
            raise Alone
        answer: asyncio.Future[Document | None] = loop.create_future()
        group.asked[number] = _Asked(match, answer)
        return await answer

    def _close(self, names: tuple[str, ...], group: _Group) -> None:
        if self._open.get(names) is group:
            del self._open[names]
        if len(group.asked) < 2:
            _refuse(group)
            return
        # In a context of its own: it is the command of none of those who wait.
        task = asyncio.get_running_loop().create_task(self._send(group), context=Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, group: _Group) -> None:
        asked = group.asked
        bound = [{_BY_ID: number, "$and": [one.match]} for number, one in asked.items()]
        match = {_BY_ID: {"$in": list(asked)}, "$or": bound}
        try:
            rows = await self._find(match, group.projection, len(asked)).to_list()
            found = {row[_BY_ID]: row for row in rows}
        except ConnectionFailure as error:
            for one in asked.values():
                _settle(one.answer.set_exception, one, copy(error))
        except Exception:  # perhaps because of one of them
            _refuse(group)
        else:
            for number, one in asked.items():
                _settle(one.answer.set_result, one, found.get(number))


def _refuse(group: _Group) -> None:
    for one in group.asked.values():
        _settle(one.answer.set_exception, one, Alone())


def _settle(tell: Callable[[Any], None], asked: _Asked, outcome: Any) -> None:
    """Tell who waits, unless nobody does any more."""
    if not asked.answer.done():
        tell(outcome)
