"""What learns of each store command when it has ended, and how commands that the driver sends reach it."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from time import monotonic
from typing import Any, Final, TypeAlias

from pymongo.monitoring import (
    CommandFailedEvent,
    CommandListener,
    CommandStartedEvent,
    CommandSucceededEvent,
)

Watch: TypeAlias = Callable[[Mapping[str, Any], float, BaseException | None], None]
"""Is passed the body of a command that has ended, when it began by the monotonic clock, and its error."""

Ask: TypeAlias = Callable[[], bool]

IS_IN_LANE: ContextVar[bool] = ContextVar("is_in_lane", default=False)
"""Whether the driver works for the lane, which passes its commands on itself."""

_MOST: Final = 10_000
_REFUSALS: Final = ("writeErrors", "writeConcernError")
_DATABASE_COMMANDS: Final = "$cmd.aggregate"
"""What the cursors of change streams are on: each of their commands waits for news, which is not slow."""


class DriverListener(CommandListener):
    """Passes the commands on record types that the driver sends itself to ``watch``."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._under_way: OrderedDict[int, tuple[Mapping[str, Any], float]] = OrderedDict()

    def started(self, event: CommandStartedEvent) -> None:
        """Note a command that is sent."""
        name = event.command_name
        collection = event.command.get("collection" if name == "getMore" else name)
        if IS_IN_LANE.get() or not isinstance(collection, str) or collection == _DATABASE_COMMANDS:
            return
        self._under_way[event.request_id] = event.command, monotonic()
        if len(self._under_way) > _MOST:
            self._under_way.popitem(last=False)

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """Pass a command on. One whose writes were refused counts as failed, as it does in the lane."""
        is_refused = any(event.reply.get(name) for name in _REFUSALS)
        self._end(event.request_id, StoreCommandError() if is_refused else None)

    def failed(self, event: CommandFailedEvent) -> None:
        """Pass a command on that failed."""
        self._end(event.request_id, StoreCommandError())

    def _end(self, number: int, error: BaseException | None) -> None:
        found = self._under_way.pop(number, None)
        if found is not None:
            self._watch(*found, error)


class StoreCommandError(Exception):
    """Stands for the error of a command, which the driver raises elsewhere."""
