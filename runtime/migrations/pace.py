"""How large the next batch is, and how much of the time batches take. Pure.

Batches take from requests, which the store shows by serving fewer of them a second than in the pauses. So
the share of the time that they take follows from both rates. A store that is idle, or has room for both,
serves as many as ever, and batches follow each other at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_ALLOWED: Final = 0.16
"""The part of all requests for which batches may take the time."""

_UNKNOWN, _LEAST, _MOST = 0.6, 0.3, 0.9
"""Shares of the time: as long as nothing is known, at least, and at most, since pauses are measured too."""

_MEMORY: Final = 0.9
_ENOUGH_SECONDS: Final = 0.3
_FEW: Final = 20
"""Requests a second of a store that nobody uses: what workers and their drivers send by themselves."""


def resize(size: int, seconds: float, *, target: float, least: int, most: int) -> int:
    """Return the size that takes ``target`` seconds, judged by a batch that took ``seconds``.

    At most twice as many as before: one batch says little about a much larger one.
    """
    wanted = int(size * min(2.0, target / max(seconds, 0.001)))
    return min(most, max(least, wanted))


@dataclass
class _Rate:
    """Requests in some time, of which the last counts most."""

    seconds: float = 0.0
    requests: float = 0.0

    def add(self, seconds: float, requests: int) -> None:
        self.seconds = self.seconds * _MEMORY + seconds
        self.requests = self.requests * _MEMORY + requests

    @property
    def each_second(self) -> float:
        return self.requests / self.seconds if self.seconds else 0.0


class BatchPace:
    """What batches and pauses have shown so far."""

    def __init__(self) -> None:
        self._during, self._between = _Rate(), _Rate()

    def note_batch(self, seconds: float, requests: int | None) -> None:
        """Note how many requests the store served during a batch; None where it does not say."""
        if requests is not None:
            self._during.add(seconds, requests)

    def note_pause(self, seconds: float, requests: int | None) -> None:
        """Note how many requests the store served in a pause."""
        if requests is not None:
            self._between.add(seconds, requests)

    @property
    def share(self) -> float:
        """The part of the time that batches may take."""
        if self._between.seconds < _ENOUGH_SECONDS or self._during.seconds < _ENOUGH_SECONDS:
            return _UNKNOWN
        if (between := self._between.each_second) < _FEW:
            return _MOST
        lost = 1 - self._during.each_second / between
        return min(_MOST, max(_LEAST, _ALLOWED / lost)) if lost > 0 else _MOST

    def rest_after(self, seconds: float) -> float:
        """Return how long to pause after a batch that took ``seconds``."""
        return seconds * (1 / self.share - 1)
