"""Examples of request bodies in the document succeed as they are, or what they name is not in the realm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import generated
from tests.documents import list_operations
from tests.http.world import World

_DATA = ("record.not_found", "reference.missing", "record.duplicate")
"""Codes of refusals that are about the data of a realm: examples cannot know its ids, and share names."""

_ENDS_SESSIONS = ("/security/logout", "/security/password")

_REFUSED = {
    "POST /oauth/register": "oauth.registration is off",
    "POST /security/login": "The user id or the password is wrong",
    "POST /security/refresh": "The refresh token is not accepted",
}
"""What needs a secret of the caller, or a setting."""


def list_examples() -> list[tuple[str, Any]]:
    """List each request whose path is the same for all records, with its example."""
    document = json.loads((Path(generated.__file__).parent / "openapi.json").read_bytes())
    found = []
    for path, method, operation in list_operations(document):
        content = operation.get("requestBody", {}).get("content", {})
        body = content.get("application/json", {}).get("example")
        if body is not None and "{" not in path and path not in _ENDS_SESSIONS:
            query = {
                one["name"]: one["example"] for one in operation.get("parameters", ()) if "example" in one
            }
            found.append((f"{method.upper()} {path}?{urlencode(query)}", body))
    return sorted(found, key=lambda one: one[0])


@pytest.mark.parametrize(("request_line", "body"), [pytest.param(*one, id=one[0]) for one in list_examples()])
def test_an_example_can_be_sent(world: World, request_line: str, body: Any) -> None:
    own = {"realm": world.realm} if "realm" in body else {}
    line = request_line.replace("realm=main", f"realm={world.realm}")
    answer = world.ask(line, "acme", json={**body, **own})
    problem = answer.json() if answer.status_code >= 400 else {}
    problem_text = json.dumps(problem)
    if expected := _REFUSED.get(request_line.partition("?")[0]):
        assert expected in problem_text
        return
    assert answer.status_code < 400 or problem["code"] in _DATA, problem_text
