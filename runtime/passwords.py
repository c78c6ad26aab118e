"""Password hashes: bcrypt, off the event loop, and equally slow whether or not there is a user.

A password is 8 to 72 bytes of UTF-8 after Unicode normalisation (NFC), so that it is the same text from
every keyboard; bcrypt would ignore what comes after byte 72, hence longer ones are refused. Hashing
runs on a few threads (bcrypt lets go of the interpreter meanwhile); when too many wait, ``Throttled``.
"""

from __future__ import annotations

import asyncio
import os
import threading
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import bcrypt

from runtime.errors import Throttled, ValidationFailed

T = TypeVar("T")

ALGORITHM = "bcrypt"
LEAST_BYTES = 8
MOST_BYTES = 72

_THREADS = min(4, os.cpu_count() or 1)
_MOST_WAITING = 64

_pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="passwords")
_places = threading.BoundedSemaphore(_MOST_WAITING)


def hash_password(password: str, cost: int) -> str:
    """The hash to store. Raises ``ValidationFailed`` for a password that is too short or too long."""
    octets = _octets(password)
    if octets is None or not LEAST_BYTES <= len(octets) <= MOST_BYTES:
        message = f"must be {LEAST_BYTES} to {MOST_BYTES} bytes long (a letter with an accent counts as two)"
        raise ValidationFailed(f"password {message}", violations=[{"path": "password", "message": message}])
    return bcrypt.hashpw(octets, bcrypt.gensalt(cost)).decode("ascii")


def password_matches(password: str, hashed: str | None, cost: int) -> bool:
    """Whether ``password`` belongs to ``hashed``; never raises.

    Without a hash, or with a password that cannot be one, it takes as long as with them: the answer
    to an unknown user is as slow as that to a wrong password. ``cost`` is that of new hashes.
    """
    octets = _octets(password)
    if hashed is None or octets is None or len(octets) > MOST_BYTES:
        bcrypt.checkpw(b"", _nobodys_hash(cost))
        return False
    try:
        return bcrypt.checkpw(octets, hashed.encode())
    except ValueError:  # what is stored is not a bcrypt hash
        bcrypt.checkpw(b"", _nobodys_hash(cost))
        return False


async def hash_off_loop(password: str, cost: int) -> str:
    """``hash_password`` on a thread."""
    return await _on_thread(lambda: hash_password(password, cost))


async def matches_off_loop(password: str, hashed: str | None, cost: int) -> bool:
    """``password_matches`` on a thread."""
    return await _on_thread(lambda: password_matches(password, hashed, cost))


async def _on_thread(work: Callable[[], T]) -> T:
    if not _places.acquire(blocking=False):
        raise Throttled("too many logins at this moment; try again shortly", retryAfter=5)
    future = _pool.submit(work)
    future.add_done_callback(lambda _done: _places.release())
    return await asyncio.wrap_future(future)


def _nobodys_hash(cost: int) -> bytes:
    """A well-formed hash that no password is known for."""
    return f"$2b${cost:02d}${'.' * 53}".encode()


def _octets(password: str) -> bytes | None:
    try:
        return unicodedata.normalize("NFC", password).encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return None
