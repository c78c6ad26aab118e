"""When refused callers should ask again, so that they come no faster than they can be served. Pure."""

from typing import Final

MOST_SECONDS: Final = 10
"""However many are refused: the flood may be over before."""


class Retries:
    """Counts refusals by the second.

    A refused caller comes back after the seconds it was given, so the rate of refusals settles near the rate
    of requests that are served.
    """

    def __init__(self) -> None:
        self._since = 0.0
        self._number = 0
        self._rate = 0.0

    def refuse(self, now: float, served: float) -> int:
        """Note a refusal at a moment; return the seconds after which to ask again.

        ``served``: requests a second that get through.
        """
        passed = now - self._since
        if passed >= 1.0:
            self._rate = self._number / passed
            self._since, self._number = now, 0
        self._number += 1
        return max(1, min(MOST_SECONDS, round(self._rate / served)))
