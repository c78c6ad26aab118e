"""The driver's own loop of attempts, of which the first may have been made already."""

from typing import Any

from pymongo.asynchronous.mongo_client import _ClientConnectionRetryable
from pymongo.errors import PyMongoError
from pymongo.mongo_client_shared import _add_retryable_write_error


class Again(_ClientConnectionRetryable[Any]):
    """Goes on after ``failure``, the error of the first attempt; None: that is still to be made.

    ``has_number``: whether the number of a retryable write has been drawn.
    """

    __slots__ = ("failure", "has_number")

    failure: PyMongoError | None
    has_number: bool

    def _is_session_state_retryable(self) -> bool:
        return not self.has_number and super()._is_session_state_retryable()

    async def _read(self) -> Any:
        self._raise_failure()
        return await super()._read()

    async def _write(self) -> Any:
        self._raise_failure()
        return await super()._write()

    def _raise_failure(self) -> None:
        failure, self.failure = self.failure, None
        if failure is None:
            return
        if self._retryable and not self._is_read:
            _add_retryable_write_error(failure)
        raise failure
