"""/live, /ready, /openapi.json and the page of /docs: from this machine's own bytes, with entity tags."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from openapi_spec_validator import validate
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated import app as generated_app
from runtime.settings import Settings
from tests.http.world import Document, World, open_world
from tests.patience import wait_until

DOCUMENT = generated_app.DOCUMENT
AREAS = [group["name"] for group in json.loads(DOCUMENT.read_bytes())["x-tagGroups"]]


@pytest.mark.parametrize("path", ["/live", "/ready"])
def test_live_and_ready(world: World, path: str) -> None:
    answer = world.ask(f"GET {path}", None)
    assert (answer.status_code, answer.json()["status"]) == (200, path[1:])
    assert answer.headers["cache-control"] == "no-store"


def test_ready_tells_whether_changes_are_followed(world: World) -> None:
    assert world.app.state.service.settings.change_streams
    wait_until(lambda: world.ask("GET /ready").json()["changeStream"], 10)


def test_the_document_is_the_generated_file(world: World) -> None:
    answer = world.ask("GET /openapi.json", None)
    assert answer.content == DOCUMENT.read_bytes()
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("area", AREAS)
def test_each_area_has_its_document(world: World, area: str) -> None:
    """Valid by itself: its own paths, and the components that they refer to, directly or not; no others."""
    whole = json.loads(DOCUMENT.read_bytes())
    part = world.ask(f"GET /openapi/{area}.json", None).json()
    validate(part)
    assert part["info"]["title"] == f"Recordsmith: {area}"
    assert all(part["paths"][path] == whole["paths"][path] for path in part["paths"])
    text = json.dumps([part["paths"], part["components"]])
    for section, components in part["components"].items():
        for name, component in components.items():
            assert component == whole["components"][section][name]
            assert section == "securitySchemes" or f'"#/components/{section}/{name}"' in text
    for section, name in re.findall(r'"#/components/(\w+)/([^"]+)"', text):
        assert name in part["components"][section]


def test_areas_share_out_the_paths(world: World) -> None:
    parts = {area: world.ask(f"GET /openapi/{area}.json", None).json() for area in AREAS}
    told = [path for part in parts.values() for path in part["paths"]]
    assert sorted(told) == sorted(json.loads(DOCUMENT.read_bytes())["paths"])
    assert set(AREAS) >= {"logistics", "security"}
    assert "Shipment" in parts["logistics"]["components"]["schemas"]
    assert "Shipment" not in parts["security"]["components"]["schemas"]


@pytest.mark.parametrize(
    "path",
    [
        *("/openapi.json", "/openapi/logistics.json", "/docs", "/docs/page.js", "/docs/page.css"),
        *("/docs/oauth2-redirect", "/docs/callback.js"),
    ],
)
class TestFixedAnswers:
    def test_the_tag_saves_the_way(self, world: World, path: str) -> None:
        tag = world.ask(f"GET {path}", None).headers["ETag"]
        again = world.ask(f"GET {path}", None, headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
        other = world.ask(f"GET {path}", None, headers={"If-None-Match": '"other"'})
        assert (other.status_code, other.headers["ETag"]) == (200, tag)

    @pytest.mark.parametrize("shape", ["W/{}", '"x", {}', "*"])
    def test_the_tag_in_other_shapes(self, world: World, path: str, shape: str) -> None:
        tag = world.ask(f"GET {path}", None).headers["ETag"]
        assert world.ask(f"GET {path}", None, headers={"If-None-Match": shape.format(tag)}).status_code == 304

    def test_head_has_no_body(self, world: World, path: str) -> None:
        answer = world.ask(f"HEAD {path}", None)
        assert (answer.status_code, answer.content) == (200, b"")
        assert int(answer.headers["content-length"]) > 0

    def test_only_this_machine_may_be_asked(self, world: World, path: str) -> None:
        policy = world.ask(f"GET {path}", None).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"https?:|\*", policy)


@pytest.mark.parametrize("path", ["/docs", "/docs/page.js", "/docs/oauth2-redirect", "/docs/callback.js"])
def test_no_absolute_address_in_the_page(world: World, path: str) -> None:
    text = world.ask(f"GET {path}", None).text
    assert not re.search(r"(https?:)?//", text)


def test_everything_the_page_names_is_there(world: World) -> None:
    page = world.ask("GET /docs", None)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    named = re.findall(r'(?:src|href|data-document|data-callback)="([^"]+)"', page.text)
    assert len(named) == 7
    for path in named:
        answer = world.ask(f"GET {path}", None)
        assert answer.status_code == 200, path
        assert len(answer.content) > 100


@pytest.mark.parametrize("path", ["/docs", "/docs/oauth2-redirect"])
def test_the_page_holds_no_script_of_its_own(world: World, path: str) -> None:
    """Its policy would refuse it."""
    page = world.ask(f"GET {path}", None).text
    assert re.findall(r"<script(?![^>]*\ssrc=)", page) == []
    assert not re.search(r"\s(on\w+|style)=", page)


def test_the_page_is_no_place_for_a_code(world: World) -> None:
    """The answer to a sign-in is the same for any query, and repeats nothing of it."""
    plain = world.ask("GET /docs/oauth2-redirect", None)
    sent = world.ask("GET /docs/oauth2-redirect?code=secret-code&state=<script>", None)
    assert (sent.status_code, sent.content) == (200, plain.content)
    assert sent.headers["referrer-policy"] == "no-referrer"


def test_the_page_signs_in(world: World) -> None:
    """It says how, and has the form: the script sends it to the token route and asks who signed in."""
    page = world.ask("GET /docs", None).text
    assert "Sign in to call the routes below" in page
    assert 'data-login="/security/login"' in page
    assert 'data-caller="/security/me"' in page
    assert world.ask("GET /security/me").json()["identity"] == "admin@acme.example"
    assert 'name="password" type="password"' in page
    script = world.ask("GET /docs/page.js", None).text
    assert "sessionStorage" in script
    assert "localStorage" not in script


@pytest.mark.parametrize("path", ["/openapi.json", "/docs", "/docs/assets/swagger-ui-bundle.js"])
class TestPacked:
    def test_it_is_compressed_for_callers_that_accept_it(self, world: World, path: str) -> None:
        plain = world.ask(f"GET {path}", None, headers={"Accept-Encoding": "identity"})
        packed = world.ask(f"GET {path}", None, headers={"Accept-Encoding": "br, gzip;q=0.5"})
        assert packed.headers["content-encoding"] == "gzip"
        assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
        assert int(packed.headers["content-length"]) < len(plain.content) / 1.5
        assert packed.content == plain.content
        assert "content-encoding" not in plain.headers
        assert packed.headers["ETag"] != plain.headers["ETag"]

    @pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "*;q=0", "gzip;q=x"])
    def test_it_is_plain_for_others(self, world: World, path: str, accepted: str) -> None:
        answer = world.ask(f"GET {path}", None, headers={"Accept-Encoding": accepted})
        assert "content-encoding" not in answer.headers


class TestHome:
    def test_a_browser_gets_a_page_that_leads_to_the_documentation(self, world: World) -> None:
        answer = world.ask("GET /", None, headers={"Accept": "text/html,*/*;q=0.8"})
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert 'href="/docs"' in answer.text
        assert "Accept" in answer.headers["vary"].split(", ")
        assert "default-src 'none'" in answer.headers["content-security-policy"]

    def test_a_program_gets_links(self, world: World) -> None:
        answer = world.ask("GET /", None, headers={"Accept": "*/*"})
        assert answer.json() == {
            "title": "Recordsmith",
            "documentation": "/docs",
            "openapi": "/openapi.json",
            "live": "/live",
            "ready": "/ready",
        }
        assert "Accept" in answer.headers["vary"]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "path",
    [
        *("/", "/openapi.json", "/openapi/logistics.json", "/docs", "/docs/page.js"),
        "/docs/assets/swagger-ui.css",
    ],
)
def test_unknown_parameters_are_refused(world: World, method: str, path: str) -> None:
    for accept in ("application/json", "text/html"):
        answer = world.ask(f"{method} {path}?area=logistics", None, headers={"Accept": accept})
        assert answer.status_code == 400
        assert "etag" not in answer.headers
        if method == "GET":
            assert (answer.json()["code"], answer.json()["parameter"]) == (
                "request.unknown_parameter",
                "area",
            )


@pytest.mark.parametrize("path", ["/live", "/ready"])
def test_probes_may_add_parameters(world: World, path: str) -> None:
    answer = world.ask(f"GET {path}?probe=1&probe=2&%ff", None)
    assert (answer.status_code, answer.json()["status"]) == (200, path[1:])


@pytest.fixture(scope="module")
def closed(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, documentation="sign-in") as world:
        yield world


class TestForCallersWhoHaveSignedIn:
    """``service.documentation=sign-in``: a browser opens the page without a token, and the document with one."""

    DOCUMENTS = ("/openapi.json", "/openapi/logistics.json")
    PAGE = ("/docs", "/docs/page.js", "/docs/page.css", "/docs/assets/swagger-ui.css")

    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    @pytest.mark.parametrize("path", DOCUMENTS)
    def test_the_document_needs_a_token(self, closed: World, method: str, path: str) -> None:
        for headers in ({}, {"Authorization": "Bearer x.y.z"}, {"If-None-Match": "*"}):
            answer = closed.ask(f"{method} {path}", None, headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert "etag" not in answer.headers
        assert closed.ask(f"{method} {path}?page=1", None).status_code == 401
        assert closed.ask(f"{method} {path}?page=1", "acme-nobody").status_code == 400

    @pytest.mark.parametrize("path", DOCUMENTS)
    def test_any_caller_reads_it(self, closed: World, path: str) -> None:
        answer = closed.ask(f"GET {path}", "acme-nobody")
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "private, no-cache"
        headers = {"If-None-Match": answer.headers["ETag"]}
        assert closed.ask(f"GET {path}", "acme-nobody", headers=headers).status_code == 304

    @pytest.mark.parametrize("path", PAGE)
    def test_the_page_opens_and_tells_nothing_of_the_service(self, closed: World, path: str) -> None:
        answer = closed.ask(f"GET {path}", None)
        assert answer.status_code == 200
        if path == "/docs":
            assert 'data-login="/security/login"' in answer.text
            assert "Carrier" not in answer.text

    @pytest.mark.parametrize("path", ["/live", "/ready"])
    def test_probes_need_no_token(self, closed: World, path: str) -> None:
        assert closed.ask(f"GET {path}", None).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/openapi.json",
        "/openapi/logistics.json",
        "/docs",
        "/docs/page.js",
        "/docs/assets/swagger-ui.css",
    ],
)
def test_what_is_off_is_not_there(mongo_uri: str, path: str) -> None:
    settings = Settings.read({}, mongodb_uri=mongo_uri, documentation="off", log_level="ERROR")
    answer = TestClient(generated_app.create(settings)).get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "record.not_found")
