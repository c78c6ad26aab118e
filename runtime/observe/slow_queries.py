"""The log of slow store commands."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from runtime.logs import log
from runtime.model.record_type import RecordType
from runtime.observe.shape import describe_command

_PER_SECOND: Final = 20
"""Most lines in a second: a store that is slow is slow for all."""


class SlowQueries:
    """Logs commands that take longer than ``seconds``: collection, command and shape, never values."""

    def __init__(self, seconds: float, kinds: Iterable[RecordType[Any]]) -> None:
        self.seconds = seconds
        self._kinds = {kind.collection: kind for kind in kinds}
        self._second = 0
        self._written = self._left_out = 0

    def report(self, body: Mapping[str, Any], seconds: float, ended: float) -> None:
        """Log a command, unless there were too many in this second; ``ended``: by the monotonic clock."""
        if int(ended) != self._second:
            self._second, self._written = int(ended), 0
        self._written += 1
        if self._written > _PER_SECOND:
            self._left_out += 1
            return
        name, collection = next(iter(body.items()))
        if name == "getMore":
            collection = body.get("collection")
        kind = self._kinds.get(collection) if isinstance(collection, str) else None
        left_out, self._left_out = self._left_out, 0
        log.warning(
            "store.slow",
            command=name,
            collection=None if kind is None else kind.collection,
            milliseconds=round(seconds * 1000, 1),
            shape=describe_command(body, kind),
            **({"left_out": left_out} if left_out else {}),
        )
