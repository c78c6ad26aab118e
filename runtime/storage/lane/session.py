"""The driver's session, whose transactions end through the lane."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from enum import Enum, auto
from time import monotonic
from typing import Any, Final, NamedTuple

from pymongo import AsyncMongoClient, _csot
from pymongo.client_session_shared import SessionOptions, TransactionOptions, _EmptyServerSession
from pymongo.errors import OperationFailure, PyMongoError
from pymongo.write_concern import WriteConcern

from runtime.storage.lane.command import Command, Document, TransactionSession
from runtime.storage.lane.lane import Lane

_COMMIT, _ABORT = "commitTransaction", "abortTransaction"
_NO_SUCH_TRANSACTION: Final = 251
_TRANSACTION_COMMITTED: Final = 256
_RUN_AGAIN: Final = "TransientTransactionError"

_GOODBYE_SECONDS: Final = 0.25
"""For what ends a transaction whose deadline has passed: others wait for its records."""


class Ended(NamedTuple):
    """What each insert was refused with. ``is_torn``: the others were committed all the same."""

    refusals: Sequence[PyMongoError | None]
    is_torn: bool


def build_write_concern(concern: WriteConcern) -> Document:
    """Build what a command says of its write concern; its deadline limits the waiting for it."""
    if concern.is_server_default:
        return {}
    return {"writeConcern": {name: value for name, value in concern.document.items() if name != "wtimeout"}}


class _Fate(Enum):
    """What became of a transaction whose messages were not all answered."""

    UNDONE = auto()
    COMMITTED = auto()
    UNKNOWN = auto()


class LaneSession(TransactionSession):
    """A session that commits and aborts in one message; the driver's own way is what follows a failure.

    ``_end``: how MongoDB has answered the end of the transaction, which the driver has not asked for yet.
    """

    def __init__(self, lane: Lane, client: AsyncMongoClient[Any], options: TransactionOptions) -> None:
        super().__init__(client, _EmptyServerSession(), SessionOptions(None, options), False)
        self._lane = lane
        self._end: Document | PyMongoError | None = None

    async def commit_with(self, inserts: Sequence[Command]) -> Ended | None:
        """Send inserts and the commit before the first is answered; None: nothing was sent.

        MongoDB runs what comes over one connection in order. It undoes a transaction of which it refuses an
        insert, and refuses the rest. Raises what the connection does where not all was answered. The commit
        is not asked for again then, since it could come between the inserts: the transaction is undone, and
        may run again if MongoDB confirms that, as it does when the connection broke before it read anything.
        If it is committed already, and all of it is there, nothing is raised.
        Nothing is sent in a transaction that has begun: were the first insert turned away before MongoDB
        looks at that, the rest would be committed without it.
        """
        if not self._starting_transaction:
            return None
        try:
            answers = await self._lane.run_together([*inserts, self._build_end(_COMMIT)])
        except PyMongoError as error:
            error._remove_error_label(_RUN_AGAIN)
            fate = await self._undo(inserts[0])
            if fate is _Fate.UNDONE:
                error._add_error_label(_RUN_AGAIN)
            if fate is not _Fate.UNKNOWN:
                self.unanswered = None
            self._end = {}
            if fate is _Fate.COMMITTED and await self._verify_commit(inserts):
                return Ended([None] * len(inserts), is_torn=False)
            raise
        if answers is None:
            self._transaction.set_starting()
            return None
        refusals = [one if isinstance(one, PyMongoError) else None for one in answers[:-1]]
        is_torn = any(refusals) and await self._ask_whether_committed(answers[-1])
        self._end = {} if any(refusals) else answers[-1]
        return Ended(refusals, is_torn)

    async def abort_transaction(self) -> None:
        """Abort the transaction. One that MongoDB may have yet to read is undone with the session."""
        with nullcontext() if self._may_be_unread() else self._allow_goodbye():
            await super().abort_transaction()

    async def _end_session(self, lock: bool) -> None:
        """End the session, and the transaction that MongoDB may begin with what it has yet to read.

        An attempt that was answered has ended those before it: its number is higher.
        """
        try:
            if self.unanswered is not None and self._may_be_unread():
                with self._allow_goodbye(), suppress(PyMongoError):
                    await self._undo_unread(self.unanswered)
                self._end = {}
        finally:
            await super()._end_session(lock)

    @contextmanager
    def _allow_goodbye(self) -> Iterator[None]:
        """Let commands take a short time of their own where their deadline has passed.

        A store that is gone is not waited for once more.
        """
        deadline = _csot.get_deadline()
        if self._lane.knows_primary():
            deadline = max(deadline, monotonic() + _GOODBYE_SECONDS)
        before = _csot.DEADLINE.set(deadline)
        try:
            yield
        finally:
            _csot.DEADLINE.reset(before)

    def _may_be_unread(self) -> bool:
        """Whether MongoDB may begin a transaction later, with what was sent in this one or in one before."""
        return self.unanswered is not None and not self._transaction.has_completed_command

    async def _undo_unread(self, first: Command) -> None:
        """Begin the transaction and undo it: MongoDB begins none twice.

        Both are sent together where possible. Then a store that is frozen undoes it too, in whatever order
        it reads its connections later: it runs in order what comes over one.
        """
        self._transaction.set_starting()
        abort = self._build_end(_ABORT)
        if await self._lane.run_together([first, abort]) is None:
            await self._begin_again(first)
            await self._lane.run(abort)

    async def _ask_whether_committed(self, answer: Document | PyMongoError) -> bool:
        """Return whether a transaction is known to be committed; if it is still open, undo it.

        ``answer``: to its commit. Nothing of it is still on its way.
        """
        try:
            if isinstance(answer, OperationFailure) and answer.code != _NO_SUCH_TRANSACTION:
                await self._finish_transaction_with_retry(_ABORT)
        except OperationFailure as error:
            return error.code != _NO_SUCH_TRANSACTION
        except PyMongoError:
            return False
        return not isinstance(answer, PyMongoError)

    async def _verify_commit(self, inserts: Sequence[Command]) -> bool:
        """Return whether all of a committed transaction is known to be stored, as its answers would say.

        The commit that is sent again waits for the write concern. The inserts are looked up, since one that
        was turned away before MongoDB looked at its transaction is not part of it.
        """
        try:
            await self._lane.run(self._build_end(_COMMIT))
            return all([await self._check_stored(one) for one in inserts])
        except PyMongoError:
            return False

    async def _check_stored(self, insert: Command) -> bool:
        """Return whether all documents of an insert are there."""
        ids = [one["_id"] for one in insert.body["documents"]]
        body = {"find": insert.body["insert"], "filter": {"_id": {"$in": ids}}, "projection": {"_id": 1}}
        only_batch = {"batchSize": len(ids), "singleBatch": True}
        answer = await self._lane.run(Command(insert.database, body | only_batch, insert.codec))
        return len(answer["cursor"]["firstBatch"]) == len(ids)

    async def _undo(self, first: Command) -> _Fate:
        """Undo the transaction; ``UNDONE`` if it is certain that nothing of it is stored, now or later.

        MongoDB cannot undo what it has not read, and may still read it. It begins no transaction twice: one
        that is begun here, with the insert that came ``first``, and undone is the end of the messages on
        their way. So is one that they begin in the meantime, if it is undone before it is committed.
        """
        try:
            try:
                await self._finish_transaction_with_retry(_ABORT)
            except OperationFailure as error:
                if error.code != _NO_SUCH_TRANSACTION:
                    raise
                await self._begin_again(first)
                await self._finish_transaction_with_retry(_ABORT)
        except PyMongoError as error:
            is_committed = isinstance(error, OperationFailure) and error.code == _TRANSACTION_COMMITTED
            return _Fate.COMMITTED if is_committed else _Fate.UNKNOWN
        return _Fate.UNDONE

    async def _begin_again(self, first: Command) -> None:
        """Begin the transaction, as far as can be known: what an answer does not say, its abort will."""
        self._transaction.set_starting()
        try:
            with suppress(PyMongoError):
                await self._lane.run(first)
        finally:
            self._transaction.set_in_progress()  # also where this is cancelled: it is undone once more

    async def _finish_transaction_with_retry(self, command_name: str) -> Document:
        end, self._end = self._end, None
        if isinstance(end, PyMongoError):
            self._transaction.attempt = 1
            return await self._lane.retry(self._build_end(command_name), end)
        if end is not None:
            return end
        if self._transaction.attempt:
            return await super()._finish_transaction_with_retry(command_name)
        self._transaction.attempt = 1
        return await self._lane.run(self._build_end(command_name))

    def _build_end(self, command_name: str) -> Command:
        options = self._transaction.opts
        concern = None if options is None else options.write_concern
        return Command(
            "admin",
            {command_name: 1} | ({} if concern is None else build_write_concern(concern)),
            self.client.codec_options,
            is_read=False,
            session=self,
            reports_write_concern=True,
            ends_transaction=True,
        )
