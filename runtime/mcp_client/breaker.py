"""Whether a server may be asked, after it has failed: a circuit breaker. Pure."""

from dataclasses import dataclass
from typing import Final

MOST_FAILURES: Final = 3
FIRST_PAUSE: Final = 1.0  # seconds
LONGEST_PAUSE: Final = 60.0  # seconds


@dataclass(slots=True)
class Breaker:
    """Opens after some failures in a row, for a pause that doubles with each further one.

    After the pause one request is let through; whether that fails decides.
    """

    failures: int = 0
    closed_from: float = 0.0
    is_trying: bool = False

    def find_wait(self, now: float) -> float:
        """Return for how many seconds nothing may be asked; 0 lets this request through."""
        if self.failures < MOST_FAILURES:
            return 0.0
        if now < self.closed_from:
            return self.closed_from - now
        if self.is_trying:
            return FIRST_PAUSE
        self.is_trying = True
        return 0.0

    def succeed(self) -> None:
        """Note an answer."""
        self.failures, self.is_trying = 0, False

    def fail(self, now: float) -> None:
        self.failures += 1
        self.is_trying = False
        beyond = self.failures - MOST_FAILURES
        if beyond >= 0:
            self.closed_from = now + min(FIRST_PAUSE * 2.0 ** min(beyond, 16), LONGEST_PAUSE)
