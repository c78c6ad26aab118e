"""What a query finds: one answer of the server, or all of them."""

from typing import Final

from pymongo.errors import ConnectionFailure, OperationFailure
from pymongo.message import _CursorAddress

from runtime.storage.lane.command import Address, Command, Document
from runtime.storage.lane.lane import Lane

_GONE: Final = frozenset({43, 175, 237})
"""Codes of refusals after which the server has no cursor any more."""


class LaneCursor:
    """A query that is sent once it is read. ``limit`` and ``batch_size``: 0 for none."""

    def __init__(self, lane: Lane, command: Command, limit: int, batch_size: int) -> None:
        self._lane = lane
        self._command = command
        self._limit = limit
        self._batch_size = batch_size
        self._deadline = 0.0
        self._id = 0
        self._name = ""
        self._address: Address = ("", None)

    async def to_list(self) -> list[Document]:
        """Return all documents, in one deadline."""
        return await self._read(first_only=False)

    async def read_first(self) -> tuple[list[Document], bool]:
        """Return the documents of the first answer, and whether there are more; those are given up."""
        rows = await self._read(first_only=True)
        return rows, bool(self._id)

    async def _read(self, *, first_only: bool) -> list[Document]:
        command = self._command
        if command.session is not None:
            return await self._read_rows(command, first_only)
        lent = self._lane.lend()
        try:
            return await self._read_rows(command._replace(lent=lent), first_only)
        finally:
            self._lane.take_back(lent)

    async def _read_rows(self, command: Command, first_only: bool) -> list[Document]:
        self._deadline = self._lane.deadline()
        answer, self._address = await self._lane.run_until(self._deadline, command)
        rows: list[Document] = self._take(answer, "firstBatch")
        while self._id and not first_only and not self._is_full(rows):
            rows += self._take(await self._read_more(command, len(rows)), "nextBatch")
        if self._id:
            await self._lane.close_cursor(command, self._id, _CursorAddress(self._address, self._name))
        return rows

    def _is_full(self, rows: list[Document]) -> bool:
        return bool(self._limit) and len(rows) >= self._limit

    def _take(self, answer: Document, batch: str) -> list[Document]:
        cursor = answer["cursor"]
        self._id, self._name = cursor["id"], cursor.get("ns", self._name)
        rows: list[Document] = cursor[batch]
        return rows

    async def _read_more(self, command: Command, number: int) -> Document:
        database, _dot, name = self._name.partition(".")
        body: Document = {"getMore": self._id, "collection": name}
        most = self._batch_size
        if self._limit:
            most = min(most or self._limit, self._limit - number)
        if most:
            body["batchSize"] = most
        more = Command(
            database, body, command.codec, True, False, command.session, command.lent, address=self._address
        )
        try:
            return (await self._lane.run_until(self._deadline, more))[0]
        except ConnectionFailure:
            raise
        except BaseException as error:
            if not (isinstance(error, OperationFailure) and error.code in _GONE):
                self._lane.abandon_cursor(self._id, _CursorAddress(self._address, self._name))
            raise
