"""``oauth:`` and ``snakeCase: true``: forms, pages, errors of RFC 6749, names as a standard has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from generator.model import Model
from generator.naming import BadName, PythonName
from generator.openapi import document

Schema = dict[str, Any]


@pytest.fixture(scope="module")
def sample(sample_model: Model) -> Schema:
    return document(sample_model)


def test_a_route_of_oauth_takes_a_form_and_answers_its_errors(sample: Schema) -> None:
    operation = sample["paths"]["/oauth/token"]["post"]
    assert list(operation["requestBody"]["content"]) == ["application/x-www-form-urlencoded"]
    assert operation["security"] == [{}, {"clientBasic": []}]
    failures = {status: one for status, one in operation["responses"].items() if status != "200"}
    assert failures == {
        status: {"$ref": f"#/components/responses/OAuth{status}"}
        for status in ("400", "401", "413", "415", "429", "503")
    }
    refused = sample["components"]["responses"]["OAuth401"]
    assert "WWW-Authenticate" in refused["headers"]
    assert refused["content"]["application/json"]["example"]["error"] == "invalid_client"


def test_its_members_are_in_snake_case(sample: Schema) -> None:
    schemas = sample["components"]["schemas"]
    assert {"grant_type", "client_id"} <= schemas["TokenRequestInput"]["properties"].keys()
    assert {"access_token", "expires_in"} <= schemas["TokenAnswer"]["properties"].keys()
    assert schemas["OAuthError"]["properties"].keys() == {"error", "error_description"}


@pytest.mark.parametrize("name", ["grantType", "Grant", "grant__type", "_grant", "copy", "str", "class"])
def test_what_is_no_name_of_snake_case(name: str) -> None:
    with pytest.raises(BadName):
        PythonName.from_snake(name)


def test_a_page_takes_its_request_as_query_or_form(sample: Schema) -> None:
    shown, sent = (sample["paths"]["/shop/visit"][method] for method in ("get", "post"))
    assert [(one["name"], one["in"]) for one in shown["parameters"]] == [
        ("visitor_name", "query"),
        ("guest", "query"),
        ("Cookie", "header"),
    ]
    assert "requestBody" not in shown
    assert list(sent["requestBody"]["content"]) == ["application/x-www-form-urlencoded"]
    assert shown["security"] == sent["security"] == []


def test_a_page_answers_with_pages_and_redirects(sample: Schema) -> None:
    shown, sent = (sample["paths"]["/shop/visit"][method]["responses"] for method in ("get", "post"))
    assert shown.keys() == {"200", "303", "400", "429", "503"}
    assert sent.keys() == {"200", "303", "400", "413", "415", "503"}
    for responses in (shown, sent):
        assert list(responses["200"]["content"]) == ["text/html"]
        assert responses["303"]["headers"].keys() == {"Location", "X-Request-Id"}
        assert "content" not in responses["303"]
        assert responses["400"] == {"$ref": "#/components/responses/Page400"}
    assert list(sample["components"]["responses"]["Page400"]["content"]) == ["text/html"]
    assert "Retry-After" in sample["components"]["responses"]["Page429"]["headers"]


def test_json_of_oauth_has_the_errors_of_oauth(sample: Schema) -> None:
    operation = sample["paths"]["/shop/visitors"]["post"]
    assert list(operation["requestBody"]["content"]) == ["application/json"]
    assert operation["responses"].keys() == {"201", "400", "413", "415", "503"}
    assert operation["responses"]["400"] == {"$ref": "#/components/responses/OAuth400"}
    assert operation["security"] == []


def test_a_service_states_the_flows_that_it_serves(sample: Schema, sample_model: Model) -> None:
    schemes = sample["components"]["securitySchemes"]
    code = schemes["oauth2"]["flows"]["authorizationCode"]
    own = schemes["oauth2Client"]["flows"]["clientCredentials"]
    assert len(schemes["oauth2"]["flows"]) == len(schemes["oauth2Client"]["flows"]) == 1
    assert (code["authorizationUrl"], code["tokenUrl"]) == ("/oauth/authorize", "/oauth/token")
    assert (code["refreshUrl"], own["tokenUrl"]) == ("/oauth/token", "/oauth/token")
    assert {"openid", "shop:read", "shop:write", "records:read"} <= code["scopes"].keys()
    assert code["scopes"]["shop:read"] == "Read records of the area shop, as far as you may."
    assert own["scopes"].keys() == {one for one in code["scopes"] if ":" in one}

    token = tuple(one for one in sample_model.endpoints if one.path == "/oauth/token")
    programs = document(replace(sample_model, endpoints=token))
    assert list(programs["components"]["securitySchemes"]) == ["bearerAuth", "clientBasic", "oauth2Client"]

    without = document(replace(sample_model, endpoints=()))
    assert list(without["components"]["securitySchemes"]) == ["bearerAuth"]
    assert without["security"] == [{"bearerAuth": []}]
    assert not any("security" in one for path in without["paths"].values() for one in path.values())


def test_an_import_takes_the_scopes_of_all_that_it_does(sample: Schema) -> None:
    required = {
        path: sample["paths"][f"/shop/articles{path}"][method]["security"][0]["oauth2"]
        for path, method in (("/csv", "post"), ("/csv/session/profile", "post"))
    }
    assert required == {
        "/csv": ["shop:read", "shop:write"],
        "/csv/session/profile": ["shop:read", "shop:write", "integration:read"],
    }
    assert sample["paths"]["/shop/articles/csv"]["get"]["security"][0]["oauth2"] == ["shop:read"]
