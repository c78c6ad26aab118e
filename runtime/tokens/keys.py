"""The keys behind the tokens: one RSA pair and one secret, as files that all workers share.

In development they are made at first start: each file is written aside and linked into its place, so
that it appears whole, and of several workers starting at once the first one's file stands. In
production they are expected. The public file holds the public half of the private key first, then any
older public keys whose tokens are still to be accepted, as PEM blocks one after another.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPublicKey,
    generate_private_key,
)

from runtime.errors import Misconfigured
from runtime.settings import Settings

LEAST_RSA_BITS = 2048
LEAST_SECRET_BYTES = 32

_PEM_BLOCK = re.compile(rb"-----BEGIN PUBLIC KEY-----.+?-----END PUBLIC KEY-----", re.DOTALL)
_MAKE_THEM = "set service.environment to development to have it made, or name an existing one in"


@dataclass(frozen=True, slots=True)
class Keys:
    """``kid`` names the signing key; ``public`` are all keys that verify, by their own ``kid``."""

    kid: str
    private: RSAPrivateKey
    public: Mapping[str, RSAPublicKey]
    secret: bytes

    @classmethod
    def from_settings(cls, settings: Settings) -> Keys:
        """Reads the files; makes the missing ones in development. Raises ``Misconfigured``."""
        try:
            return _keys(settings)
        except OSError as error:
            raise Misconfigured(f"the keys of tokens cannot be read or made: {error}", cause=error) from None

    def key_set(self) -> dict[str, list[dict[str, str]]]:
        """The JSON Web Key Set (RFC 7517): public members only."""
        return {
            "keys": [
                {**_public_members(key), "kid": kid, "use": "sig", "alg": "RS256"}
                for kid, key in self.public.items()
            ]
        }


def thumbprint(key: RSAPublicKey) -> str:
    """The key's name: SHA-256 of its required members in their canonical form (RFC 7638)."""
    canonical = json.dumps(_public_members(key), sort_keys=True, separators=(",", ":"))
    return _base64url(hashlib.sha256(canonical.encode()).digest())


def _keys(settings: Settings) -> Keys:
    folder = settings.data_folder / "keys"
    private_file = settings.private_key_location or folder / "private.pem"
    public_file = settings.public_key_location or private_file.with_name("public.pem")
    may_make = settings.environment == "development"
    if may_make and not private_file.exists():
        _make_once(private_file, _new_private_key())
    private = _private_key(private_file)
    if may_make and not public_file.exists():
        _make_once(public_file, _public_pem(private.public_key()), mode=0o644)
    kid = thumbprint(private.public_key())
    public = {kid: private.public_key()} | _public_keys(public_file, kid, settings.public_key_location)
    return Keys(kid, private, public, _secret(settings, folder / "secret"))


def _private_key(file: Path) -> RSAPrivateKey:
    if not file.exists():
        raise Misconfigured(f"no private key at {file}: {_MAKE_THEM} auth.jwt.privatekey.location")
    try:
        key = serialization.load_pem_private_key(file.read_bytes(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        message = f"{file} is not an unencrypted PEM private key: give an RSA key in PKCS#8 form"
        raise Misconfigured(message, cause=error) from None
    if not isinstance(key, RSAPrivateKey) or key.key_size < LEAST_RSA_BITS:
        raise Misconfigured(f"{file} is not an RSA key of {LEAST_RSA_BITS} bits or more")
    return key


def _public_keys(file: Path, kid: str, demanded: Path | None) -> dict[str, RSAPublicKey]:
    if not file.exists() and demanded is None:
        return {}
    found: dict[str, RSAPublicKey] = {}
    for block in _PEM_BLOCK.findall(file.read_bytes()):
        try:
            key = serialization.load_pem_public_key(block)
        except (ValueError, UnsupportedAlgorithm) as error:
            raise Misconfigured(f"{file} holds a public key that cannot be read", cause=error) from None
        if not isinstance(key, RSAPublicKey) or key.key_size < LEAST_RSA_BITS:
            raise Misconfigured(f"{file} holds a key that is not RSA of {LEAST_RSA_BITS} bits or more")
        found[thumbprint(key)] = key
    if kid not in found:
        raise Misconfigured(f"{file} lacks the public half of the private key: its tokens would be refused")
    return found


def _secret(settings: Settings, file: Path) -> bytes:
    if settings.jwt_secret is not None:
        secret = settings.jwt_secret.get_secret_value().encode()
    elif settings.environment == "development":
        if not file.exists():
            _make_once(file, secrets.token_hex(LEAST_SECRET_BYTES).encode())
        secret = file.read_bytes()
    else:
        raise Misconfigured(
            f"auth.jwt.secret is not set: give {LEAST_SECRET_BYTES} random bytes or more, the same everywhere"
        )
    if len(secret) < LEAST_SECRET_BYTES:
        raise Misconfigured(f"auth.jwt.secret is too short: give {LEAST_SECRET_BYTES} random bytes or more")
    return secret


def _make_once(file: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write ``file`` unless it exists; it appears whole or not at all, also between several workers."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def _new_private_key() -> bytes:
    return generate_private_key(public_exponent=65537, key_size=LEAST_RSA_BITS).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _public_pem(key: RSAPublicKey) -> bytes:
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def _public_members(key: RSAPublicKey) -> dict[str, str]:
    numbers = key.public_numbers()
    return {"kty": "RSA", "n": _unsigned(numbers.n), "e": _unsigned(numbers.e)}


def _unsigned(number: int) -> str:
    return _base64url(number.to_bytes((number.bit_length() + 7) // 8, "big"))


def _base64url(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode("ascii")
