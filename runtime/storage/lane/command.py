"""A command as data."""

from asyncio import CancelledError
from collections.abc import Callable
from typing import Any, NamedTuple

from bson.codec_options import CodecOptions
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.client_session_shared import _ServerSession
from pymongo.errors import ConnectionFailure, NotPrimaryError, ProtocolError

from runtime.fast.wire_rows import WireRows

Document = dict[str, Any]
Address = tuple[str, int | None]


class TransactionSession(AsyncClientSession):
    """The driver's session. ``unanswered``: what was sent to begin its transaction, and was not answered."""

    unanswered: "Command | None" = None


class Command(NamedTuple):
    """A command, without what belongs to its session and connection.

    ``is_retryable``: outside of a transaction it may be sent again, a write under its number.
    ``session``: the one of its transaction; ``lent``: the server session outside of one. ``check`` looks at
    the answer within the attempt: what it raises may be retried. ``address``: the server of the cursor that
    it continues. ``ends_transaction``: it commits or aborts that.
    ``rows`` decode the answer where they can.
    """

    database: str
    body: Document
    codec: CodecOptions[Any]
    is_read: bool = True
    is_retryable: bool = True
    session: AsyncClientSession | None = None
    lent: _ServerSession | None = None
    check: Callable[[Document], None] | None = None
    reports_write_concern: bool = False
    address: Address | None = None
    ends_transaction: bool = False
    rows: WireRows | None = None

    @property
    def name(self) -> str:
        """The name of the command, its first member."""
        return next(iter(self.body))

    @property
    def is_retried(self) -> bool:
        """Whether it may be sent again by itself: of a transaction only what ends it may."""
        is_inside = self.session is not None and self.session.in_transaction
        return self.ends_transaction or (self.is_retryable and not is_inside)

    def give_up(self, error: BaseException) -> None:
        """Note in the session that MongoDB may have yet to read this, and begin the transaction with it.

        What ends a transaction begins none, and MongoDB has read what it answers with an error.
        """
        session = self.session
        if self.ends_transaction or not isinstance(session, TransactionSession):
            return
        is_begun = session.in_transaction and not session._starting_transaction
        is_lost = isinstance(error, CancelledError | ConnectionFailure | ProtocolError)
        is_first = is_begun and not session._transaction.has_completed_command
        if is_first and is_lost and not isinstance(error, NotPrimaryError):
            session.unanswered = self
