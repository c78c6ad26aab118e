"""Sign-ins with the OAuth client of the ``mcp`` SDK, which finds everything from the 401 of a protected resource."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl
from pymongo import MongoClient

from tests.oauth.browsing import query_of
from tests.oauth.resource_server import ResourceServer, run_resource_server
from tests.oauth.served import CLIENTS, KEY, Served, serve_applications

RETURN = "http://127.0.0.1:49321/callback"
"""A port that was free when a native client started; it registered none."""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[ResourceServer]:
    with run_resource_server() as opened:
        yield opened


@pytest.fixture(scope="module")
def served(
    elsewhere: ResourceServer,
    mongo_uri: str,
    mongo_client: MongoClient[dict[str, Any]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with ExitStack() as stack:
        opened = stack.enter_context(
            serve_applications(
                mongo_uri, mongo_client, folder, resources=[elsewhere.url], OAUTH_REGISTRATION="open"
            )
        )
        elsewhere.issuer = opened.metadata["issuer"]
        yield opened


class Storage:
    """What a client remembers between two starts."""

    def __init__(self, client: OAuthClientInformationFull | None) -> None:
        self.tokens: OAuthToken | None = None
        self.client = client

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def open_provider(served: Served, url: str, storage: Storage, landed: list[str]) -> OAuthClientProvider:
    """The SDK's client for the resource at ``url``; its user signs in, and ``landed`` gets the callbacks."""

    async def go(address: str) -> None:
        landed.append(await asyncio.to_thread(served.sign_in, address))

    async def come_back() -> AuthorizationCodeResult:
        said = query_of(landed[-1])
        return AuthorizationCodeResult(code=said["code"], state=said["state"], iss=said["iss"])

    metadata = OAuthClientMetadata(
        redirect_uris=[AnyUrl(RETURN)], token_endpoint_auth_method="none", client_name="An assistant"
    )
    return OAuthClientProvider(url, metadata, storage, go, come_back)


def ask(url: str, auth: httpx2.Auth, times: int = 1) -> list[httpx2.Response]:
    async def work() -> list[httpx2.Response]:
        async with httpx2.AsyncClient(auth=auth) as http:
            return [await http.get(url) for _ in range(times)]

    return asyncio.run(work())


def registered(client_id: str = "native") -> OAuthClientInformationFull:
    return OAuthClientInformationFull(
        client_id=client_id, redirect_uris=[AnyUrl(RETURN)], token_endpoint_auth_method="none"
    )


def test_a_registered_client_signs_in_at_a_route_of_the_service(served: Served) -> None:
    url, landed = f"{served.url}/logistics/carriers/list", list[str]()
    storage = Storage(registered())
    answers = ask(url, open_provider(served, url, storage, landed), times=2)
    assert [answer.status_code for answer in answers] == [200, 200]
    assert len(landed) == 1, "the second request has the token of the first"
    assert storage.tokens is not None
    assert storage.tokens.refresh_token


def test_a_client_that_nobody_knows_registers_itself(served: Served) -> None:
    url, landed, storage = f"{served.url}/logistics/carriers/list", list[str](), Storage(None)
    answers = ask(url, open_provider(served, url, storage, landed), times=2)
    assert [answer.status_code for answer in answers] == [200, 200]
    assert storage.client is not None
    assert storage.client.client_id not in CLIENTS
    again = Storage(storage.client)
    assert ask(url, open_provider(served, url, again, landed))[0].status_code == 200
    assert again.client == storage.client, "it registers once"


def test_a_client_refreshes_by_itself(served: Served) -> None:
    url, landed = f"{served.url}/logistics/carriers/list", list[str]()
    storage = Storage(registered())
    provider = open_provider(served, url, storage, landed)

    async def work() -> list[OAuthToken | None]:
        tokens = []
        async with httpx2.AsyncClient(auth=provider) as http:
            for _ in range(3):
                assert (await http.get(url)).status_code == 200
                tokens.append(storage.tokens)
                provider.context.token_expiry_time = 1.0
        return tokens

    tokens = asyncio.run(work())
    assert len(landed) == 1
    assert len({one.refresh_token for one in tokens if one is not None}) == 3


def test_a_token_for_another_resource_server_is_for_that_one_alone(
    served: Served, elsewhere: ResourceServer
) -> None:
    landed = list[str]()
    storage = Storage(registered())
    (answer,) = ask(elsewhere.url, open_provider(served, elsewhere.url, storage, landed))
    assert (answer.status_code, answer.json()["aud"]) == (200, [elsewhere.url])
    assert storage.tokens is not None
    headers = {"Authorization": f"Bearer {storage.tokens.access_token}"}
    refused = served.http.get(f"{served.url}/logistics/carriers/list", headers=headers)
    assert refused.status_code == 401


def test_a_token_of_the_service_is_refused_elsewhere(served: Served, elsewhere: ResourceServer) -> None:
    url, storage = f"{served.url}/logistics/carriers/list", Storage(registered())
    ask(url, open_provider(served, url, storage, []))
    assert storage.tokens is not None
    headers = {"Authorization": f"Bearer {storage.tokens.access_token}"}
    assert served.http.get(elsewhere.url, headers=headers).status_code == 401


def test_a_program_without_a_user(served: Served) -> None:
    url = f"{served.url}/logistics/carriers/list"
    provider = ClientCredentialsOAuthProvider(
        url, Storage(None), "web", served.secrets["web"], "client_secret_basic", issuer=served.url
    )
    assert [answer.status_code for answer in ask(url, provider)] == [200]


def test_a_program_with_a_key(served: Served) -> None:
    url, key = f"{served.url}/logistics/carriers/list", jwt.algorithms.ECAlgorithm.from_jwk(KEY)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    signing = SignedJWTParameters(issuer="keyed", subject="keyed", signing_key=pem, signing_algorithm="ES256")
    provider = PrivateKeyJWTOAuthProvider(
        url, Storage(None), "keyed", signing.create_assertion_provider(), issuer=served.url
    )
    assert [answer.status_code for answer in ask(url, provider)] == [200]
