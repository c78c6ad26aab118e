"""The valid parts of wrong requests: codes, tokens, secrets and assertions, each created on demand."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from datetime import timedelta
from functools import cached_property, partial
from typing import Any, Final
from urllib.parse import urlencode
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from runtime.identity.credentials.families import digest
from runtime.model.clock import from_seconds
from runtime.oauth.management import set_active
from tests.http.world import PASSWORD, World
from tests.oauth.applications import basic, manage, register, send
from tests.oauth.browsing import Browser, query_of
from tests.oauth.sign_ins import USER, sign_in
from tests.oauth.wrong.shape import AUTHORIZE, CALLBACK, CHALLENGE, LOOPBACK, STOCK, VERIFIER

CODES: Final = ["authorization_code", "refresh_token"]
OTHER: Final = "admin@acme.example"
ISSUER: Final = "http://127.0.0.1:8080"


class Materials:
    """``get("code")`` makes a code of the client ``web``; each call makes another."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._key = rsa.generate_private_key(65537, 2048)
        self._other_key = rsa.generate_private_key(65537, 2048)
        self.secrets = {name: self._register(name, **fields) for name, fields in self._clients().items()}
        self._makers: dict[str, Callable[[], str]] = self._list_makers()

    def __contains__(self, name: str) -> bool:
        return name in self.secrets or name in self._makers

    def get(self, name: str) -> str:
        """Create what a name stands for."""
        return self.secrets[name] if name in self.secrets else self._makers[name]()

    @cached_property
    def signed_on(self) -> Browser:
        """The browser of a user who has signed in to the client ``web``."""
        browser = Browser(self.world.client, "http://testserver")
        landed = browser.sign_in(self.authorize_url(), USER, PASSWORD)
        assert "code" in query_of(landed), landed
        return browser

    @staticmethod
    def authorize_url(**changes: str) -> str:
        """An authorization request that is right."""
        return "http://testserver/oauth/authorize?" + urlencode({**AUTHORIZE, **changes})

    def _clients(self) -> dict[str, dict[str, Any]]:
        usual = {
            "allowedGrantTypes": [*CODES, "client_credentials"],
            "redirectUris": [CALLBACK, "https://app.example/second"],
            "postLogoutRedirectUris": ["https://app.example/"],
            "allowedResources": [STOCK],
        }
        public = usual | {"publicClient": True, "tokenEndpointAuthMethod": "none", "allowedGrantTypes": CODES}
        return {
            "web": usual,
            "narrow": usual | {"allowedGrantTypes": CODES, "allowedScopes": ["openid", "logistics:read"]},
            "with-query": usual | {"redirectUris": [f"{CALLBACK}?kept=1"]},
            "off": usual,
            "pkce": usual | {"requirePkce": True},
            "careful": usual | {"requireConsent": True},
            "machine": usual | {"allowedGrantTypes": ["client_credentials"], "allowedScopes": ["records:read"]},
            "loopback": usual | {"redirectUris": [LOOPBACK]},
            "single-page": public,
            "native": public | {"applicationType": "native", "redirectUris": [LOOPBACK]},
            "keyed": usual | {"tokenEndpointAuthMethod": "private_key_jwt", "jwks": self._key_set()},
        }  # fmt: skip

    def _register(self, name: str, **fields: Any) -> str:
        secret = register(self.world, name, **fields)
        if name == "off":
            manage(self.world, set_active, self.world.realm, "off", False)
        if fields.get("publicClient"):
            clients = self.world.documents["oauth_clients"]
            clients.update_one({"clientId": name}, {"$unset": {"clientSecretHash": ""}})
        return secret

    def _list_makers(self) -> dict[str, Callable[[], str]]:
        def member(name: str, **options: Any) -> Callable[[], str]:
            return lambda: str(self._tokens("web", **options)[name])

        return {
            "password": lambda: PASSWORD,
            "code": self._code,
            "CODE": lambda: self._code().swapcase(),
            "plain_code": partial(self._code, challenge=None),
            "single_page_code": lambda: self._code("single-page"),
            "stock_code": partial(self._code, resources=(STOCK,)),
            "spent_code": self._spent_code,
            "old_code": self._old_code,
            "stale_code": lambda: self._stale(self._code),
            "access": member("access_token"),
            "refresh": member("refresh_token"),
            "id_token": member("id_token"),
            "id_token_of_other": member("id_token", user_id=OTHER),
            "stock_refresh": member("refresh_token", resources=(STOCK,)),
            "spent_refresh": self._spent_refresh,
            "unsigned_refresh": lambda: _unsign(self._tokens("web")["refresh_token"]),
            "unsigned_access": lambda: _unsign(self._tokens("web")["access_token"]),
            "revoked_refresh": lambda: self._revoked("refresh_token"),
            "revoked_access": lambda: self._revoked("access_token"),
            "stale_refresh": lambda: self._stale(lambda **user: self._tokens("web", **user)["refresh_token"]),
            "stale_access": lambda: self._stale(lambda **user: self._tokens("web", **user)["access_token"]),
            "off_access": self._off_access,
            "login_refresh": self._login_refresh,
            "own": lambda: self._sent({"grant_type": "client_credentials", "scope": "records:read"}),
            "field": lambda: self._field(Browser(self.world.client, "http://testserver")),
            "own_field": lambda: self._field(self.signed_on),
            "pushed": self._pushed,
            "spent_pushed": self._spent_pushed,
            "assertion": self._assertion,
            "assertion_of_web": partial(self._assertion, iss="web", sub="web"),
            "assertion_for_other": partial(self._assertion, aud="https://other.example"),
            "assertion_expired": partial(self._assertion, exp=time.time() - 600),
            "assertion_for_years": partial(self._assertion, exp=time.time() + 10**8),
            "assertion_by_other": partial(self._assertion, key=self._other_key),
            "assertion_unsigned": lambda: _unsign(self._assertion()),
            "assertion_used": self._used_assertion,
        }

    def _code(self, client_id: str = "web", user_id: str = USER, **changes: Any) -> str:
        values = {
            "challenge": CHALLENGE,
            "scope": "openid offline_access",
            "redirect_uri": CALLBACK,
        } | changes
        return sign_in(self.world, client_id, user_id, **values).code

    def _tokens(self, client_id: str, **changes: Any) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": self._code(client_id, **changes),
            "redirect_uri": CALLBACK,
            "code_verifier": VERIFIER,
        }
        answer = send(self.world, form, basic(client_id, self.secrets[client_id]))
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def _sent(self, form: dict[str, str], path: str = "/oauth/token", member: str = "access_token") -> str:
        answer = send(self.world, form, basic("web", self.secrets["web"]), path)
        assert answer.status_code in (200, 201), answer.text
        return str(answer.json().get(member, "")) if answer.content else ""

    def _spent_code(self) -> str:
        code = self._code()
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}
        self._sent(form | {"code_verifier": VERIFIER})
        return code

    def _old_code(self) -> str:
        code = self._code()
        past = from_seconds(self.world.app.state.service.tokens.clock()) - timedelta(seconds=1)
        codes = self.world.documents["oauth_authorization_codes"]
        assert codes.update_one({"refName": digest(code)}, {"$set": {"validUntil": past}}).modified_count
        return code

    def _spent_refresh(self) -> str:
        token = str(self._tokens("web")["refresh_token"])
        self._sent({"grant_type": "refresh_token", "refresh_token": token})
        return token

    def _revoked(self, member: str) -> str:
        tokens = self._tokens("web")
        self._sent({"token": tokens[member]}, "/oauth/revoke")
        return str(tokens[member])

    def _stale(self, make: Callable[..., str]) -> str:
        """What ``make`` makes for a user whose password changes afterwards."""
        user_id = self.world.sign_in_another()
        made = make(user_id=user_id)
        body = {"oldPassword": PASSWORD, "newPassword": f"{PASSWORD} {uuid4().hex}"}
        answer = self.world.ask("POST /security/password", user_id, json=body)
        assert answer.status_code in (200, 204), answer.text
        return made

    def _off_access(self) -> str:
        manage(self.world, set_active, self.world.realm, "off", True)
        token = str(self._tokens("off")["access_token"])
        manage(self.world, set_active, self.world.realm, "off", False)
        return token

    def _login_refresh(self) -> str:
        return str(self.world.log_in(USER)["refreshToken"])

    def _field(self, browser: Browser) -> str:
        """The hidden field of a login page."""
        page = browser.open(self.authorize_url(prompt="login"))
        assert not isinstance(page, str), page
        return page.form.values["request"]

    def _pushed(self) -> str:
        sent = {name: value for name, value in AUTHORIZE.items() if isinstance(value, str)}
        return self._sent(sent, "/oauth/par", "request_uri")

    def _spent_pushed(self) -> str:
        pushed = self._pushed()
        url = f"http://testserver/oauth/authorize?{urlencode({'client_id': 'web', 'request_uri': pushed})}"
        assert "code" in query_of(str(self.signed_on.open(url)))
        return pushed

    def _key_set(self) -> dict[str, Any]:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return {"keys": [public | {"kid": "k", "alg": "RS256", "use": "sig"}]}

    def _assertion(self, key: rsa.RSAPrivateKey | None = None, **changes: Any) -> str:
        claims = {
            "iss": "keyed", "sub": "keyed", "aud": ISSUER, "exp": time.time() + 120, "jti": uuid4().hex,
        } | changes  # fmt: skip
        return jwt.encode(claims, key or self._key, "RS256", headers={"kid": "k"})

    def _used_assertion(self) -> str:
        assertion = self._assertion()
        kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        form = {
            "grant_type": "client_credentials",
            "client_assertion": assertion,
            "client_assertion_type": kind,
        }
        assert send(self.world, form).status_code == 200
        return assertion


def _unsign(token: str) -> str:
    """The token as its receiver would read it who believes in ``alg: none``."""
    head, payload, _signature = token.split(".")
    header = json.loads(base64.urlsafe_b64decode(head + "=="))
    empty = base64.urlsafe_b64encode(json.dumps(header | {"alg": "none"}).encode()).rstrip(b"=").decode()
    return f"{empty}.{payload}."
