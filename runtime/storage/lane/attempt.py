"""One attempt at a command, or at several: messages, their answers, and what the answers say."""

from collections.abc import Sequence
from time import monotonic
from typing import Any, NamedTuple

import bson
from pymongo import AsyncMongoClient
from pymongo._telemetry import _CommandTelemetry
from pymongo.asynchronous.pool import AsyncConnection
from pymongo.errors import NotPrimaryError, OperationFailure, PyMongoError
from pymongo.helpers_shared import _check_command_response
from pymongo.logger import _COMMAND_LOGGER, _is_debug_enabled
from pymongo.message import _COMMAND_OVERHEAD, _convert_exception, _op_msg, _raise_document_too_large
from pymongo.read_preferences import ReadPreference

from runtime.storage.lane.command import Command, Document
from runtime.storage.lane.exchange import Exchange


class _Message(NamedTuple):
    """A command as it is sent."""

    command: Command
    number: int
    encoded: bytes
    telemetry: _CommandTelemetry | None


class Attempts:
    """Sends commands of one client over connections that are checked out.

    ``publishes``: listeners of the client hear of each.
    """

    def __init__(self, client: AsyncMongoClient[Any], *, publishes: bool) -> None:
        self._client = client
        self._publishes = publishes
        self._topology = client._topology
        self._exchange = Exchange()

    async def send(self, command: Command, conn: AsyncConnection, deadline: float, left: float) -> Document:
        """Send a command and return its answer, checked for errors."""
        message = self._encode(command, conn, None if command.address else left)
        (payload,) = await self._exchange_all([message], conn, deadline)
        return self._read(payload, message, conn)

    async def send_together(
        self, commands: Sequence[Command], conn: AsyncConnection, deadline: float, left: float
    ) -> list[Document | PyMongoError]:
        """Send commands of a transaction at once; return what each was answered with.

        The store runs them one after the other. Those between the first and the last have no time limit
        there: it would be looked at before the transaction is, and leave that open for the last.
        Raises what a connection does that fails: then it is not known which of them were run.
        """
        limits = [left, *[None] * (len(commands) - 2), left]
        messages = [self._encode(one, conn, limit) for one, limit in zip(commands, limits, strict=True)]
        answers = list[Document | PyMongoError]()
        for payload, message in zip(
            await self._exchange_all(messages, conn, deadline), messages, strict=True
        ):
            try:
                answers.append(self._read(payload, message, conn))
            except PyMongoError as error:
                answers.append(error)
        return answers

    async def _exchange_all(
        self, messages: Sequence[_Message], conn: AsyncConnection, deadline: float
    ) -> list[Any]:
        numbers, encoded = [one.number for one in messages], b"".join([one.encoded for one in messages])
        try:
            return await self._exchange.send(conn, numbers, encoded, deadline)
        except Exception as error:
            for message in messages:
                _report_failure(message, error)
            raise

    def _encode(self, command: Command, conn: AsyncConnection, left: float | None) -> _Message:
        """Encode a command; ``left``: its time limit in seconds, None without one."""
        sent, session = command.body.copy(), command.session
        self._prepare(sent, command, conn)
        if left is not None:
            sent["maxTimeMS"] = int(left * 1000)
        number, message, size, _largest = _op_msg(
            0, sent, command.database, None, command.codec, ctx=conn.compression_context
        )
        if size > conn.max_bson_size + _COMMAND_OVERHEAD:
            _raise_document_too_large(command.name, size, conn.max_bson_size + _COMMAND_OVERHEAD)
        telemetry = self._begin_telemetry(sent, command, conn, number)
        if session is not None and session._starting_transaction:
            session._transaction.set_in_progress()
        return _Message(command, number, message, telemetry)

    def _read(self, payload: Any, message: _Message, conn: AsyncConnection) -> Document:
        """Return the answer to a message, checked for errors."""
        command, session = message.command, message.command.session
        try:
            answer = None if command.rows is None else command.rows.decode(payload)
            if answer is None:
                answer = bson.decode(payload, command.codec)
            self._topology._receive_cluster_time_no_lock(answer.get("$clusterTime"))
            if session is not None:
                session._process_response(answer)
            _check_command_response(
                answer, conn.max_wire_version, (), command.reports_write_concern, conn.opts
            )
        except Exception as error:
            _report_failure(message, error)
            raise
        if message.telemetry is not None:
            message.telemetry.succeeded(answer, command.name, False)
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
        elif lent is not None:
            lent.last_use = monotonic()
            sent["lsid"] = lent.session_id
            if command.is_retryable and not command.is_read:
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


def _report_failure(message: _Message, error: Exception) -> None:
    if message.telemetry is not None:
        details: Any = _convert_exception(error)
        if isinstance(error, NotPrimaryError | OperationFailure):
            details = error.details
        message.telemetry.failed(details, message.command.name, isinstance(error, OperationFailure))
