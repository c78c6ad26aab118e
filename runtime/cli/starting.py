"""How a process says that the application does not start: in one line where an operator can correct it.

uvicorn logs the traceback of whatever ends the start of an application. Here a ``ServiceError`` is printed as
commands print it, and only what nobody expected has its traceback.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from uvicorn.config import STARTUP_FAILURE
from uvicorn.lifespan.on import LifespanOn, LifespanSendMessage

from runtime.errors import ServiceError
from runtime.handler_loading import HandlerFailed
from runtime.seams import ExpressionFailed


class Lifespan(LifespanOn):
    """The protocol by which the application is opened and closed."""

    async def send(self, message: LifespanSendMessage) -> None:
        """Take what the application reports; it does so while it handles the error."""
        error = sys.exc_info()[1]
        has_failed = message["type"] == "lifespan.startup.failed"
        if has_failed and isinstance(error, ServiceError | ExpressionFailed):
            _print(error)
            message = {"type": "lifespan.startup.failed", "message": ""}
        await super().send(message)


@contextmanager
def end_on_failure() -> Iterator[None]:
    """End the process of a worker whose application cannot be created."""
    try:
        yield
    except (ServiceError, HandlerFailed) as error:
        _print(error)
        sys.exit(STARTUP_FAILURE)


def _print(error: ServiceError | HandlerFailed | ExpressionFailed) -> None:
    from runtime.cli.output import print_failure  # with rich and typer, 3 MB that no worker needs

    print_failure(error)
