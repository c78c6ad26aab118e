"""``service.root-path``: a proxy mounts the service below a prefix, which it sends along or takes off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from tests.http.world import World, open_world


@pytest.fixture(scope="module")
def mounted(mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], key_folder: Path) -> Iterator[World]:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, root_path="/records") as opened:
        yield opened


@pytest.mark.parametrize("prefix", ["/records", ""], ids=["sent along", "taken off"])
def test_every_kind_of_path_is_found(mounted: World, prefix: str) -> None:
    paths = ("/logistics/countries/list", "/live", "/docs", "/openapi.json", "/security/me")
    answers = {path: mounted.ask(f"GET {prefix}{path}").status_code for path in paths}
    assert answers == dict.fromkeys(paths, 200)
    assert mounted.ask(f"GET {prefix}/logistics/nowhere").status_code == 404


def test_a_location_leads_through_the_proxy(mounted: World) -> None:
    made = mounted.ask("POST /records/logistics/countries", json={"code": "PT", "name": "Portugal"})
    assert made.headers["location"] == f"/records/logistics/countries/id/{made.json()['id']}"
    assert mounted.ask(f"GET {made.headers['location']}").status_code == 200


def test_the_document_names_the_prefix_as_its_server(mounted: World) -> None:
    for path in ("/openapi.json", "/openapi/logistics.json"):
        document = mounted.ask(f"GET /records{path}").json()
        assert [server["url"] for server in document["servers"]] == ["/records"]
        schemes = document["components"]["securitySchemes"]
        code = schemes["oauth2"]["flows"]["authorizationCode"]
        own = schemes["oauth2Client"]["flows"]["clientCredentials"]
        assert code["authorizationUrl"] == "/records/oauth/authorize"
        assert {code["tokenUrl"], code["refreshUrl"], own["tokenUrl"]} == {"/records/oauth/token"}
    assert mounted.ask("GET /records/").json()["documentation"] == "/records/docs"


def test_the_page_finds_its_assets_through_the_proxy(mounted: World) -> None:
    page = mounted.ask("GET /records/docs").text
    assert 'src="/records/docs/assets/swagger-ui-bundle.js"' in page
    assert mounted.ask("GET /records/docs/assets/swagger-ui-bundle.js").status_code == 200
    assert 'data-callback="/records/docs/oauth2-redirect"' in page
    assert 'src="/records/docs/callback.js"' in mounted.ask("GET /records/docs/oauth2-redirect").text
