"""RSA keys as PEM files, several in one, each with notes before its block (RFC 7468 §5.2 allows such text)::

    Created: 2026-11-21T06:46:00Z
    Signs-From: 2026-11-21T06:51:00Z
    Verifies-Until: 2027-11-21T06:52:00Z
    -----BEGIN PUBLIC KEY-----

A block without notes signs, or verifies, at all times: so files made by other tools are read as well.
Files are written whole or not at all.
"""

import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, generate_private_key

from runtime.base64url import encode_base64url
from runtime.errors import Misconfigured

LEAST_RSA_BITS = 2048
"""Of keys that were made elsewhere, or before."""

NEW_RSA_BITS = 3072

_BLOCK = re.compile(
    r"(?P<notes>(?:^[A-Z][A-Za-z-]*: [^\n]*\n)*)"
    r"(?P<pem>^-----BEGIN (?P<label>[A-Z ]+)-----.+?^-----END (?P=label)-----)",
    re.DOTALL | re.MULTILINE,
)
_NOTES = {"Created": "created", "Signs-From": "signs_from", "Verifies-Until": "verifies_until"}


@dataclass(frozen=True, slots=True)
class Key:
    """A key pair, or the public half of one. Times are whole seconds since 1970; None is unknown, ever."""

    kid: str
    public: RSAPublicKey
    private: RSAPrivateKey | None = None
    created: int | None = None
    signs_from: int | None = None
    verifies_until: int | None = None


def new_key(created: int, signs_from: int | None = None) -> Key:
    """Generate a pair. Takes half a second."""
    private = generate_private_key(public_exponent=65537, key_size=NEW_RSA_BITS)
    return Key(thumbprint(private.public_key()), private.public_key(), private, created, signs_from)


def thumbprint(key: RSAPublicKey) -> str:
    """Compute the key's name: SHA-256 of its required members in their canonical form (RFC 7638)."""
    canonical = json.dumps(public_members(key), sort_keys=True, separators=(",", ":"))
    return encode_base64url(hashlib.sha256(canonical.encode()).digest())


def public_members(key: RSAPublicKey) -> dict[str, str]:
    """Return the members of a JSON Web Key that define the key."""
    numbers = key.public_numbers()
    return {"kty": "RSA", "n": _encode_unsigned(numbers.n), "e": _encode_unsigned(numbers.e)}


def read_private(file: Path) -> list[Key]:
    """Read the pairs of a file, at least one. Raises ``Misconfigured``, ``OSError`` for an unreadable one."""
    found = []
    for times, pem in _split_blocks(file, "PRIVATE KEY"):
        try:
            key = serialization.load_pem_private_key(pem, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise _no_private_key(file, error) from None
        if not isinstance(key, RSAPrivateKey) or key.key_size < LEAST_RSA_BITS:
            raise Misconfigured(f"{file} is not an RSA key of {LEAST_RSA_BITS} bits or more")
        found.append(Key(thumbprint(key.public_key()), key.public_key(), key, **times))
    if not found:
        raise _no_private_key(file)
    return found


def read_public(file: Path) -> list[Key]:
    """Read the public keys of a file. Raises ``Misconfigured``, and ``OSError`` for an unreadable one."""
    found = []
    for times, pem in _split_blocks(file, "PUBLIC KEY"):
        try:
            key = serialization.load_pem_public_key(pem)
        except (ValueError, UnsupportedAlgorithm) as error:
            raise Misconfigured(f"{file} holds a public key that cannot be read", cause=error) from None
        if not isinstance(key, RSAPublicKey) or key.key_size < LEAST_RSA_BITS:
            raise Misconfigured(f"{file} holds a key that is not RSA of {LEAST_RSA_BITS} bits or more")
        found.append(Key(thumbprint(key), key, **times))
    return found


def private_text(keys: Iterable[Key]) -> bytes:
    """Build the content of a private file. Keys without a private half are left out."""
    how = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return b"".join(_notes(key) + key.private.private_bytes(*how) for key in keys if key.private)


def public_text(keys: Iterable[Key]) -> bytes:
    """Build the content of a public file."""
    how = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return b"".join(_notes(key) + key.public.public_bytes(*how) for key in keys)


def make_once(file: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write ``file`` unless it exists; it appears whole or not at all, also between several workers."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _write_draft(file, content, mode) as draft, suppress(FileExistsError):
        os.link(draft, file)


def replace_whole(file: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Replace ``file`` atomically; readers see the old or the new content, never a part.

    A link keeps pointing where it does, and its owner stays, as far as we may set it.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = file.resolve()
    with _write_draft(target, content, mode) as draft:
        with suppress(FileNotFoundError, PermissionError, AttributeError):
            os.chown(draft, target.stat().st_uid, target.stat().st_gid)
        draft.replace(target)


@contextmanager
def _write_draft(file: Path, content: bytes, mode: int) -> Iterator[Path]:
    """Write a file next to ``file`` that is removed at the end, also where a full disk cuts it short."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        yield draft
    except OSError as error:
        error.filename = error.filename or str(file)  # that of a full disk names none
        raise
    finally:
        draft.unlink(missing_ok=True)


def _split_blocks(file: Path, label: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Yield notes and text of each block whose label ends so: ``RSA PRIVATE KEY`` is one too."""
    text = file.read_bytes().decode("latin-1").replace("\r\n", "\n")
    for block in _BLOCK.finditer(text):
        if block["label"].endswith(label):
            yield _read_times(file, block["notes"]), block["pem"].encode("latin-1")


def _read_times(file: Path, notes: str) -> dict[str, Any]:
    found = {}
    for line in notes.splitlines():
        name, _, value = line.partition(": ")
        if name in _NOTES:
            try:
                found[_NOTES[name]] = int(datetime.fromisoformat(value.strip()).timestamp())
            except ValueError as error:
                raise Misconfigured(
                    f"{file}: {name} is {value!r}; write a timestamp such as 2026-11-21T06:46:00Z",
                    cause=error,
                ) from None
    return found


def _notes(key: Key) -> bytes:
    times = {name: getattr(key, attribute) for name, attribute in _NOTES.items()}
    return "".join(f"{name}: {moment_text(at)}\n" for name, at in times.items() if at is not None).encode()


def moment_text(seconds: int) -> str:
    """Write seconds since 1970 for people: ``2026-11-21T06:46:00Z``."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _no_private_key(file: Path, cause: BaseException | None = None) -> Misconfigured:
    message = f"{file} is not an unencrypted PEM private key: give an RSA key in PKCS#8 form"
    return Misconfigured(message, cause=cause)


def _encode_unsigned(number: int) -> str:
    return encode_base64url(number.to_bytes((number.bit_length() + 7) // 8, "big"))
