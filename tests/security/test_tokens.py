"""Tokens that are good: what they say, how long they live, and what is remembered of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.bounded_cache import BoundedCache
from runtime.errors import Unauthenticated
from runtime.principal import DomainContext, Identity
from runtime.settings import Settings
from runtime.tokens import Tokens, issue

ADA = Identity(
    user_id="Ada",
    subject="subject-of-ada",
    realm="main",
    roles=frozenset({"user", "admin"}),
    domain=DomainContext("acme", "main", org_ref_name="research", data_segment=3),
)


@pytest.fixture
def tokens(data_folder: Path, clock: Callable[[], float]) -> Tokens:
    settings = Settings.read({}, environment="development", data_folder=data_folder)
    return Tokens(settings, clock)


def parts(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and payload, unchecked."""
    header, payload, _signature = token.split(".")
    first, second = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in (header, payload))
    return first, second


def refresh_token(tokens: Tokens, **changes: Any) -> str:
    values: dict[str, Any] = {"realm": "main", "family": "f", "token_id": "t", "epoch": 1}
    ends = {"ends_at": int(tokens.clock()) + 10**7}
    return tokens.mint_refresh("subject-of-ada", **(values | ends | changes))


def test_access_token_says_what_decisions_ask_for(tokens: Tokens, clock: Any) -> None:
    header, claims = parts(tokens.mint_access(ADA, epoch=7, email="ada@acme.example"))
    kid = tokens.key_set()["keys"][0]["kid"]
    now = int(clock.seconds)

    assert header == {"alg": "RS256", "typ": "at+jwt", "kid": kid}
    assert len(claims.pop("jti")) >= 16
    assert claims == {
        "iss": "http://127.0.0.1:8080",
        "sub": "subject-of-ada",
        "aud": ["http://127.0.0.1:8080", "http://127.0.0.1:8080/mcp"],
        "iat": now,
        "nbf": now,
        "exp": now + 3600,
        "upn": "Ada",
        "preferred_username": "Ada",
        "email": "ada@acme.example",
        "groups": ["admin", "user"],
        "scope": "",
        "realm": "main",
        "tenantId": "acme",
        "orgRefName": "research",
        "dataSegment": 3,
        "tokenEpoch": 7,
    }


def test_access_token_comes_back_as_claims(tokens: Tokens, clock: Any) -> None:
    token = tokens.mint_access(ADA, epoch=7, client_id="client", scope="openid email")
    claims = tokens.verify_access(token)

    assert (claims.subject, claims.user_id, claims.realm) == ("subject-of-ada", "Ada", "main")
    assert claims.roles == {"user", "admin"}
    assert (claims.client_id, claims.scope, claims.epoch) == ("client", "openid email", 7)
    assert claims.expires_at == int(clock.seconds) + 3600


def test_token_ids_differ(tokens: Tokens) -> None:
    found = {tokens.verify_access(tokens.mint_access(ADA)).token_id for _ in range(10)}
    assert len(found) == 10


@pytest.mark.parametrize(
    ("audience", "asked", "is_accepted"),
    [
        pytest.param((), None, True, id="made for all, asked by the service"),
        pytest.param((), "http://127.0.0.1:8080/mcp", True, id="made for all, asked by mcp"),
        pytest.param(("http://127.0.0.1:8080/mcp",), None, False, id="made for mcp, asked by the service"),
        pytest.param(
            ("http://127.0.0.1:8080",), "http://127.0.0.1:8080/mcp", False, id="the other way round"
        ),
        pytest.param((), "http://127.0.0.1:8080/", False, id="one slash more"),
    ],
)
def test_audience_decides_where_a_token_is_accepted(
    tokens: Tokens, audience: tuple[str, ...], asked: str | None, is_accepted: bool
) -> None:
    token = tokens.mint_access(ADA, audience=audience)
    for _ in range(2):  # the second time from memory
        if is_accepted:
            assert tokens.verify_access(token, asked).user_id == "Ada"
        else:
            with pytest.raises(Unauthenticated, match="another audience"):
                tokens.verify_access(token, asked)


@pytest.mark.parametrize("is_remembered", [True, False], ids=["remembered", "seen first"])
@pytest.mark.parametrize(
    ("after", "reason"),
    [
        pytest.param(-6, "not valid yet", id="six seconds early"),
        pytest.param(-5, None, id="five seconds early, within the leeway"),
        pytest.param(3599, None, id="its last second"),
        pytest.param(3604, None, id="within the leeway"),
        pytest.param(3605, "expired", id="past the leeway"),
    ],
)
def test_access_token_lives_for_its_time(
    tokens: Tokens, clock: Any, after: int, reason: str | None, is_remembered: bool
) -> None:
    clock.seconds = 1_800_000_000
    token = tokens.mint_access(ADA)
    if is_remembered:
        tokens.verify_access(token)
    clock.advance(after)

    if reason is None:
        tokens.verify_access(token)
    else:
        with pytest.raises(Unauthenticated, match=reason):
            tokens.verify_access(token)


