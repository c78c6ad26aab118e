"""How many bytes of large answers a worker holds for readers that are slow.

An answer is in memory until its reader has taken it, and each of a thousand connections may have one of
16 MB. So a large one is counted until it is taken: the server lets an application wait before it sends more.
The next request of a user who leaves too much unread is refused before it does anything; a user who has read
all is always served.
"""

from collections import Counter
from typing import Final

from starlette.types import Message, Send

from runtime.errors import Overloaded

MOST: Final = 256 * 2**20
MOST_OF_ONE: Final = MOST // 4

LARGE: Final = 2**17
"""Bytes of an answer that is counted: the server and the kernel take as much at once."""


class UnreadAnswers:
    """A count of the bytes of large answers that are being sent, in all and by user."""

    def __init__(self) -> None:
        self._bytes = 0
        self._of_users: Counter[str] = Counter()

    def require_room(self, user: str) -> None:
        """Raise ``Overloaded`` for a user who has to read other answers first."""
        of_user = self._of_users.get(user, 0)
        if of_user >= MOST_OF_ONE or (of_user and self._bytes >= MOST):
            raise Overloaded("large answers wait for you; read them, or close their connections")

    async def send(self, user: str, message: Message, send: Send) -> None:
        """Send the body of an answer, and count it until all but its last bytes are taken."""
        size = len(message["body"])
        self._bytes += size
        self._of_users[user] += size
        try:
            await send({**message, "more_body": True})
            await send({**message, "body": b""})  # waits until little of what was sent before is left
        finally:
            self._bytes -= size
            self._of_users[user] -= size
            if not self._of_users[user]:
                del self._of_users[user]


unread_answers: Final = UnreadAnswers()
"""Of the process, as its memory is."""
