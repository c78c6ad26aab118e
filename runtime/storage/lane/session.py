"""The driver's session, whose transactions end through the lane."""

from typing import Any

from pymongo import AsyncMongoClient
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.client_session_shared import SessionOptions, TransactionOptions, _EmptyServerSession
from pymongo.write_concern import WriteConcern

from runtime.storage.lane.command import Command, Document
from runtime.storage.lane.lane import Lane


def build_write_concern(concern: WriteConcern) -> Document:
    """Build what a command says of its write concern; its deadline limits the waiting for it."""
    if concern.is_server_default:
        return {}
    return {"writeConcern": {name: value for name, value in concern.document.items() if name != "wtimeout"}}


class LaneSession(AsyncClientSession):
    """A session that commits and aborts in one message; the driver's own way is what follows a failure."""

    def __init__(self, lane: Lane, client: AsyncMongoClient[Any], options: TransactionOptions) -> None:
        super().__init__(client, _EmptyServerSession(), SessionOptions(None, options), False)
        self._lane = lane

    async def _finish_transaction_with_retry(self, command_name: str) -> Document:
        transaction = self._transaction
        if transaction.attempt or transaction.opts is None or not self._lane.is_ready():
            return await super()._finish_transaction_with_retry(command_name)
        transaction.attempt = 1
        concern = transaction.opts.write_concern
        body = {command_name: 1} | ({} if concern is None else build_write_concern(concern))
        return await self._lane.run(
            Command(
                "admin",
                body,
                self.client.codec_options,
                is_read=False,
                session=self,
                reports_write_concern=True,
                finishes=lambda conn: self._finish_transaction(conn, command_name),
            )
        )
