"""The driver's own loop of attempts, of which the first may have been made already."""

from typing import Any

from pymongo.asynchronous.mongo_client import _ClientConnectionRetryable
from pymongo.asynchronous.server import Server
from pymongo.errors import PyMongoError


class Again(_ClientConnectionRetryable[Any]):
    """Goes on after ``failure``, the error of the first attempt; None: that is still to be made."""

    __slots__ = ("failure",)

    failure: PyMongoError | None

    def _is_session_state_retryable(self) -> bool:
        """Whether a retryable write draws its number: the first attempt has done that."""
        return self.failure is None and super()._is_session_state_retryable()

    async def _get_server(self) -> Server:
        """Fail as the first attempt did, in place of the loop's own first one."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure
        return await super()._get_server()
