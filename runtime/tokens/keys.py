"""The keys behind the tokens: RSA pairs and one secret, as files that all workers share.

In development they are made at first start: each file is written aside and linked into its place, so
that it appears whole, and of several workers starting at once the first one's file stands. In
production they are expected. The private file holds the pair that signs, and while a rotation waits
the next one; the public file the public halves of both, and those of older pairs whose tokens are
still to be accepted. ``Stock`` is what the files say, ``Keys`` what of it is in force at a moment.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

from runtime.errors import Misconfigured
from runtime.settings import Settings
from runtime.system.answers import KeySetBody, KeySetKeyBody
from runtime.tokens.key_files import (
    Key,
    make_once,
    new_key,
    private_text,
    public_members,
    public_text,
    read_private,
    read_public,
)

LEAST_SECRET_BYTES = 32
_LEAST_DISTINCT = 8  # bytes of a random secret, written as hexadecimal digits, are of almost all 16

_ADVICE = "create one with `recordsmith keys rotate`, or name an existing one in auth.jwt.privatekey.location"


@dataclass(frozen=True, slots=True)
class Keys:
    """``kid`` names the signing key; ``public`` are all keys that verify, by their own ``kid``.

    In force from ``since`` until before ``ends``, in seconds since 1970.
    """

    kid: str
    private: RSAPrivateKey
    public: Mapping[str, RSAPublicKey]
    secret: bytes
    since: float = 0
    ends: float = inf

    @classmethod
    def from_settings(cls, settings: Settings) -> Keys:
        """Return the keys in force now; creates missing files in development. Raises ``Misconfigured``."""
        return read_stock(settings, may_make=True).at(time.time())

    def key_set(self) -> KeySetBody:
        """Build the JSON Web Key Set (RFC 7517): public members only, the signing key first."""
        return {"keys": [_render(kid, public_members(key)) for kid, key in self.public.items()]}


def _render(kid: str, members: Mapping[str, str]) -> KeySetKeyBody:
    kty, n, e = (members[name] for name in ("kty", "n", "e"))
    return {"kty": kty, "n": n, "e": e, "kid": kid, "use": "sig", "alg": "RS256"}


@dataclass(frozen=True, slots=True)
class Stock:
    """All keys of the files, each once, at least one of them with its private half."""

    keys: tuple[Key, ...]
    secret: bytes = b""

    def signer(self, now: float) -> Key:
        """Return the latest pair whose time has come; of two with the same time the first in the file."""
        pairs = [key for key in self.keys if key.private]
        begun = [key for key in pairs if _begin(key) <= now]
        return max(begun, key=_begin) if begun else min(pairs, key=_begin)

    def is_live(self, key: Key, now: float) -> bool:
        """Whether its tokens are accepted: not past its time, or signing now or later."""
        return (
            key.verifies_until is None
            or now < key.verifies_until
            or key.kid == self.signer(now).kid
            or self.is_next(key, now)
        )

    def is_next(self, key: Key, now: float) -> bool:
        """Whether it is in the key set already, and signs later."""
        return key.private is not None and _begin(key) > now and key.kid != self.signer(now).kid

    def at(self, now: float) -> Keys:
        """Return the keys in force at a time, and until when they are."""
        signer = self.signer(now)
        if signer.private is None:
            raise Misconfigured("no key signs")
        live = {key.kid: key.public for key in self.keys if self.is_live(key, now)}
        moments = [at for key in self.keys for at in (key.signs_from, key.verifies_until) if at is not None]
        ends = min((at for at in moments if at > now), default=inf)
        return Keys(signer.kid, signer.private, {signer.kid: signer.public} | live, self.secret, now, ends)


@dataclass(frozen=True, slots=True)
class Locations:
    """Where the key files are; ``demanded`` when settings name the public one and no start creates it."""

    private: Path
    public: Path
    demanded: bool

    @classmethod
    def of(cls, settings: Settings) -> Locations:
        """Return the locations that the settings name, by default below the data folder."""
        private = settings.private_key_location or settings.data_folder / "keys" / "private.pem"
        public = settings.public_key_location or private.with_name("public.pem")
        is_expected = settings.public_key_location is not None and settings.environment != "development"
        return cls(private, public, is_expected)


def read_stock(settings: Settings, *, may_make: bool) -> Stock:
    """Read keys and secret; ``may_make`` the missing files in development. Raises ``Misconfigured``."""
    try:
        where = Locations.of(settings)
        if may_make and settings.environment == "development":
            _make_missing(settings, where)
        return replace(read_keys(where), secret=_read_secret(settings))
    except OSError as error:
        raise Misconfigured(f"the keys of tokens cannot be read or created: {error}", cause=error) from None


def require_secret(settings: Settings) -> None:
    """Require a secret that is long enough, unless development has yet to create one.

    Raises ``Misconfigured`` and ``OSError``.
    """
    if not _is_secret_due(settings):
        _read_secret(settings)


def read_keys(where: Locations) -> Stock:
    """Read the keys of the two files. Raises ``Misconfigured`` and ``OSError``."""
    if not where.private.exists():
        raise Misconfigured(f"no private key at {where.private}: {_ADVICE}")
    pairs = {key.kid: key for key in read_private(where.private)}
    if not where.demanded and not where.public.exists():
        return Stock(tuple(pairs.values()))
    public = {key.kid: key for key in read_public(where.public)}
    stock = Stock((*(_join(pair, public.get(kid)) for kid, pair in pairs.items()),
                   *(key for kid, key in public.items() if kid not in pairs)))  # fmt: skip
    if stock.signer(time.time()).kid not in public:
        message = f"{where.public} lacks the public half of the private key: its tokens would be refused"
        raise Misconfigured(message)
    return stock


def _make_missing(settings: Settings, where: Locations) -> None:
    if _is_secret_due(settings):
        make_once(_secret_file(settings), secrets.token_hex(LEAST_SECRET_BYTES).encode())
    if not where.private.exists():
        make_once(where.private, private_text([new_key(int(time.time()))]))
    if not where.public.exists():
        make_once(where.public, public_text(read_private(where.private)), mode=0o644)


def _begin(key: Key) -> int:
    return key.signs_from or 0


def _join(pair: Key, public: Key | None) -> Key:
    """Take the end of verification from the public file, since the private half is deleted first."""
    return pair if public is None else replace(pair, verifies_until=public.verifies_until)


def _secret_file(settings: Settings) -> Path:
    return settings.data_folder / "keys" / "secret"


def _is_secret_due(settings: Settings) -> bool:
    """Return whether the secret of a development service is not there yet."""
    is_ours = settings.environment == "development" and settings.jwt_secret is None
    return is_ours and not _secret_file(settings).exists()


def _read_secret(settings: Settings) -> bytes:
    if settings.jwt_secret is not None:
        secret = settings.jwt_secret.get_secret_value().encode()
    elif settings.environment == "development":
        secret = _secret_file(settings).read_bytes()
    else:
        raise Misconfigured(
            f"auth.jwt.secret is not set: give {LEAST_SECRET_BYTES} random bytes or more, the same everywhere"
        )
    if len(secret) < LEAST_SECRET_BYTES or not secret.strip():
        raise Misconfigured(
            f"auth.jwt.secret is too short or blank: give {LEAST_SECRET_BYTES} random bytes or more"
        )
    if settings.environment != "development" and len({*secret}) < _LEAST_DISTINCT:
        raise Misconfigured("auth.jwt.secret repeats itself: give random bytes, as openssl rand -hex 32 does")
    return secret
