"""The service as a process of its own, with a user and the clients that applications sign in with."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import urljoin

import httpx2
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from pymongo import MongoClient
from pymongo.database import Database

from generated.record_types import CATALOG
from runtime.app import open_service
from runtime.identity.users.users import NewUser, create_user
from runtime.oauth.management import create_client
from runtime.settings import Settings
from runtime.system.documents import OauthClientDocument
from tests.oauth.browsing import Browser
from tests.patience import STORE_MS
from tests.reused import take_database
from tests.serving import serving

USER = NewUser("ann@acme.example", "correct horse battery", "acme", frozenset({"user"}))
CALLBACK = "http://127.0.0.1:9/callback"
"""The redirect URI; nothing listens on port 9."""

KEY = jwt.algorithms.ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()), as_dict=True)
"""The private key of the client ``keyed``, as a JSON Web Key."""

CLIENTS: Mapping[str, Mapping[str, Any]] = {
    "web": {"allowedGrantTypes": ["authorization_code", "refresh_token", "client_credentials"]},
    "single-page": {
        "allowedGrantTypes": ["authorization_code", "refresh_token"],
        "publicClient": True,
        "tokenEndpointAuthMethod": "none",
    },
    "native": {
        "allowedGrantTypes": ["authorization_code", "refresh_token"],
        "publicClient": True,
        "applicationType": "native",
        "tokenEndpointAuthMethod": "none",
        "redirectUris": ["http://127.0.0.1/callback"],
    },
    "keyed": {
        "allowedGrantTypes": ["authorization_code", "refresh_token", "client_credentials"],
        "tokenEndpointAuthMethod": "private_key_jwt",
        "jwks": {"keys": [{name: value for name, value in KEY.items() if name != "d"} | {"kid": "first"}]},
    },
    "careful": {"allowedGrantTypes": ["authorization_code", "refresh_token"], "requireConsent": True},
    "docs": {
        "allowedGrantTypes": ["authorization_code"],
        "publicClient": True,
        "requireConsent": True,
        "redirectUris": ["/docs/oauth2-redirect"],
    },
}
"""The fields of each client, beyond the redirect URI that all have. One may be a path of the service."""


@dataclass(frozen=True)
class Served:
    """A running service: its address, what is stored behind its back, and the secrets of the clients."""

    url: str
    documents: Database[dict[str, Any]]
    http: httpx2.Client
    secrets: Mapping[str, str] = field(repr=False)

    @property
    def metadata(self) -> dict[str, Any]:
        """What a library discovers."""
        answer = self.http.get(f"{self.url}/.well-known/openid-configuration")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def browser(self) -> Browser:
        """A browser that has been nowhere yet."""
        return Browser(self.http, self.url)

    def sign_in(self, url: str, **options: str) -> str:
        """Open an authorization request in a new browser and sign in; the callback."""
        return self.browser().sign_in(url, USER.user_id, USER.password, **options)


@contextmanager
def serve_applications(
    mongo_uri: str,
    mongo_client: MongoClient[dict[str, Any]],
    folder: Path,
    *,
    callback: str = CALLBACK,
    users: Sequence[NewUser] = (),
    resources: Sequence[str] = (),
    **environment: str,
) -> Iterator[Served]:
    """Serve over an empty realm, to ``USER`` and more; its base URL is the address it listens on.

    ``resources``: other resource servers that the clients may request tokens for.
    """
    with take_database(mongo_client, CATALOG) as prepared:
        realm = prepared.name
        # No base URL: then it is the address that the service listens on.
        with serving(mongo_uri, realm, folder, SERVICE_BASE_URL="", **environment) as (_process, url):
            prepared.note_shape()
            prepared.skip_indexes()
            settings = Settings.read(
                {}, mongodb_uri=mongo_uri, default_realm=realm, environment="development", bcrypt_cost=4,
                base_url=url, data_folder=folder, log_level="ERROR",
                mongodb_timeout_ms=STORE_MS,
            )  # fmt: skip
            usual = {
                "redirectUris": [callback],
                "postLogoutRedirectUris": [callback],
                "allowedResources": [*resources],
            }
            work = _register(settings, [USER, *users], usual)
            with ThreadPoolExecutor(1) as thread:  # this one may have a loop that runs: Playwright's
                secrets = thread.submit(asyncio.run, work).result()
            with httpx2.Client(timeout=60) as http:
                yield Served(url, mongo_client[realm], http, secrets)


async def _register(settings: Settings, users: Sequence[NewUser], usual: Mapping[str, Any]) -> dict[str, str]:
    """Create users and clients; return the secrets."""
    secrets = {}
    async with open_service(CATALOG, settings) as service:
        for user in users:
            await create_user(service, user)
        for client_id, fields in CLIENTS.items():
            new = NewUser(client_id, "", USER.tenant_id, frozenset({"user"}))
            document = cast(OauthClientDocument, {**usual, **fields})
            document["redirectUris"] = [urljoin(settings.base_url, one) for one in document["redirectUris"]]
            created = await create_client(service, new, name=client_id.title(), fields=document)
            secrets[client_id] = created.secret or ""
    return secrets
