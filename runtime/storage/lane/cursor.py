"""What a query finds: one answer of the server, or all of them."""

from functools import partial
from typing import Final

from pymongo.errors import ConnectionFailure, ServerSelectionTimeoutError, WaitQueueTimeoutError
from pymongo.message import _CursorAddress

from runtime.storage.lane.command import Address, Command, Document
from runtime.storage.lane.lane import Lane

_NOTHING_SENT: Final = (WaitQueueTimeoutError, ServerSelectionTimeoutError)


class LaneCursor:
    """A query that is sent once it is read. ``batch_size``: that of further answers; 0 for any."""

    def __init__(self, lane: Lane, command: Command, batch_size: int) -> None:
        self._lane = lane
        self._command = command
        self._batch_size = batch_size

    async def to_list(self) -> list[Document]:
        """Return all documents, in one deadline."""
        rows, _has_more = await self._lane.run_in_session(
            self._command, partial(self._read, first_only=False)
        )
        return rows

    async def read_first(self) -> tuple[list[Document], bool]:
        """Return the documents of the first answer, and whether there are more; those are given up."""
        return await self._lane.run_in_session(self._command, partial(self._read, first_only=True))

    async def _read(self, command: Command, *, first_only: bool) -> tuple[list[Document], bool]:
        deadline = self._lane.deadline()
        answer, address = await self._lane.run_until(deadline, command)
        cursor = answer["cursor"]
        rows: list[Document] = cursor["firstBatch"]
        while cursor["id"] and not first_only:
            cursor = await self._read_more(command, deadline, cursor, address)
            rows += cursor["nextBatch"]
        if cursor["id"]:
            place = _CursorAddress(address, cursor["ns"])
            await self._lane.close_cursor(command, cursor["id"], place)
        return rows, bool(cursor["id"])

    async def _read_more(
        self, command: Command, deadline: float, cursor: Document, address: Address
    ) -> Document:
        """Return the cursor with the next batch."""
        database, _dot, name = cursor["ns"].partition(".")
        body: Document = {"getMore": cursor["id"], "collection": name}
        if self._batch_size:
            body["batchSize"] = self._batch_size
        more = Command(
            database, body, command.codec, True, False, command.session, command.lent, address=address
        )
        try:
            answer, _address = await self._lane.run_until(deadline, more)
        except BaseException as error:  # a cancelled request waits for no more answers
            # A server that loses the connection in the middle closes the cursor, if it is there at all.
            if not isinstance(error, ConnectionFailure) or isinstance(error, _NOTHING_SENT):
                self._lane.abandon_cursor(cursor["id"], _CursorAddress(address, cursor["ns"]))
            raise
        found: Document = answer["cursor"]
        return found
