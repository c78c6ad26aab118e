"""Store commands without most of the driver's work, over the driver's own connections.

A command whose server is known and has an idle connection is sent as one message, and its answer decoded.
The driver makes some 640 Python calls for that, most of them for what is rarely needed. What is rare stays
its own: where the lane cannot send at once, and where an attempt fails, the driver's loop takes over, with
its selection of servers, its new connections, its retries, labels and back-off. What a failed attempt shows
about server, session and connection is reported to the driver.

The server sees the same either way: ``lsid``, ``txnNumber``, ``$clusterTime`` and ``maxTimeMS`` are sent as
the driver sends them. Listeners of the client hear of each command.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from time import monotonic
from typing import Any, Final, TypeVar

from pymongo import AsyncMongoClient, _csot
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.mongo_client import _ClientCheckout
from pymongo.asynchronous.pool import AsyncConnection
from pymongo.asynchronous.server import Server
from pymongo.errors import DocumentTooLarge, PyMongoError
from pymongo.message import _CursorAddress
from pymongo.read_preferences import ReadPreference

from runtime.storage.lane.attempt import Attempts
from runtime.storage.lane.command import Address, Command, Document
from runtime.storage.lane.pool import has_idle, release, take_idle
from runtime.storage.lane.primary import Primary
from runtime.storage.lane.retrying import Again

T = TypeVar("T")

_NEWEST_TOGETHER: Final = 26
"""The last wire version, of MongoDB 8.1, whose servers do not turn commands away to shed load."""

_LEAST: Final = 0.001
"""Seconds. With less time left the driver says so: a limit of 0 ms would be none."""


class Lane:
    """What sends the commands of one client. ``publishes``: listeners of the client hear of each."""

    def __init__(self, client: AsyncMongoClient[Any], *, publishes: bool = True) -> None:
        self._client = client
        self._topology = client._topology
        self._attempts = Attempts(client, publishes=publishes)
        self.retries_writes = bool(client.options.retry_writes)
        self._primary = Primary(client)

    def deadline(self) -> float:
        """Return until when an operation that begins now may take."""
        if _csot.get_timeout() is None:
            return monotonic() + (self._client._timeout or 0)
        return _csot.get_deadline()

    def knows_primary(self) -> bool:
        """Whether a command would wait for a connection at most."""
        return self._primary.find() is not None

    def is_ready(self) -> bool:
        """Whether a command would be sent at once, if nothing is awaited before."""
        server = self._primary.find()
        return server is not None and has_idle(server.pool)

    def may_gather(self) -> bool:
        """Whether a command may be sent together with those of other requests."""
        return self.knows_primary() and _csot.get_timeout() is None

    async def run(self, command: Command) -> Document:
        """Run one command and return its answer. Raises what the driver raises."""
        return (await self.run_in_session(command, partial(self.run_until, self.deadline())))[0]

    async def run_in_session(self, command: Command, work: Callable[[Command], Awaitable[T]]) -> T:
        """Have ``work`` run a command, with a server session of the driver's pool outside of a transaction.

        The driver drops the server session if a connection was lost that used it.
        """
        if command.session is not None:
            return await work(command)
        minutes = self._topology._description.logical_session_timeout_minutes
        lent = self._topology.get_server_session(minutes)
        try:
            return await work(command._replace(lent=lent))
        finally:
            self._topology.return_server_session(lent)

    async def run_until(self, deadline: float, command: Command) -> tuple[Document, Address]:
        """Run one command of an operation with this deadline; also return the address of its server."""
        if (taken := self._take(command, deadline)) is None:
            return await self._run_in_driver(deadline, command, None)
        server, conn, left = taken
        try:
            return await self._attempts.send(command, conn, deadline, left), conn.address
        except BaseException as error:
            await self._report(command, server, conn, deadline, error)
            if not isinstance(error, PyMongoError):
                raise
            failure = error
        finally:
            await release(server.pool, conn)
        return await self._run_in_driver(deadline, command, failure)

    def _take(self, command: Command, deadline: float) -> tuple[Server, AsyncConnection, float] | None:
        """Check out an idle connection to the server of a command; also return the seconds that are left.

        None where it would have to wait for one, or too little time is left.
        """
        server = self._primary.find(command)
        if server is None or not has_idle(server.pool):
            return None
        left = deadline - monotonic() - server.description.min_round_trip_time
        return None if left < _LEAST else (server, take_idle(server.pool), left)

    async def run_together(self, commands: Sequence[Command]) -> list[Document | PyMongoError] | None:
        """Run commands of a transaction, sent before the first is answered; None: nothing was sent.

        Return what each was answered with. Raises what the connection does, if some were not. A server that
        turns commands away before it looks at their transaction would run the rest.
        """
        deadline = self.deadline()
        if (taken := self._take(commands[0], deadline)) is None:
            return None
        server, conn, left = taken
        try:
            if conn.max_wire_version > _NEWEST_TOGETHER:
                return None
            answers = await self._attempts.send_together(commands, conn, deadline, left)
            if failure := next((one for one in answers if isinstance(one, PyMongoError)), None):
                await self._report(commands[0], server, conn, deadline, failure)
            return answers
        except DocumentTooLarge:  # found before anything was sent: the driver splits what is too large
            return None
        except BaseException as error:
            await self._report(commands[0], server, conn, deadline, error)
            raise
        finally:
            await release(server.pool, conn)

    async def retry(self, command: Command, failure: PyMongoError) -> Document:
        """Run a command again in the driver's loop, after an attempt that was answered with ``failure``."""
        return (await self._run_in_driver(self.deadline(), command, failure))[0]

    async def _report(
        self, command: Command, server: Server, conn: AsyncConnection, deadline: float, error: BaseException
    ) -> None:
        """Report to the driver what an attempt shows about server, session and connection."""
        command.give_up(error)
        session = self._adopt_session(command)
        checkout = _ClientCheckout.for_existing_conn(self._client, server, session, conn)
        with self._limit_time(deadline):
            await checkout.handle(type(error), error)

    def abandon_cursor(self, number: int, address: _CursorAddress) -> None:
        """Have the driver close a cursor when it next cleans up."""
        self._client._close_cursor_soon(number, address)

    async def close_cursor(self, command: Command, number: int, address: _CursorAddress) -> None:
        """Have the driver close the cursor that a command opened."""
        with self._limit_time(self.deadline()):
            await self._client._close_cursor_now(number, address, self._adopt_session(command))

    async def _run_in_driver(
        self, deadline: float, command: Command, failure: PyMongoError | None
    ) -> tuple[Document, Address]:
        """Run the command in the driver's loop, which goes on after ``failure``."""
        session = self._adopt_session(command)

        async def write(_session: object, conn: AsyncConnection, is_numbered: bool) -> Any:
            if command.address is not None:  # a getMore, to which the driver's command would add a time limit
                return await self._attempts.send(command, conn, deadline, 0), conn.address
            return await self._send_by_driver(command, session, conn, is_numbered), conn.address

        async def read(_session: object, _server: object, conn: AsyncConnection, _preference: object) -> Any:
            return await write(session, conn, False)

        with self._limit_time(deadline):  # by which the loop decides how often it tries
            again = Again(
                self._client,
                read if command.is_read else write,
                None,
                command.name,
                is_read=command.is_read,
                session=session,
                read_pref=ReadPreference.PRIMARY,
                address=command.address,
                retryable=command.is_retried,
            )
            again.failure = failure
            try:
                found: tuple[Document, Address] = await again.run()
            except BaseException as error:
                command.give_up(error)
                raise
            return found

    async def _send_by_driver(
        self, command: Command, session: AsyncClientSession, conn: AsyncConnection, is_numbered: bool
    ) -> Document:
        if command.ends_transaction:
            return await session._finish_transaction(conn, command.name)
        answer: Document = await conn.command(
            command.database,
            command.body.copy(),
            codec_options=command.codec,
            parse_write_concern_error=command.reports_write_concern,
            session=session,
            client=self._client,
            retryable_write=is_numbered,
        )
        if command.check is not None:
            command.check(answer)
        return answer

    def _adopt_session(self, command: Command) -> AsyncClientSession:
        """Return the session of a command as the driver's class."""
        if command.session is not None:
            return command.session
        session = self._client._start_session(True, causal_consistency=False)
        session._server_session = command.lent
        return session

    def _limit_time(self, deadline: float) -> AbstractContextManager[None]:
        """Tell the driver the deadline, unless the caller has."""
        if _csot.get_timeout() is not None:
            return nullcontext()
        return _csot._TimeoutContext(max(deadline - monotonic(), _LEAST / 1000))
