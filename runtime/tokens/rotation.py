"""Changing the signing key without a gap: what ``recordsmith keys`` does to the files. Workers follow.

A rotation has two steps, both decided when it is asked for. The new public key is in the key set at
once, so that every worker and everybody who caches the key set knows it; after
``auth.jwt.publish-seconds`` it signs. The key before it goes on verifying until the longest token it
may have signed has ended. The private half of a key that signs no more goes with the next rotation.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from runtime.settings import Settings
from runtime.tokens.key_files import Key, moment_text, new_key, private_text, public_text, replace_whole
from runtime.tokens.keys import Locations, Stock, read_keys

MARGIN_SECONDS = 60
"""What workers need to notice a new file, and how far clocks differ, with room to spare."""

_LEAST_NAME: Final = 6
"""Characters of a kid that name it: fewer may be a slip, and a removal cannot be undone."""

State = Literal["signing", "next", "verifying", "expired"]


class KeyChangeRefused(Exception):
    """The keys stay as they are; the message says what to do instead."""


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What an operator may know of a key. Times as text; None is unknown, or without end."""

    kid: str
    state: State
    bits: int
    created: str | None
    signs_from: str | None
    verifies_until: str | None


def list_keys(settings: Settings, now: float) -> list[KeyFacts]:
    """List every key of the files. Raises ``Misconfigured`` and ``OSError``."""
    stock = read_keys(Locations.of(settings))
    return [_facts(stock, key, now) for key in stock.keys]


def rotate_keys(settings: Settings, now: float, *, at_once: bool = False) -> list[KeyFacts]:
    """Make a new key that signs after the publish time, or ``at_once``; where there is none, the first.

    Raises ``KeyChangeRefused`` while another rotation waits, ``Misconfigured`` and ``OSError``.
    """
    where, at = Locations.of(settings), int(now)
    with _lock(where.private):
        old = read_keys(where) if where.private.exists() else None
        waiting = [] if old is None else [key for key in old.keys if old.is_next(key, now)]
        if waiting and not at_once:
            raise KeyChangeRefused(
                f"{waiting[0].kid} signs from {_text(waiting[0].signs_from)}: wait for it, or remove it first"
            )
        starts = at if at_once or old is None else at + settings.key_publish_seconds
        fresh = new_key(at, starts)
        ends = starts + longest_token_seconds(settings) + MARGIN_SECONDS
        before = (
            [] if old is None else [_ending(old, key, now, ends) for key in old.keys if old.is_live(key, now)]
        )
        signer = [] if old is None or starts <= at else [old.signer(now)]
        keys = [*before, fresh] if signer else [fresh, *before]
        replace_whole(where.public, public_text(keys), mode=0o644)
        replace_whole(where.private, private_text([*signer, fresh]))
    return list_keys(settings, now)


def remove_key(settings: Settings, name: str, now: float) -> list[KeyFacts]:
    """Take a key away at once: its tokens are refused. ``name`` is its ``kid`` or how that begins.

    Raises ``KeyChangeRefused`` for the key that signs and for none or several of the name,
    ``Misconfigured`` and ``OSError``.
    """
    where = Locations.of(settings)
    with _lock(where.private):
        stock = read_keys(where)
        gone, signer = _find_named(stock, name), stock.signer(now)
        if gone.kid == signer.kid:
            raise KeyChangeRefused(
                f"{gone.kid} signs: make another that signs, `recordsmith keys rotate --now`"
            )
        left = [key for key in stock.keys if key.kid != gone.kid]
        if stock.is_next(gone, now):
            left = [replace(key, verifies_until=None) if key.kid == signer.kid else key for key in left]
        replace_whole(where.private, private_text(left))
        replace_whole(where.public, public_text(left), mode=0o644)
    return list_keys(settings, now)


def longest_token_seconds(settings: Settings) -> int:
    """Return for how many seconds a token may be accepted after it was signed."""
    service_token_seconds = settings.service_token_max_days * 86400
    return max(settings.access_token_seconds, settings.refresh_token_seconds, service_token_seconds)


def _ending(stock: Stock, key: Key, now: float, ends: int) -> Key:
    """Set the end of a key that came before the new one; an older key keeps its end."""
    signs = key.kid == stock.signer(now).kid or stock.is_next(key, now)
    return key if key.verifies_until is not None and not signs else replace(key, verifies_until=ends)


def _find_named(stock: Stock, name: str) -> Key:
    found = [key for key in stock.keys if key.kid == name]
    if not found and len(name) >= _LEAST_NAME:
        found = [key for key in stock.keys if key.kid.startswith(name)]
    if len(found) != 1:
        known = ", ".join(key.kid for key in stock.keys)
        advice = f"pass a kid, or its first {_LEAST_NAME} characters or more"
        raise KeyChangeRefused(f"{len(found) or 'no'} keys are called {name}; {advice}; there are: {known}")
    return found[0]


def _facts(stock: Stock, key: Key, now: float) -> KeyFacts:
    return KeyFacts(
        kid=key.kid,
        state=_state(stock, key, now),
        bits=key.public.key_size,
        created=_text(key.created),
        signs_from=_text(key.signs_from),
        verifies_until=_text(key.verifies_until),
    )


def _state(stock: Stock, key: Key, now: float) -> State:
    if key.kid == stock.signer(now).kid:
        return "signing"
    if stock.is_next(key, now):
        return "next"
    return "verifying" if stock.is_live(key, now) else "expired"


def _text(moment: int | None) -> str | None:
    return None if moment is None else moment_text(moment)


@contextmanager
def _lock(file: Path) -> Iterator[None]:
    """Let only one command at a time change the keys; a lock file next to them holds the others off."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = file.with_name(f".{file.name}.lock")
    try:
        os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        message = f"another command is changing the keys; when there is none, remove {lock}"
        raise KeyChangeRefused(message) from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
