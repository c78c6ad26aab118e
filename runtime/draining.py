"""The time in which a worker that shall end still serves, and says so to balancers."""

from typing import Final

from runtime.logs import log

ON_DRAIN: Final = "recordsmith.on_drain"
"""The member of the state of the application that the server calls when it shall stop: it returns for how
many seconds the server goes on first."""


class Draining:
    """Whether a worker is about to end, which ``/ready`` reports; ``seconds``: how long before it does."""

    def __init__(self, seconds: int = 0) -> None:
        self._seconds = seconds
        self.is_on = False

    def begin(self) -> int:
        """Begin; return how long callers have to go elsewhere."""
        self.is_on = True
        if self._seconds:
            log.info("worker.draining", seconds=self._seconds)
        return self._seconds