def test_signature_is_checked_once(tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    token = tokens.mint_access(ADA)
    first = tokens.verify_access(token)
    monkeypatch.setattr(issue, "read_signed", lambda *_arguments: pytest.fail("read again"))
    assert tokens.verify_access(token) is first


def test_memory_of_tokens_is_bounded(tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_remembered", BoundedCache(2))
    first, second, third = (tokens.mint_access(ADA) for _ in range(3))
    for token in (first, second, first, third):  # second is the one used longest ago
        tokens.verify_access(token)
    read: list[str] = []
    real = issue.read_signed
    monkeypatch.setattr(
        issue, "read_signed", lambda token, *rest: (read.append(token), real(token, *rest))[1]
    )
    for token in (first, third, second):
        tokens.verify_access(token)
    assert read == [second]


def test_refresh_token_comes_back_as_claims(tokens: Tokens, clock: Any) -> None:
    token = refresh_token(tokens, epoch=4)
    claims = tokens.verify_refresh(token)

    assert parts(token)[0]["typ"] == "rt+jwt"
    assert (claims.subject, claims.realm, claims.family, claims.token_id, claims.epoch) == (
        "subject-of-ada", "main", "f", "t", 4,
    )  # fmt: skip
    assert claims.expires_at == int(clock.seconds) + tokens.refresh_seconds


def test_refresh_token_ends_with_its_session(tokens: Tokens, clock: Any) -> None:
    ends = int(clock.seconds) + 10
    token = refresh_token(tokens, ends_at=ends)
    assert tokens.verify_refresh(token).expires_at == ends
    clock.advance(20)
    with pytest.raises(Unauthenticated, match="expired"):
        tokens.verify_refresh(token)


def test_successor_is_the_same_for_all_workers_and_not_the_id_itself(
    tokens: Tokens, data_folder: Path
) -> None:
    other = Tokens(Settings.read({}, environment="development", data_folder=data_folder))
    assert tokens.successor("t") == other.successor("t") != tokens.successor("u")
    assert tokens.successor("t") != "t"


def test_purpose_token_is_good_for_its_purpose(tokens: Tokens) -> None:
    token = tokens.mint_purpose("password-change", "subject-of-ada", 60, {"realm": "main"})
    found = tokens.verify_purpose("password-change", token)
    assert (found.subject, found.details) == ("subject-of-ada", {"realm": "main"})


def test_purpose_token_is_good_for_nothing_else(tokens: Tokens, clock: Any) -> None:
    token = tokens.mint_purpose("password-change", "subject-of-ada", 60)
    for verify in (tokens.verify_access, tokens.verify_refresh, lambda t: tokens.verify_purpose("other", t)):
        with pytest.raises(Unauthenticated):
            verify(token)
    clock.advance(66)
    with pytest.raises(Unauthenticated, match="expired"):
        tokens.verify_purpose("password-change", token)


def test_purpose_token_of_another_secret_is_refused(tokens: Tokens, data_folder: Path) -> None:
    settings = Settings.read({}, environment="development", data_folder=data_folder, jwt_secret="x" * 32)
    other = Tokens(settings, tokens.clock)
    with pytest.raises(Unauthenticated, match="signature"):
        tokens.verify_purpose("p", other.mint_purpose("p", "s", 60))


def test_access_and_refresh_tokens_are_no_purpose_tokens(tokens: Tokens) -> None:
    for token in (tokens.mint_access(ADA), refresh_token(tokens)):
        with pytest.raises(Unauthenticated):
            tokens.verify_purpose("password-change", token)


def test_others_can_check_access_tokens_by_the_key_set(tokens: Tokens, clock: Any) -> None:
    key_set = tokens.key_set()
    (key,) = key_set["keys"]
    assert key.keys() == {"kty", "n", "e", "kid", "use", "alg"}
    assert (key["kty"], key["e"], key["use"], key["alg"]) == ("RSA", "AQAB", "sig", "RS256")

    claims = jwt.decode(
        tokens.mint_access(ADA),
        jwt.PyJWKSet.from_dict(key_set)[key["kid"]],
        algorithms=["RS256"],
        audience="http://127.0.0.1:8080",
        issuer="http://127.0.0.1:8080",
    )
    assert claims["upn"] == "Ada"


def test_issuer_is_spelled_as_configured(data_folder: Path) -> None:
    settings = Settings.read(
        {},
        environment="development",
        data_folder=data_folder,
        issuer="https://id.acme.example/",
        base_url="https://acme",
    )
    tokens = Tokens(settings)
    claims = parts(tokens.mint_access(ADA))[1]
    assert (claims["iss"], claims["aud"]) == (
        "https://id.acme.example/",
        ["https://acme", "https://acme/mcp"],
    )


@given(
    user_id=st.text(min_size=1, max_size=60),
    roles=st.frozensets(st.text(max_size=20), max_size=5),
    tenant=st.text(min_size=1, max_size=60),
    epoch=st.integers(0, 2**53 - 1),
)
def test_any_identity_survives_the_round_trip(
    session_tokens: Tokens, user_id: str, roles: frozenset[str], tenant: str, epoch: int
) -> None:
    identity = Identity(user_id, "s", "main", roles, DomainContext(tenant, "main"))
    claims = session_tokens.verify_access(session_tokens.mint_access(identity, epoch=epoch))
    assert (claims.user_id, claims.roles, claims.epoch) == (user_id, roles, epoch)


@pytest.fixture(scope="module")
def session_tokens(data_folder: Path) -> Tokens:
    return Tokens(Settings.read({}, environment="development", data_folder=data_folder))
