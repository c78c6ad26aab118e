"""One attempt at a command: a message, its answer, and what the answer says."""

from time import monotonic
from typing import Any

import bson
from pymongo import AsyncMongoClient
from pymongo._telemetry import _CommandTelemetry
from pymongo.asynchronous.pool import AsyncConnection
from pymongo.errors import NotPrimaryError, OperationFailure
from pymongo.helpers_shared import _check_command_response
from pymongo.logger import _COMMAND_LOGGER, _is_debug_enabled
from pymongo.message import _COMMAND_OVERHEAD, _convert_exception, _op_msg, _raise_document_too_large
from pymongo.read_preferences import ReadPreference

from runtime.storage.lane.command import Command, Document
from runtime.storage.lane.exchange import Exchange


class Attempts:
    """Sends commands of one client over connections that are checked out.

    ``publishes``: listeners of the client hear of each.
    """

    def __init__(self, client: AsyncMongoClient[Any], *, publishes: bool) -> None:
        self._client = client
        self._publishes = publishes
        self._topology = client._topology
        self._exchange = Exchange()
        self._retries_writes = bool(client.options.retry_writes)

    async def send(self, command: Command, conn: AsyncConnection, deadline: float, left: float) -> Document:
        """Send a command and return its answer, checked for errors."""
        sent, session = command.body.copy(), command.session
        self._prepare(sent, command, conn)
        if command.address is None:
            sent["maxTimeMS"] = int(left * 1000)
        number, message, size, _largest = _op_msg(
            0, sent, command.database, None, command.codec, ctx=conn.compression_context
        )
        if size > conn.max_bson_size + _COMMAND_OVERHEAD:
            _raise_document_too_large(command.name, size, conn.max_bson_size + _COMMAND_OVERHEAD)
        telemetry = self._begin_telemetry(sent, command, conn, number)
        if session is not None and session._starting_transaction:
            session._transaction.set_in_progress()
        try:
            payload = await self._exchange.send(conn, number, message, deadline)
            answer = _decode(payload, command)
            self._topology._receive_cluster_time_no_lock(answer.get("$clusterTime"))
            if session is not None:
                session._process_response(answer)
            _check_command_response(
                answer, conn.max_wire_version, command.allowed, command.reports_write_concern, conn.opts
            )
        except Exception as error:
            if telemetry is not None:
                telemetry.failed(_describe(error), command.name, isinstance(error, OperationFailure))
            raise
        if telemetry is not None:
            telemetry.succeeded(answer, command.name, False)
        if command.check is not None:
            command.check(answer)
        if session is not None and session.in_transaction:
            session._transaction.has_completed_command = True
        return answer

    def _prepare(self, sent: Document, command: Command, conn: AsyncConnection) -> None:
        """Add what belongs to the session."""
        session, lent = command.session, command.lent
        if session is not None:
            session._apply_to(sent, False, ReadPreference.PRIMARY, conn)
            self._client._send_cluster_time(sent, session)
            return
        if lent is None:
            raise ValueError("a command needs a session")
        lent.last_use = monotonic()
        sent["lsid"] = lent.session_id
        if not command.is_read and self._retries_writes and command.is_retryable:
            lent.inc_transaction_id()
            sent["txnNumber"] = lent.transaction_id
        if (newest := self._topology._max_cluster_time) is not None:
            sent["$clusterTime"] = newest

    def _begin_telemetry(
        self, sent: Document, command: Command, conn: AsyncConnection, number: int
    ) -> _CommandTelemetry | None:
        """Tell listeners and the log of the driver; None without any."""
        listeners = self._client._event_listeners if self._publishes else None
        if not ((listeners and listeners.enabled_for_commands) or _is_debug_enabled(_COMMAND_LOGGER)):
            return None
        telemetry = _CommandTelemetry(
            self._client._topology_id, conn, listeners, sent, command.database, number, None, command.name
        )
        telemetry.started(sent, True)
        return telemetry


def _decode(payload: Any, command: Command) -> Document:
    answer = None if command.rows is None else command.rows.decode(payload)
    if answer is None:
        answer = bson.decode(payload, command.codec)
    return answer


def _describe(error: Exception) -> Any:
    if isinstance(error, NotPrimaryError | OperationFailure):
        return error.details
    return _convert_exception(error)
