"""Password hashes: bcrypt, off the event loop, and equally slow whether or not there is a user.

A password is 8 to 72 bytes of UTF-8 after Unicode normalisation (NFC), so that it is the same text from
every keyboard; bcrypt would ignore what comes after byte 72, hence longer ones are refused. Hashing
runs on a few threads (bcrypt releases the interpreter), at a lower priority than requests: a storm of logins
must not slow reads down. All that hash wait in one queue, for a second at most; then ``Overloaded``.
"""

import asyncio
import os
import sys
import threading
import time
import unicodedata
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

import bcrypt

from runtime.admission import FixedLimit, Gate
from runtime.errors import ValidationFailed

T = TypeVar("T")

ALGORITHM = "bcrypt"
LEAST_BYTES = 8
MOST_BYTES = 72

_THREADS = min(4, os.cpu_count() or 1)
_LONGEST_WAIT_SECONDS = 1.0
_SECONDS_OF_COST_12 = 0.25
_NICENESS = 5
"""A third of the share of others: more would starve logins on a machine that is busy with other things."""


def _lower_priority() -> None:
    """Lower the priority of this thread, on Linux alone: elsewhere it is that of the process."""
    if sys.platform == "linux":
        with suppress(OSError):  # a sandbox may forbid it
            thread = threading.get_native_id()
            own = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, own + _NICENESS)


_pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="passwords", initializer=_lower_priority)
_gate = Gate("passwords", FixedLimit(_THREADS), _LONGEST_WAIT_SECONDS)


def hash_seconds(cost: int) -> float:
    """Estimate how long a processor takes for one hash."""
    return _SECONDS_OF_COST_12 * 2.0 ** (cost - 12)


def hash_password(password: str, cost: int) -> str:
    """Return the hash to store. Raises ``ValidationFailed`` for a password that is too short or too long."""
    octets = _octets(password)
    if octets is None or not LEAST_BYTES <= len(octets) <= MOST_BYTES:
        message = f"must be {LEAST_BYTES} to {MOST_BYTES} bytes long (a letter with an accent counts as two)"
        raise ValidationFailed.at("password", message)
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


def has_lower_cost(hashed: str, cost: int) -> bool:
    """Whether a hash that a password matches, ``$2b$12$…``, was created with a lower cost than this."""
    return int(hashed.split("$")[2]) < cost


async def hash_off_loop(password: str, cost: int) -> str:
    """Run ``hash_password`` on a thread. Raises ``Overloaded``."""
    return await _run_on_thread("hash", lambda: hash_password(password, cost))


async def check_off_loop(password: str, hashed: str | None, cost: int) -> bool:
    """Run ``password_matches`` on a thread. Raises ``Overloaded``."""
    return await _run_on_thread("match", lambda: password_matches(password, hashed, cost))


async def _run_on_thread(key: str, work: Callable[[], T]) -> T:
    """Run ``work`` on a thread, in turn with other callers.

    A place is occupied until its thread is done, also when the caller has disconnected.
    """
    if not _gate.try_enter(key):
        await _gate.wait(key)
    loop, began = asyncio.get_running_loop(), time.monotonic()

    def leave() -> None:
        _gate.leave(key, time.monotonic() - began)

    def leave_soon(_done: Future[T]) -> None:
        try:
            loop.call_soon_threadsafe(leave)
        except RuntimeError:  # the loop was closed first
            leave()

    future = _pool.submit(work)
    future.add_done_callback(leave_soon)
    return await asyncio.wrap_future(future)


def _nobodys_hash(cost: int) -> bytes:
    """Return a well-formed hash that no known password has."""
    return f"$2b${cost:02d}${'.' * 53}".encode()


def _octets(password: str) -> bytes | None:
    try:
        return unicodedata.normalize("NFC", password).encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return None
