"""Driver faults as service errors, as ``Duplicate``, ``TooLarge``, ``NotStorable`` or ``StoreUnavailable``.

Any other fault is a programming error and passes unchanged. ``explain_faults`` is for operators' commands.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from time import monotonic
from typing import Any

import orjson
from bson import Decimal128
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.errors import (
    BulkWriteError,
    ConfigurationError,
    ConnectionFailure,
    DocumentTooLarge,
    DuplicateKeyError,
    OperationFailure,
    PyMongoError,
    WaitQueueTimeoutError,
)

from runtime.admission import AdaptiveLimit
from runtime.errors import (
    Duplicate,
    Misconfigured,
    NotStorable,
    ServiceError,
    StoreUnavailable,
    TooLarge,
    ValidationFailed,
)
from runtime.fast.decimals import format_decimal
from runtime.fast.timestamps import format_timestamp
from runtime.masking import drop_quoted, shorten_refusals
from runtime.model.mappings import without_nones
from runtime.model.paths import overlap_any
from runtime.storage.access import Access

_RUN_AGAIN = "TransientTransactionError"
_PASSING = ("RetryableWriteError", _RUN_AGAIN, "UnknownTransactionCommitResult")
_DUPLICATE_KEY = 11000
_BAD_VALUE = 2
_TYPE_MISMATCH = 14
_NOT_A_NUMBER = re.compile(r"has the field '([^']+)' of non-numeric type")
_SHUT_OUT = (13, 18)
"""The user of MongoDB lacks a right, or its password is another one."""

TOO_LARGE = (10334, 17419, 17420)
_TOO_LARGE_TOGETHER = 388
"""What a transaction writes does not fit into the memory of the store."""

_REFUSED = {
    121: "by the validator of its collection",
    171: "by an index over two lists",
    16755: "by a geographic index",
    16766: "by a geographic index",
}


class FaultTranslation:
    """Translates driver faults into service errors, and records in ``limit`` how long the command took.

    Other faults are raised unchanged, and so is what lets a transaction run again: the driver looks at it
    where the transaction began.
    """

    __slots__ = ("_access", "_began", "_limit", "_session")

    def __init__(
        self,
        access: Access[Any] | None,
        session: AsyncClientSession | None = None,
        limit: AdaptiveLimit | None = None,
    ) -> None:
        self._access = access
        self._session = session
        self._limit = limit

    def __enter__(self) -> None:
        self._began = monotonic()

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:
            if self._limit is not None:
                self._limit.record(self._began, monotonic())
        elif (ours := self._translate(error)) is not None:
            try:
                raise ours from error
            finally:
                del ours  # else the error and this frame would hold each other, and the record with them

    def _translate(self, error: BaseException) -> ServiceError | None:
        if isinstance(error, DocumentTooLarge):  # found before anything was sent: no PyMongoError
            return _too_large(error)
        if isinstance(error, OverflowError):  # records are checked before, what callers send elsewhere is not
            return ValidationFailed("a number is beyond 64 bits, which is more than the store holds")
        if not isinstance(error, PyMongoError) or (
            self._session is not None and error.has_error_label(_RUN_AGAIN)
        ):
            return None
        if self._limit is not None and error.timeout:
            self._limit.record(self._began, monotonic(), has_timed_out=True)
        if _is_shut_out(error):  # while this service runs: rights and passwords come back
            return StoreUnavailable("the store does not let this service in; try again", cause=error)
        return _translate(self._access, error)


@contextmanager
def advise(find_advice: Callable[[], str]) -> Iterator[None]:
    """Add to ``StoreUnavailable`` what callers can do other than to try again, if anything."""
    try:
        yield
    except StoreUnavailable as error:
        if not (advice := find_advice()):
            raise
        raise StoreUnavailable(f"{error.message}; {advice}", cause=error) from error


@contextmanager
def explain_faults() -> Iterator[None]:
    """Raise ``Misconfigured`` for all other faults: for operators, who can do something about the store.

    So it is for a store that does not let the command in.
    """
    try:
        yield
    except StoreUnavailable as error:
        if not _is_shut_out(error.cause):
            raise
        raise _explain_refusal(error.cause) from error
    except PyMongoError as error:
        raise _translate(None, error) or _explain_refusal(error) from error


@contextmanager
def explain_address() -> Iterator[None]:
    """Raise ``Misconfigured`` for an address that the driver refuses before anything is sent."""
    try:
        yield
    except (ConfigurationError, ValueError) as error:
        raise Misconfigured(f"MONGODB_URI is not valid: {drop_quoted(str(error))}", cause=error) from error


def is_driver_fault(error: BaseException) -> bool:
    """Return whether the driver raised it; it belongs to the transaction, which may run again for it."""
    return isinstance(error, PyMongoError)


def describe_refusal(error: BaseException | None) -> str:
    """Say what MongoDB does, without the command itself: it may hold records, and tokens of sessions."""
    return shorten_refusals(str(error))


def _is_shut_out(error: BaseException | None) -> bool:
    return isinstance(error, OperationFailure) and error.code in _SHUT_OUT


def _explain_refusal(error: BaseException | None) -> Misconfigured:
    return Misconfigured(f"MongoDB refused a command: {describe_refusal(error)}", cause=error)


def _translate(access: Access[Any] | None, error: PyMongoError) -> ServiceError | None:
    """Return the error for a caller; None for a fault of this service itself."""
    if isinstance(error, DuplicateKeyError):
        return _duplicate(access, error.details or {}) if access else None
    code = error.code if isinstance(error, OperationFailure) else None
    if _is_too_large(code, str(error)):
        return _too_large(error)
    if _TOO_LARGE_TOGETHER in (code, *_codes_of_writes(error)):
        message = "this is more than the store can write at once: send fewer records together"
        return TooLarge(message, cause=error)
    if code in _REFUSED:
        return _not_storable(code, error)
    if code == _TYPE_MISMATCH and (found := _NOT_A_NUMBER.search(str(error))):
        return ValidationFailed.at_stored_number(found[1])
    if isinstance(error, ConnectionFailure | WaitQueueTimeoutError):
        return StoreUnavailable("the store did not answer; try again", cause=error)
    # A time-out, a change of primary, too much going on at one record: for the caller to try again.
    if error.timeout or any(error.has_error_label(label) for label in _PASSING):
        return StoreUnavailable("the store did not answer in time; try again", cause=error)
    return None


def refusals(access: Access[Any], error: BulkWriteError) -> dict[int, ServiceError]:
    """Return why documents of a batch were not stored, by position; raise again what is not their fault."""
    found = {fault["index"]: _refusal(access, fault) for fault in error.details["writeErrors"]}
    errors = without_nones(found)
    if error.details.get("writeConcernErrors") or len(errors) < len(found):
        raise error
    return errors


def _refusal(access: Access[Any], fault: Mapping[str, Any]) -> ServiceError | None:
    """Return why a document was not stored; None when that is not its fault."""
    if fault["code"] == _DUPLICATE_KEY:
        return _duplicate(access, fault)
    if fault["code"] in _REFUSED:
        return _not_storable(fault["code"], None)
    return _too_large(None) if _is_too_large(fault["code"], fault["errmsg"]) else None


def _codes_of_writes(error: PyMongoError) -> list[int]:
    faults = error.details.get("writeErrors", ()) if isinstance(error, BulkWriteError) else ()
    return [fault["code"] for fault in faults]


def _is_too_large(code: int | None, message: str) -> bool:
    return code in TOO_LARGE or (code == _BAD_VALUE and "too large" in message)


def _too_large(cause: BaseException | None) -> TooLarge:
    return TooLarge("the record is larger than the store can keep (16 MiB)", cause=cause)


def _not_storable(code: int, cause: BaseException | None) -> NotStorable:
    return NotStorable(f"the store refuses this record {_REFUSED[code]}", cause=cause)


def _duplicate(access: Access[Any], fault: Mapping[str, Any]) -> Duplicate:
    values = {
        path: _show(value)
        for path, value in (fault.get("keyValue") or {}).items()
        if path != "dataDomain.tenantId" and _is_seen(access, path)
    }
    return Duplicate.of_values(access.kind.shown_name, values)


def _show(value: Any) -> Any:
    """Show a value of an index as callers write it."""
    if isinstance(value, datetime):
        return format_timestamp(value)
    if isinstance(value, Decimal128):
        return format_decimal(value)
    return orjson.dumps(value).decode() if value is None or isinstance(value, bool) else value


def _is_seen(access: Access[Any], path: str) -> bool:
    """Whether the caller sees it. An index of an earlier specification may be over what nobody sees now."""
    return path == "_id" or (access.kind.find(path) is not None and not overlap_any(path, access.hidden))
