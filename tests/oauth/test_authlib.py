"""Sign-ins with Authlib, which is configured by the metadata alone, as in an application."""

from __future__ import annotations

from typing import Any

import pytest
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet

from tests.oauth.browsing import query_of
from tests.oauth.served import CALLBACK, USER, Served

SCOPE = "openid profile email offline_access"


def open_session(served: Served, client_id: str = "web", **options: Any) -> OAuth2Session:
    is_public = client_id in ("single-page", "native")
    values = {
        "client_id": client_id,
        "client_secret": None if is_public else served.secrets[client_id],
        "token_endpoint_auth_method": "none" if is_public else "client_secret_basic",
        "scope": SCOPE,
        "redirect_uri": CALLBACK,
        "code_challenge_method": "S256",
    }
    return OAuth2Session(**(values | options))


def sign_in(served: Served, session: OAuth2Session, **parameters: str) -> dict[str, Any]:
    """The whole code flow with PKCE; the token."""
    metadata, verifier = served.metadata, generate_token(48)
    url, state = session.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, **parameters
    )
    landed = served.sign_in(url)
    assert landed.startswith(CALLBACK + "?")
    assert query_of(landed).keys() == {"code", "state", "iss"}
    assert query_of(landed)["state"] == state
    assert query_of(landed)["iss"] == metadata["issuer"]
    token: dict[str, Any] = session.fetch_token(
        metadata["token_endpoint"], authorization_response=landed, code_verifier=verifier
    )
    return token


def claims_of(served: Served, token: dict[str, Any], client_id: str, nonce: str | None) -> CodeIDToken:
    """The id token, checked with the key set as OpenID Connect Core 3.1.3.7 says."""
    metadata = served.metadata
    keys = KeySet.import_key_set(served.http.get(metadata["jwks_uri"]).json())
    decoded = jwt.decode(token["id_token"], keys, algorithms=["RS256"])
    claims = CodeIDToken(
        decoded.claims,
        decoded.header,
        {"iss": {"values": [metadata["issuer"]]}, "aud": {"values": [client_id]}},
        {"nonce": nonce, "client_id": client_id, "access_token": token["access_token"]},
    )
    claims.validate()
    return claims


@pytest.mark.parametrize("client_id", ["web", "single-page", "careful"])
def test_a_user_signs_in(served: Served, client_id: str) -> None:
    with open_session(served, client_id) as session:
        token = sign_in(served, session, nonce="n-0S6_WzA2Mj")
        assert (token["token_type"], token["scope"].split()) == ("Bearer", SCOPE.split())
        claims = claims_of(served, token, client_id, "n-0S6_WzA2Mj")
        said = session.get(served.metadata["userinfo_endpoint"]).json()
        assert (said["sub"], said["preferred_username"]) == (claims["sub"], USER.user_id)
        assert session.get(f"{served.url}/logistics/carriers/list").status_code == 200


def test_a_client_secret_in_the_form(served: Served) -> None:
    with open_session(served, token_endpoint_auth_method="client_secret_post") as session:
        assert "id_token" in sign_in(served, session)


def test_a_token_without_openid_has_no_id_token(served: Served) -> None:
    with open_session(served, scope="records:read") as session:
        token = sign_in(served, session)
        assert "id_token" not in token
        assert token["scope"] == "records:read"
        assert session.get(f"{served.url}/logistics/carriers/list").status_code == 200
        refused = session.post(f"{served.url}/logistics/carriers", json={"name": "North", "mode": "AIR"})
        assert refused.status_code == 403
        assert 'error="insufficient_scope"' in refused.headers["www-authenticate"]


def test_a_refresh_rotates(served: Served) -> None:
    with open_session(served) as session:
        first = sign_in(served, session)
        second = session.refresh_token(served.metadata["token_endpoint"])
        assert second["refresh_token"] != first["refresh_token"]
        assert second["access_token"] != first["access_token"]
        assert session.get(served.metadata["userinfo_endpoint"]).status_code == 200
        with pytest.raises(OAuthError, match="invalid_grant"):
            session.refresh_token(served.metadata["token_endpoint"], refresh_token=first["refresh_token"])
        with pytest.raises(OAuthError, match="invalid_grant"):  # a second use ends what came of it
            session.refresh_token(served.metadata["token_endpoint"], refresh_token=second["refresh_token"])
        assert session.get(served.metadata["userinfo_endpoint"]).status_code == 401


def test_a_code_is_used_once(served: Served) -> None:
    with open_session(served) as session:
        metadata, verifier = served.metadata, generate_token(48)
        url, _state = session.create_authorization_url(
            metadata["authorization_endpoint"], code_verifier=verifier
        )
        landed = served.sign_in(url)
        session.fetch_token(metadata["token_endpoint"], authorization_response=landed, code_verifier=verifier)
        assert session.get(metadata["userinfo_endpoint"]).status_code == 200
        with open_session(served) as other, pytest.raises(OAuthError, match="invalid_grant"):
            other.fetch_token(
                metadata["token_endpoint"], authorization_response=landed, code_verifier=verifier
            )
        assert session.get(metadata["userinfo_endpoint"]).status_code == 401


def test_client_credentials(served: Served) -> None:
    with open_session(served, scope=None) as session:
        token = session.fetch_token(served.metadata["token_endpoint"], grant_type="client_credentials")
        assert "refresh_token" not in token
        assert "id_token" not in token
        assert session.get(f"{served.url}/security/me").json()["identity"] == "web"


def test_introspection_and_revocation(served: Served) -> None:
    with open_session(served) as session:
        token, metadata = sign_in(served, session), served.metadata
        for kind in ("access_token", "refresh_token"):
            says = session.introspect_token(
                metadata["introspection_endpoint"], token=token[kind], token_type_hint=kind
            ).json()
            assert (says["active"], says["client_id"]) == (True, "web")
        assert session.revoke_token(
            metadata["revocation_endpoint"], token=token["access_token"], token_type_hint="access_token"
        ).ok
        assert session.get(metadata["userinfo_endpoint"]).status_code == 401
        session.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
        newest = session.token["refresh_token"]
        assert session.get(metadata["userinfo_endpoint"]).status_code == 200
        assert session.revoke_token(metadata["revocation_endpoint"], token=newest).ok
        assert session.get(metadata["userinfo_endpoint"]).status_code == 401
        for ended in (token["access_token"], newest, "nonsense"):
            says = session.introspect_token(metadata["introspection_endpoint"], token=ended)
            assert says.json() == {"active": False}


def test_a_user_who_refuses(served: Served) -> None:
    with open_session(served, "careful") as session:
        url, state = session.create_authorization_url(
            served.metadata["authorization_endpoint"], code_verifier=generate_token(48), prompt="consent"
        )
        landed = query_of(served.sign_in(url, decision="deny"))
        assert (landed["error"], landed["state"]) == ("access_denied", state)
        assert "code" not in landed
