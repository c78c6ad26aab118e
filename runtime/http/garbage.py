"""Garbage collection after large bodies.

The collector runs by the number of objects, and a worker lets many be created first (``runtime.cli.worker``).
A record of 8 MiB may be a few objects only, so hundreds of them in reference cycles would be retained. Errors
are released where they are answered; this is for unknown cycles in the driver or in a handler.
"""

import gc
from typing import Final

COLLECT_AFTER: Final = 32 * 2**20
"""Bytes of large bodies between two collections, each of which takes some milliseconds."""


class LargeBodies:
    """A count of the bytes of large bodies that triggers garbage collection."""

    def __init__(self) -> None:
        self._bytes = 0

    def add(self, size: int) -> None:
        """Count one that is going to be read."""
        self._bytes += size
        if self._bytes >= COLLECT_AFTER:
            self._bytes = 0
            gc.collect()


large_bodies: Final = LargeBodies()
"""Of the process, as the collector is."""
