"""``http.cors-origins``: which pages of other origins may read answers; off unless it names one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pymongo import MongoClient

from runtime import contract
from runtime.errors import Misconfigured
from runtime.settings import Settings
from tests.http.world import Document, World, open_world

APP = "https://app.example"
LIST = "/logistics/countries/list"
PREFLIGHT = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}


@pytest.fixture(scope="module")
def shared(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    origins = f"{APP}, http://localhost:3000"
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, cors_origins=origins) as world:
        yield world


@pytest.mark.parametrize("origin", [APP, "http://localhost:3000"])
def test_a_named_origin_reads_answers(shared: World, origin: str) -> None:
    answer = shared.ask(f"GET {LIST}", headers={"Origin": origin})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == origin
    assert {"ETag", "Location", "X-Request-Id"} <= exposed(answer.headers["access-control-expose-headers"])
    assert "access-control-allow-credentials" not in answer.headers
    assert answer.headers["vary"] == "Origin"


def exposed(header: str) -> set[str]:
    return {name.strip() for name in header.split(",")}


def documented_headers() -> set[str]:
    """The headers of requests in the table of ``runtime/contract/README.md``."""
    text = Path(contract.__file__).with_name("README.md").read_text("utf-8")
    table = text.partition("\n## Headers\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return set(re.findall(r"`([A-Za-z-]+)", " ".join(rows)))


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", f"{LIST}?filter=nam:x", 400), ("GET", "/nowhere", 404), ("DELETE", LIST, 405)],
)
def test_refusals_are_readable_too(shared: World, method: str, path: str, status: int) -> None:
    answer = shared.ask(f"{method} {path}", headers={"Origin": APP})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (status, APP)


@pytest.mark.parametrize(
    "origin", ["https://app.example.evil", "http://app.example", "https://APP.example", "null", ""]
)
def test_another_origin_reads_nothing(shared: World, origin: str) -> None:
    answer = shared.ask(f"GET {LIST}", headers={"Origin": origin})
    assert answer.headers["vary"] == "Origin"
    assert not [name for name in answer.headers if name.startswith("access-control")]
    asked = shared.ask(f"OPTIONS {LIST}", None, headers={"Origin": origin, **PREFLIGHT})
    assert not [name for name in asked.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", [LIST, "/security/login", "/logistics/countries/id/x"])
def test_a_preflight_is_answered_without_a_token(shared: World, path: str) -> None:
    answer = shared.ask(f"OPTIONS {path}", None, headers={"Origin": APP, **PREFLIGHT})
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == APP
    assert {"PATCH", "DELETE"} <= exposed(answer.headers["access-control-allow-methods"])
    assert {"Authorization", "If-Match"} < documented_headers()
    assert documented_headers() <= exposed(answer.headers["access-control-allow-headers"])


def test_without_the_setting_no_page_reads_anything(world: World) -> None:
    answer = world.ask(f"GET {LIST}", headers={"Origin": APP})
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert world.ask(f"OPTIONS {LIST}", None, headers={"Origin": APP, **PREFLIGHT}).status_code == 405


def test_any_origin(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> None:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, cors_origins="*") as world:
        answer = world.ask("GET /live", None, headers={"Origin": "https://anything.example"})
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "vary" not in answer.headers


@pytest.mark.parametrize("origin", ["app.example", "https://app.example/", "https://APP.example", "null"])
def test_what_is_not_an_origin_is_refused(origin: str) -> None:
    with pytest.raises(Misconfigured, match="is not an origin; write scheme and host"):
        Settings.read({"HTTP_CORS_ORIGINS": origin})


PUBLISHED = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/oauth/jwks",
]


@pytest.mark.parametrize("path", PUBLISHED)
@pytest.mark.parametrize("origin", [{}, {"Origin": "https://anything.example"}, {"Origin": "null"}])
def test_what_is_published_for_applications_is_for_pages_of_any_origin(
    world: World, shared: World, path: str, origin: dict[str, str]
) -> None:
    for one in (world, shared):
        answer = one.ask(f"GET {path}", None, headers=origin)
        assert answer.status_code == 200
        assert answer.headers.get_list("access-control-allow-origin") == ["*"]
        assert "vary" not in answer.headers, "it is the same for all"
        preflight = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "mcp-x"}
        asked = one.ask(f"OPTIONS {path}", None, headers=origin | preflight)
        assert (asked.status_code, asked.headers["access-control-allow-headers"]) == (204, "*")
        assert asked.headers["access-control-allow-methods"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/oauth/authorize", "/oauth/authorize?client_id=a", "/oauth/logout"])
def test_pages_to_sign_in_at_are_for_no_other_origin(shared: World, path: str) -> None:
    answer = shared.ask(f"GET {path}", None, headers={"Origin": APP})
    assert not [name for name in answer.headers if name.startswith("access-control")]
