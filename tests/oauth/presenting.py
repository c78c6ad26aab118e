"""Clients that present tokens to be revoked or described, and the requests of theirs that are refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.http.world import Document, World
from tests.oauth.applications import CLIENT_CREDENTIALS, basic, register, send
from tests.oauth.sign_ins import REDIRECT, tokens_of
from tests.oauth.signing import EC, ISSUER, Signer, es256, form, jwk, raw

ELSEWHERE = "https://stock.example/api"
REVOKE, INTROSPECT = "/oauth/revoke", "/oauth/introspect"

GRANTS = ["authorization_code", "refresh_token", "client_credentials"]
WEB: Document = {
    "allowedGrantTypes": GRANTS, "redirectUris": [REDIRECT], "allowedResources": [ELSEWHERE, "https://b.example"],
}  # fmt: skip
CLIENTS: dict[str, Document] = {
    "shop": WEB,
    "other": WEB | {"allowedResources": ["https://another.example"]},
    "stock": {"allowedResources": [ELSEWHERE]},
    "gateway": {"allowedResources": [ISSUER]},
    "app": WEB | {"publicClient": True},
    "signer": WEB | {"tokenEndpointAuthMethod": "private_key_jwt", "jwks": {"keys": [jwk(EC)]}},
    "gone": WEB | {"active": False},
}


class Clients:
    """The clients of one world, with their secrets."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.secrets = {name: register(world, name, **fields) for name, fields in CLIENTS.items()}

    def headers(self, client_id: str) -> dict[str, str]:
        return basic(client_id, self.secrets[client_id])

    def present(self, path: str, token: str, client_id: str = "shop", **more: str) -> httpx2.Response:
        """Send a token; a public client sends its id alone."""
        sent = {"token": token, **more}
        if client_id == "app":
            return send(self.world, sent | {"client_id": "app"}, path=path)
        return send(self.world, sent, self.headers(client_id), path)

    def own_token(self, client_id: str = "shop", **more: str) -> str:
        """An access token of the client itself."""
        answer = send(self.world, CLIENT_CREDENTIALS | more, self.headers(client_id))
        assert answer.status_code == 200, answer.text
        return str(answer.json()["access_token"])

    def sign_in(self, client_id: str = "shop", **changes: Any) -> Document:
        """The tokens of a user who signed in to a client."""
        return tokens_of(self.world, client_id, self.secrets[client_id], **changes)

    def log_in(self) -> Document:
        """The tokens of a user who logged in without any client."""
        return self.world.log_in()


@dataclass(frozen=True)
class Wrong:
    """A request that is refused. ``$id`` in a header stands for Basic of that client, ``$token`` for a token."""

    status: int
    error: str
    form: str | Mapping[str, str]
    basic: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def wrong_requests(secrets: Mapping[str, str], token: str) -> dict[str, Wrong]:
    """By name, for either route."""
    own = {"token": token}
    shop = own | {"client_id": "shop", "client_secret": secrets["shop"]}
    return {
        "nobody": Wrong(401, "invalid_client", own),
        "the access token as a credential": Wrong(
            401, "invalid_client", own, headers={"Authorization": f"Bearer {token}"}
        ),
        "a wrong secret": Wrong(401, "invalid_client", shop | {"client_secret": "wrong"}),
        "an unknown client": Wrong(401, "invalid_client", shop | {"client_id": "nobody"}),
        "a disabled client": Wrong(401, "invalid_client", own, basic="gone"),
        "the secret of another": Wrong(401, "invalid_client", shop | {"client_id": "other"}),
        "the id of a confidential client": Wrong(401, "invalid_client", own | {"client_id": "shop"}),
        "a public client with a secret": Wrong(401, "invalid_client", own, basic="app"),
        "another realm": Wrong(401, "invalid_client", shop | {"realm": "elsewhere"}),
        "two ways at once": Wrong(400, "invalid_request", shop, basic="shop"),
        "two clients at once": Wrong(400, "invalid_request", own | {"client_id": "other"}, basic="shop"),
        "a secret and an assertion": Wrong(400, "invalid_request", shop | form("a.b.c")),
        "an assertion without type": Wrong(400, "invalid_request", own | {"client_assertion": "a.b.c"}),
        "a forged assertion": Wrong(401, "invalid_client", own | form("a.b.c")),
        "no token": Wrong(400, "invalid_request", {}, basic="shop"),
        "an empty token": Wrong(400, "invalid_request", {"token": ""}, basic="shop"),
        "two tokens": Wrong(400, "invalid_request", f"token={token}&token={token}", basic="shop"),
        "two hints": Wrong(
            400, "invalid_request", f"token={token}&token_type_hint=a&token_type_hint=a", basic="shop"
        ),
        "a token in the query": Wrong(400, "invalid_request", {}, basic="shop", headers={"query": f"token={token}"}),
        "JSON": Wrong(
            415, "invalid_request", f'{{"token":"{token}"}}', "shop", {"Content-Type": "application/json"}
        ),
        "no media type": Wrong(415, "invalid_request", own, "shop", {"Content-Type": "text/plain"}),
        "a body too large": Wrong(413, "invalid_request", own | {"x": "a" * 70_000}, basic="shop"),
        "a broken escape": Wrong(400, "invalid_request", "token=%zz", basic="shop"),
        "no UTF-8": Wrong(400, "invalid_request", "token=%ff", basic="shop"),
    }  # fmt: skip


WRONG_NAMES = tuple(wrong_requests({"shop": ""}, ""))


def send_wrong(clients: Clients, path: str, name: str, token: str) -> tuple[httpx2.Response, Wrong]:
    wrong = wrong_requests(clients.secrets, token)[name]
    headers = dict(wrong.headers)
    query = headers.pop("query", None)
    headers |= {} if wrong.basic is None else clients.headers(wrong.basic)
    return send(clients.world, wrong.form, headers, path + (f"?{query}" if query else "")), wrong


def signed(audience: str) -> Callable[[str], dict[str, str]]:
    """The form of a client with a key, for an audience."""
    signer = Signer("signer")
    return lambda token: (
        {"token": token} | form(raw({"alg": "ES256", "typ": "JWT"}, signer.claims(aud=audience), es256))
    )
