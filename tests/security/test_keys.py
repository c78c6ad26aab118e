"""Key files: made once in development, expected in production, refused when they cannot be right."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from runtime.errors import Misconfigured, Unauthenticated
from runtime.tokens import Keys, Tokens
from runtime.tokens.key_files import thumbprint
from tests.forked import FORKING
from tests.security.key_folders import ADA, settings

PUBLIC = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def private_pem(key: Any, password: bytes | None = None) -> bytes:
    protection = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    pem: bytes = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protection)
    return pem


@pytest.fixture(scope="module")
def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def test_development_makes_the_files_once(tmp_path: Path) -> None:
    first = Keys.from_settings(settings(tmp_path))
    files = {file.name: file.read_bytes() for file in (tmp_path / "keys").iterdir()}
    second = Keys.from_settings(settings(tmp_path))

    assert files.keys() == {"private.pem", "public.pem", "secret"}
    assert {file.name: file.read_bytes() for file in (tmp_path / "keys").iterdir()} == files
    assert (first.kid, first.secret) == (second.kid, second.secret)
    assert first.private.key_size >= 2048
    assert len(first.secret) >= 32


def test_only_the_owner_reads_private_files(tmp_path: Path) -> None:
    Keys.from_settings(settings(tmp_path))
    for name in ("private.pem", "secret"):
        assert stat.S_IMODE((tmp_path / "keys" / name).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def _kid_and_secret(folder: Path) -> tuple[str, bytes]:
    keys = Keys.from_settings(settings(folder))
    return keys.kid, keys.secret


def test_workers_that_start_together_share_one_set(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=FORKING) as pool:
        found = set(pool.map(_kid_and_secret, [tmp_path] * 8))
    assert len(found) == 1
    assert Keys.from_settings(settings(tmp_path)).private.key_size == 3072, "those of a service are longer"
    assert {file.name for file in (tmp_path / "keys").iterdir()} == {"private.pem", "public.pem", "secret"}


def test_files_lie_where_settings_say(tmp_path: Path) -> None:
    Keys.from_settings(settings(tmp_path, private_key_location=tmp_path / "elsewhere" / "rsa.pem"))
    assert (tmp_path / "elsewhere" / "rsa.pem").exists()
    assert (tmp_path / "elsewhere" / "public.pem").exists()
    assert not (tmp_path / "keys" / "private.pem").exists()


def test_production_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(
        Misconfigured, match=r"no private key at .*`recordsmith keys rotate`.*auth\.jwt\.privatekey\.location"
    ):
        Keys.from_settings(settings(tmp_path, environment="production", jwt_secret="0123456789" * 4))
    assert list(tmp_path.iterdir()) == []


def test_production_demands_a_secret(tmp_path: Path) -> None:
    Keys.from_settings(settings(tmp_path))
    with pytest.raises(Misconfigured, match=r"auth\.jwt\.secret is not set"):
        Keys.from_settings(settings(tmp_path, environment="production"))


def test_production_runs_on_given_files(tmp_path: Path) -> None:
    made = Keys.from_settings(settings(tmp_path))
    found = Keys.from_settings(settings(tmp_path, environment="production", jwt_secret="0123456789" * 4))
    assert (found.kid, found.secret) == (made.kid, b"0123456789" * 4)


def test_private_key_alone_is_enough(tmp_path: Path, rsa_key: rsa.RSAPrivateKey) -> None:
    file = tmp_path / "rsa.pem"
    file.write_bytes(private_pem(rsa_key))
    keys = Keys.from_settings(
        settings(tmp_path, environment="production", private_key_location=file, jwt_secret="0123456789" * 4)
    )
    assert list(keys.public) == [keys.kid] == [thumbprint(rsa_key.public_key())]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "not an unencrypted PEM private key", id="empty"),
        pytest.param(b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "PEM", id="damaged"),
        pytest.param(
            private_pem(rsa.generate_private_key(public_exponent=65537, key_size=1024)),
            "2048 bits or more",
            id="RSA of 1024 bits",
        ),
        pytest.param(
            private_pem(ec.generate_private_key(ec.SECP256R1())), "not an RSA key", id="elliptic curve"
        ),
        pytest.param(
            private_pem(ec.generate_private_key(ec.SECP256R1()), b"password"), "unencrypted", id="encrypted"
        ),
    ],
)
def test_private_key_that_cannot_be_used_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "rsa.pem").write_bytes(content)
    with pytest.raises(Misconfigured, match=reason):
        Keys.from_settings(settings(tmp_path, private_key_location=tmp_path / "rsa.pem"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "lacks the public half", id="empty"),
        pytest.param(
            b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "cannot be read", id="damaged"
        ),
        pytest.param(
            ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(*PUBLIC), "not RSA", id="curve"
        ),
        pytest.param(
            rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key().public_bytes(*PUBLIC),
            "lacks the public half",
            id="of another pair",
        ),
    ],
)
def test_public_file_that_does_not_fit_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "public.pem").write_bytes(content)
    with pytest.raises(Misconfigured, match=reason):
        Keys.from_settings(settings(tmp_path, public_key_location=tmp_path / "public.pem"))


def test_missing_public_file_that_was_named_is_refused(tmp_path: Path) -> None:
    Keys.from_settings(settings(tmp_path))
    named = {
        "environment": "production",
        "jwt_secret": "0123456789" * 4,
        "public_key_location": tmp_path / "none.pem",
    }
    with pytest.raises(Misconfigured, match=r"none\.pem"):
        Keys.from_settings(settings(tmp_path, **named))


@pytest.mark.parametrize("secret", ["x" * 31, " " * 40], ids=["short", "blank"])
def test_short_secret_is_refused(tmp_path: Path, secret: str) -> None:
    with pytest.raises(Misconfigured, match="too short or blank"):
        Keys.from_settings(settings(tmp_path, jwt_secret=secret))


@pytest.mark.parametrize("secret", ["a" * 64, "abc" * 20], ids=["one character", "three"])
def test_a_secret_that_repeats_itself_is_for_development_alone(tmp_path: Path, secret: str) -> None:
    assert Keys.from_settings(settings(tmp_path, jwt_secret=secret))
    with pytest.raises(Misconfigured, match="repeats itself"):
        Keys.from_settings(settings(tmp_path, environment="production", jwt_secret=secret))


def test_folder_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("a file where the folder should be")
    with pytest.raises(Misconfigured, match="cannot be read or created"):
        Keys.from_settings(settings(tmp_path))


def test_tokens_of_an_older_key_are_accepted_while_its_public_half_is_listed(
    tmp_path: Path, rsa_key: rsa.RSAPrivateKey
) -> None:
    old = Tokens(settings(tmp_path))
    token = old.mint_access(ADA)
    private, public = tmp_path / "keys" / "private.pem", tmp_path / "keys" / "public.pem"
    private.write_bytes(private_pem(rsa_key))
    public.write_bytes(rsa_key.public_key().public_bytes(*PUBLIC) + public.read_bytes())

    both = Tokens(settings(tmp_path))
    assert both.verify_access(token).user_id == "Ada"
    kids = [key["kid"] for key in both.key_set()["keys"]]
    assert kids == [thumbprint(rsa_key.public_key()), old.key_set()["keys"][0]["kid"]]

    public.write_bytes(rsa_key.public_key().public_bytes(*PUBLIC))
    with pytest.raises(Unauthenticated, match="signing key is unknown"):
        Tokens(settings(tmp_path)).verify_access(token)


def test_thumbprint_is_that_of_the_standard() -> None:
    """The key and the result of RFC 7638 §3.1."""
    modulus = (
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3"
        "oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdA"
        "ZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-"
        "kEgU8awapJzKnqDKgw"
    )
    key = {"kty": "RSA", "n": modulus, "e": "AQAB"}
    found = thumbprint(_public_key(key))
    assert found == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"


def _public_key(key: dict[str, str]) -> rsa.RSAPublicKey:
    from jwt.algorithms import RSAAlgorithm

    found = RSAAlgorithm.from_jwk(json.dumps(key))
    assert isinstance(found, rsa.RSAPublicKey)
    return found
