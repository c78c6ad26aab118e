"""Faults of the driver as errors of the service: ``Duplicate``, ``TooLarge`` or ``StoreUnavailable``.

Anything else is a fault of ours and passes as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pymongo.errors import (
    ConnectionFailure,
    DocumentTooLarge,
    DuplicateKeyError,
    OperationFailure,
    PyMongoError,
    WaitQueueTimeoutError,
)

from runtime.access import Access
from runtime.errors import Duplicate, ServiceError, StoreUnavailable, TooLarge

_DUPLICATE_KEY = 11000
_BAD_VALUE = 2
_TOO_LARGE = (10334, 17419, 17420)


@contextmanager
def faults(access: Access | None) -> Iterator[None]:
    """Faults of the driver as errors of the service. What is not for the caller is raised as it is."""
    try:
        yield
    except DuplicateKeyError as error:
        if access is None:
            raise
        raise _duplicate(access, error.details or {}) from error
    except DocumentTooLarge as error:
        raise _too_large(error) from error
    except (ConnectionFailure, WaitQueueTimeoutError) as error:
        raise StoreUnavailable("the store did not answer; try again", cause=error) from error
    except OperationFailure as error:
        if _is_too_large(error.code, str(error)):
            raise _too_large(error) from error
        _raise_if_passing(error)
        raise
    except PyMongoError as error:
        _raise_if_passing(error)
        raise


def refusal(access: Access, fault: Mapping[str, Any]) -> ServiceError | None:
    """Why one document of a batch was not stored; None when it is not the document's fault."""
    if fault["code"] == _DUPLICATE_KEY:
        return _duplicate(access, fault)
    return _too_large(None) if _is_too_large(fault["code"], fault["errmsg"]) else None


def _is_too_large(code: int | None, message: str) -> bool:
    return code in _TOO_LARGE or (code == _BAD_VALUE and "too large" in message)


def _too_large(cause: BaseException | None) -> TooLarge:
    return TooLarge("the record is larger than the store can keep (16 MiB)", cause=cause)


def _duplicate(access: Access, fault: Mapping[str, Any]) -> Duplicate:
    values = {
        path: value
        for path, value in (fault.get("keyValue") or {}).items()
        if path != "dataDomain.tenantId" and path not in access.hidden
    }
    said = ", ".join(f"{path} {value}" for path, value in values.items())
    return Duplicate(f"another {access.kind.name} has the {said or 'same key'}", fields=[*values] or None)


def _raise_if_passing(error: PyMongoError) -> None:
    """A time-out or a change of primary is for the caller to retry; anything else is our fault."""
    if error.timeout or error.has_error_label("RetryableWriteError"):
        raise StoreUnavailable("the store did not answer in time; try again", cause=error) from error
