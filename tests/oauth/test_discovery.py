"""What applications find at the well-known places: everything there is, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from generated.record_types import CATALOG
from runtime.oauth.metadata import ENDPOINTS
from runtime.oauth.presented import METHODS
from runtime.oauth.token import GRANTS
from runtime.oauth.well_known import fault_of_issuer
from runtime.permissions.token_scopes import known_scopes
from tests.http.documented import PUBLISHED
from tests.http.world import Document, World, open_world

BASE = "http://127.0.0.1:8080"
SERVER = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
RESOURCE = "/.well-known/oauth-protected-resource"

STANDARD = {
    "/oauth/authorize": "authorization_endpoint",
    "/oauth/introspect": "introspection_endpoint",
    "/oauth/jwks": "jwks_uri",
    "/oauth/logout": "end_session_endpoint",
    "/oauth/par": "pushed_authorization_request_endpoint",
    "/oauth/register": "registration_endpoint",
    "/oauth/revoke": "revocation_endpoint",
    "/oauth/token": "token_endpoint",
    "/oauth/userinfo": "userinfo_endpoint",
}
"""Path → the member that RFC 8414 or OpenID Connect has for it."""


def metadata(world: World, path: str = SERVER[0]) -> dict[str, Any]:
    answer = world.ask(f"GET {path}", None)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "public, max-age=300"
    found: dict[str, Any] = answer.json()
    return found


def test_both_documents_are_one(world: World) -> None:
    assert metadata(world, SERVER[0]) == metadata(world, SERVER[1])


def test_each_endpoint_is_a_route_and_each_route_is_listed() -> None:
    listed = {endpoint.path: member for member, endpoint in ENDPOINTS.items()}
    routes = {path for path in PUBLISHED["paths"] if path.startswith("/oauth/")}
    assert listed == {path: STANDARD[path] for path in routes}


def test_endpoints_are_absolute_and_answer(world: World) -> None:
    found = metadata(world)
    for member in STANDARD.values():
        if member in found:
            assert found[member].startswith(f"{BASE}/oauth/")
            path = found[member].removeprefix(BASE)
            assert world.ask(f"OPTIONS {path}", None).status_code != 404
    assert found["jwks_uri"] == f"{BASE}/oauth/jwks"
    assert found["token_endpoint"] == f"{BASE}/oauth/token"


def test_the_members(world: World) -> None:
    found = metadata(world)
    assert found["issuer"] == BASE
    assert found["grant_types_supported"] == list(GRANTS)
    assert found["subject_types_supported"] == ["public"]
    assert found["id_token_signing_alg_values_supported"] == ["RS256"]
    assert found["token_endpoint_auth_methods_supported"] == list(METHODS)
    assert found["scopes_supported"] == list(known_scopes({kind.area for kind in CATALOG}))
    assert "system:read" not in found["scopes_supported"]
    flows = PUBLISHED["components"]["securitySchemes"]["oauth2"]["flows"]
    assert [*flows["authorizationCode"]["scopes"]] == found["scopes_supported"]
    assert found["response_types_supported"] == ["code"]
    assert found["response_modes_supported"] == ["query"]
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert found["authorization_response_iss_parameter_supported"] is True
    assert found["request_uri_parameter_supported"] is False, "it would be true if it were absent"
    assert (found["claims_parameter_supported"], found["request_parameter_supported"]) == (False, False)


@pytest.mark.parametrize(
    "issuer", ["https://sign-in.example/tenants/acme", "https://sign-in.example/tenants/acme/"]
)
def test_an_issuer_with_a_path(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path, issuer: str
) -> None:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, issuer=issuer) as world:
        for path in SERVER:
            assert metadata(world, f"{path}/tenants/acme")["issuer"] == issuer
            assert metadata(world, path)["issuer"] == issuer
            for other in ("tenants", "tenants/acme/more", "tenants/Acme", "mcp"):
                assert world.ask(f"GET {path}/{other}", None).status_code == 404
        assert metadata(world, RESOURCE)["authorization_servers"] == [issuer]


@pytest.mark.parametrize("path", SERVER)
def test_an_issuer_without_a_path_is_at_one_place(world: World, path: str) -> None:
    for other in ("mcp", "x", "%2e%2e/x", "tenants/acme"):
        answer = world.ask(f"GET {path}/{other}", None)
        assert (answer.status_code, answer.json()["code"]) == (404, "record.not_found")


@pytest.mark.parametrize(("path", "resource"), [("", BASE), ("/mcp", f"{BASE}/mcp")])
def test_a_protected_resource(world: World, path: str, resource: str) -> None:
    found = metadata(world, RESOURCE + path)
    assert found == {
        "resource": resource,
        "authorization_servers": [BASE],
        "scopes_supported": ["records:read", "records:write"],
        "bearer_methods_supported": ["header"],
        "resource_documentation": f"{BASE}/docs",
    }
    assert set(found["scopes_supported"]) <= set(metadata(world)["scopes_supported"])
    tokens = world.app.state.service.tokens
    assert resource in (tokens.audience, tokens.mcp_audience), "a token for it can be had"


@pytest.mark.parametrize("path", ["other", "mcp/x", "MCP", "%2e%2e/mcp"])
def test_a_resource_that_is_not_there(world: World, path: str) -> None:
    assert world.ask(f"GET {RESOURCE}/{path}", None).status_code == 404


def test_a_resource_with_a_path(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    base = "https://records.example/api"
    values = {"base_url": base, "root_path": "/api", "documentation": "off"}
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, **values) as world:
        for path in (RESOURCE, f"/api{RESOURCE}", f"{RESOURCE}/api"):
            assert metadata(world, path)["resource"] == base
        for path in (f"{RESOURCE}/mcp", f"/api{RESOURCE}/mcp", f"{RESOURCE}/api/mcp"):
            assert metadata(world, path)["resource"] == f"{base}/mcp"
        assert "resource_documentation" not in metadata(world, RESOURCE)
        challenge = world.ask("GET /api/security/me", None).headers["www-authenticate"]
        assert f'resource_metadata="{base}{RESOURCE}"' in challenge
        assert metadata(world, SERVER[1])["token_endpoint"] == f"{base}/oauth/token"


@pytest.mark.parametrize("path", [*SERVER, RESOURCE, "/oauth/jwks"])
def test_they_are_read_only(world: World, path: str) -> None:
    for method in ("POST", "PUT", "DELETE"):
        answer = world.ask(f"{method} {path}", None)
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    head = world.ask(f"HEAD {path}", None)
    assert (head.status_code, head.content) == (200, b"")


def test_the_key_set_has_what_libraries_choose_by(world: World) -> None:
    answer = world.ask("GET /oauth/jwks", None)
    for key in answer.json()["keys"]:
        assert (key["kty"], key["use"], key["alg"]) == ("RSA", "sig", "RS256")
        assert not key.keys() & {"d", "p", "q", "dp", "dq", "qi", "key_ops"}


@pytest.mark.parametrize(
    ("issuer", "is_found"),
    [
        (BASE, True),
        (f"{BASE}/", True),
        (f"{BASE}/tenants/acme", False),
        ("https://127.0.0.1:8080", False),
        ("http://127.0.0.1", False),
        ("https://sign-in.example", False),
        (f"{BASE}?a=b", False),
        (f"{BASE}#a", False),
        (f"{BASE}?", False),
        ("recordsmith", False),
        ("urn:recordsmith", False),
        ("", False),
    ],
)
def test_an_issuer_that_cannot_be_discovered_here_is_reported(issuer: str, is_found: bool) -> None:
    assert (fault_of_issuer(issuer, BASE) is None) is is_found


@pytest.mark.parametrize("slash", ["", "/"])
def test_an_issuer_with_the_path_of_the_service_is_discovered(slash: str) -> None:
    """OpenID Connect libraries append the well-known path to the issuer, and the service is there alone."""
    base = "https://records.example/api"
    assert fault_of_issuer(base + slash, base) is None
    assert fault_of_issuer(base, base + slash) is None
    for other in ("https://records.example", f"{base}/tenants", f"{base}2"):
        assert fault_of_issuer(other + slash, base) == (
            f"OpenID Connect libraries look for {other}/.well-known/openid-configuration, and this service "
            f"has it at {base}/.well-known/openid-configuration"
        )
