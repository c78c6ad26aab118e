"""How many bytes of large bodies a worker holds at once.

A body is in memory until its request is answered, and each of a thousand connections may send one. Bytes are
counted as they arrive, so that slow senders take little from the others.
"""

from collections import Counter
from collections.abc import MutableMapping
from typing import Any, Final

from runtime.errors import Overloaded

MOST: Final = 64 * 2**20
MOST_OF_ONE: Final = MOST - MOST // 4
"""Of one user, as with places in the store."""

_HELD: Final = "recordsmith.held_body"


class HeldBodies:
    """A count of the bytes of bodies in memory, in all and by user. A body on its own may have any size."""

    def __init__(self) -> None:
        self._bytes = 0
        self._of_users: Counter[str] = Counter()

    @property
    def is_empty(self) -> bool:
        """Whether none is held."""
        return not (self._bytes or self._of_users)

    def hold(self, scope: MutableMapping[str, Any], user: str, size: int) -> None:
        """Count the body of a request, of which so many bytes have come. Raises ``Overloaded``."""
        self.release(scope)
        of_user = self._of_users[user]
        if (self._bytes and self._bytes + size > MOST) or (of_user and of_user + size > MOST_OF_ONE):
            raise Overloaded("too many large bodies are being read; try again shortly")
        self._bytes += size
        self._of_users[user] += size
        scope[_HELD] = user, size

    def release(self, scope: MutableMapping[str, Any]) -> None:
        """Forget the body of a request, if it has one that is counted."""
        if (held := scope.pop(_HELD, None)) is not None:
            user, size = held
            self._bytes -= size
            self._of_users[user] -= size
            if not self._of_users[user]:
                del self._of_users[user]


held_bodies: Final = HeldBodies()
"""Of the process, as its memory is."""
