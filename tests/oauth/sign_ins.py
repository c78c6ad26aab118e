"""Users who sign in to the applications of a world, up to the code that their browser would get."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field, replace
from typing import Any

import jwt

from runtime.client import Client
from runtime.oauth.codes import Granted, issue_code
from tests.http.world import Document, World
from tests.oauth.applications import basic, manage, send

REDIRECT = "https://app.example/callback"
ELSEWHERE = "https://stock.example/api"
USER = "user@acme.example"
APPLICATION: Document = {
    "allowedGrantTypes": ["authorization_code", "refresh_token"],
    "redirectUris": [REDIRECT],
}


@dataclass(frozen=True)
class SignIn:
    """A code, and what it takes to exchange it."""

    code: str = field(repr=False)
    verifier: str | None
    redirect_uri: str = REDIRECT

    def form(self, **changes: str | None) -> dict[str, str]:
        """The token request; ``changes`` replace parameters, and None leaves one out."""
        sent = {
            "grant_type": "authorization_code",
            "code": self.code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier,
        } | changes
        return {name: value for name, value in sent.items() if value is not None}


def challenge_of(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def find_client(world: World, client_id: str) -> Client:
    """A registered client as the service sees it."""
    assert world.client.portal is not None
    found = world.client.portal.call(world.app.state.service.clients.find, world.realm, client_id)
    assert found is not None
    return found


def grant(world: World, client_id: str, user_id: str = USER, **changes: Any) -> tuple[Granted, str]:
    """What a user who signs in now grants, and the verifier of its challenge."""
    stored = world.documents["credentials"].find_one({"userId": user_id})
    assert stored is not None
    verifier = secrets.token_urlsafe(48)
    granted = Granted(
        client=find_client(world, client_id),
        redirect_uri=REDIRECT,
        subject=stored["subject"],
        epoch=stored.get("tokenEpoch") or 0,
        scope="openid",
        resources=(),
        challenge=challenge_of(verifier),
        nonce=None,
        auth_time=world.app.state.service.tokens.clock(),
        shows_auth_time=False,
        sign_on=None,
        domain=stored["dataDomain"],
    )
    return replace(granted, **changes), verifier


def sign_in(world: World, client_id: str, user_id: str = USER, **changes: Any) -> SignIn:
    """Let a user sign in to a client; ``changes`` are members of ``Granted``."""
    granted, verifier = grant(world, client_id, user_id, **changes)
    code = manage(world, issue_code, granted)
    return SignIn(code, verifier if granted.challenge else None, granted.redirect_uri)


def claims_of(token: str) -> Document:
    """The claims of a token, whose signature nobody checks."""
    return dict(jwt.decode(token, options={"verify_signature": False}))


def count(world: World, collection: str = "refreshFamilies", **match: Any) -> int:
    return world.documents[collection].count_documents(match)


def tokens_of(world: World, client_id: str, secret: str, **changes: Any) -> Document:
    """The answer to the exchange of a new code; ``changes`` are members of ``Granted``."""
    answer = send(world, sign_in(world, client_id, **changes).form(), basic(client_id, secret))
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def refresh_form(token: str, **changes: str) -> dict[str, str]:
    return {"grant_type": "refresh_token", "refresh_token": token} | changes


def is_accepted(world: World, access_token: str) -> bool:
    """Whether the service takes an access token; 403 where its scopes do not include this request."""
    headers = {"Authorization": f"Bearer {access_token}"}
    answer = world.ask("GET /security/me", None, headers=headers)
    assert answer.status_code in (200, 401, 403), answer.text
    return answer.status_code != 401
