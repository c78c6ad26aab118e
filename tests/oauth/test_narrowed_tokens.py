"""What tokens with scopes may do over HTTP: nothing that their scopes do not name, at no door."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.identity.users.users import NewUser
from tests.http.documented import OPERATIONS, PUBLISHED, Operation
from tests.http.rest_door import ABOUT, Asked, Rest
from tests.http.scene import Scene, narrowed, open_scene
from tests.http.world import PASSWORD, Document, World, open_world
from tests.narrowing import narrow_token

REST = Rest()
ROLE = "reader"
"""An administrator; here it sends one token after the other."""

EVERYTHING = "records:read records:write security:read security:write"
SCOPES = (
    "openid profile email offline_access",
    *("records:read", "records:write", "security:read", "security:write", "integration:read"),
    *("logistics:read", "logistics:write", "logistics:read logistics:write", "records:read records:write"),
    *("integration:read integration:write", "security:read security:write"),
)
IMPORTS = {
    *("importCsv", "openImportSession", "openProfileSession", "listImportRows", "followImport"),
    *("exportImportErrors", "commitImportSession", "discardImportSession"),
}

QUERIES = {one.name for one in OPERATIONS if one.name.startswith("query_")}
READING_TOO = {
    "query_deleteMany",
    "agentConfig_save",
    "agentConfig_deleteById",
    "agentConfig_deleteByRefName",
} | {name for name in QUERIES if name.startswith("query_import")}

OF_RECORDS = QUERIES | {one.name for one in OPERATIONS if one.name.startswith("agent") and one.name in ABOUT}
OPEN = {"query_rootTypes", "agent_tools", "agent_schema", "agent_queryHints", "agent_permissionHints"}

PUBLIC = {"security_login", "security_refresh"} | {
    one.name for one in OPERATIONS if one.name.startswith("oauth_")
}
OF_SYSTEM = {"enableRealmOverride", "disableRealmOverride"}
OF_WHOLE_TOKENS = {
    f"webhook_{word}" for word in ("create", "patch", "rotateSecret", "resume", "test", "resend")
}
"""What outlasts the token, so that no token with scopes may do it."""

VIEWING = next(one for one in OPERATIONS if one.name == "country_getById")


@pytest.fixture(scope="module")
def scene(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any) -> Iterator[Scene]:
    """In a world that caches as usual: here nobody changes credentials but the service."""
    with (
        open_world(mongo_uri, mongo_client, data_folder=key_folder) as cached,
        open_scene(cached, mongo_client) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def tokens(scene: Scene) -> dict[str, str]:
    """Scopes → a token of the administrator with these."""
    registered = list(dict.fromkeys(" ".join((EVERYTHING, *SCOPES)).split()))
    caller = f"matrix-{ROLE}"
    return {
        scopes: narrow_token(scene.world, caller, scopes, registered=registered)
        for scopes in (EVERYTHING, *SCOPES)
    }


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.name not in PUBLIC], ids=str)
def test_no_operation_does_more_than_the_scopes_of_the_token_name(
    scene: Scene, tokens: dict[str, str], operation: Operation
) -> None:
    full = outcome(scene, operation, tokens[EVERYTHING])
    assert full != "1"
    is_refused = operation.word in OF_SYSTEM or operation.name in OF_WHOLE_TOKENS
    assert (full == "3") == is_refused, "the refusals below come of the scopes alone"
    for scopes in SCOPES:
        expected = full if is_named(operation, scopes) else "3"
        if operation.name == "permission_check" and expected == "+" and not is_named(VIEWING, scopes):
            expected = "4"  # the record that is asked about
        assert outcome(scene, operation, tokens[scopes]) == expected, f"{operation} with {scopes}"


def is_named(operation: Operation, scopes: str) -> bool:
    """Whether the scopes name all that the operation does."""
    has = scopes.split()
    return all(
        one in has or (not one.startswith("security:") and f"records:{one.partition(':')[2]}" in has)
        for one in needed_scopes(operation)
    )


def needed_scopes(operation: Operation) -> set[str]:
    """The scopes, each of its own area, that name all that the operation does."""
    if operation.name in OPEN:
        return set()  # they list the types that the scopes name, and tools
    kind = operation.kind or (ABOUT[operation.name] if operation.name in OF_RECORDS else None)
    area = "security" if kind is None else kind.area
    is_write = operation.is_write and operation.name != "agent_execute"  # of a tool that counts
    needed = {f"{area}:write" if is_write else f"{area}:read"}
    if operation.word in IMPORTS or operation.name in READING_TOO:
        needed = {f"{area}:read", f"{area}:write"}
    if operation.word == "openProfileSession":
        needed.add("integration:read")
    return needed


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.name not in PUBLIC], ids=str)
def test_the_document_states_the_scopes(operation: Operation) -> None:
    """Where no single scope is enough, since the request chooses the record type, it states none."""
    published = PUBLISHED["paths"][operation.path][operation.method.lower()]
    stated = published.get("security", PUBLISHED["security"])
    needed = set[str]() if operation.name in OF_RECORDS | OPEN else needed_scopes(operation)
    for scheme in ("oauth2", "oauth2Client"):
        (required,) = (one[scheme] for one in stated if scheme in one)
        assert {*required} == needed


def outcome(scene: Scene, operation: Operation, token: str) -> str:
    scene.world.tokens[narrowed(ROLE)] = token
    target = "other owner" if operation.name.startswith("users_") else "own"
    return REST.outcome(Asked(scene, operation, ROLE, target))


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    ("scope", "request_", "missing"),
    [
        ("logistics:write", "GET /logistics/carriers/list", "logistics:read"),
        ("logistics:read", "POST /logistics/carriers", "logistics:write"),
        ("integration:read", "GET /logistics/carriers/list", "logistics:read"),
        ("records:read records:write", "GET /security/users", "security:read"),
        ("records:read records:write", "GET /security/me", "security:read"),
        ("security:read", "POST /security/logout", "security:write"),
        ("security:read", "POST /security/password", "security:write"),
        ("security:write", "GET /security/permission/rules/list", "security:read"),
    ],
)
def test_the_refusal_names_the_scope_that_is_missing(
    world: World, scope: str, request_: str, missing: str
) -> None:
    bodies: dict[str, Document] = {
        "POST /logistics/carriers": world.sample("Carrier"),
        "POST /security/logout": {"refreshToken": "none"},
        "POST /security/password": {"oldPassword": PASSWORD, "newPassword": f"another {PASSWORD}"},
    }
    token = narrow_token(world, "acme", scope)
    options: dict[str, Any] = {"json": bodies[request_]} if request_ in bodies else {}
    answer = world.ask(request_, None, headers=bearer(token), **options)
    assert (answer.status_code, answer.json()["code"], answer.json()["scope"]) == (
        403,
        "access.denied",
        missing,
    )
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith(f'Bearer realm="recordsmith", error="insufficient_scope", scope="{missing}"')


def test_who_lacks_more_than_a_scope_is_not_sent_for_one(world: World) -> None:
    token = narrow_token(world, "acme-user", "logistics:read")
    answer = world.ask("GET /security/users", None, headers=bearer(token))
    assert answer.status_code == 403
    assert "scope" not in answer.json()
    assert "www-authenticate" not in answer.headers


def test_a_token_for_writing_gets_no_record_back(world: World) -> None:
    headers = bearer(narrow_token(world, "acme", "logistics:write"))
    new = world.ask("POST /logistics/airports", None, headers=headers, json=world.sample("Airport"))
    assert (new.status_code, new.content) == (201, b"")
    path = new.headers["location"]
    stored = world.ask(f"GET {path}").json()
    merge = {"Content-Type": "application/merge-patch+json"}
    changed = world.ask(f"PATCH {path}", None, headers=headers | merge, content='{"name": "Moved"}')
    assert (changed.status_code, changed.content) == (204, b"")
    assert world.ask(f"GET {path}").json()["name"] == "Moved"
    body = {"filter": f"id:{stored['id']}", "values": {"name": "Found"}}
    found = world.ask("PUT /logistics/airports/bulk/set", None, headers=headers, json=body)
    assert (found.status_code, found.json()["scope"]) == (403, "logistics:read"), "a filter reads"
    assert world.ask(f"GET {path}", None, headers=headers).status_code == 403
    assert world.ask(f"DELETE {path}", None, headers=headers).status_code == 204
    assert world.ask(f"GET {path}").status_code == 404


def test_an_answer_is_not_given_again_to_a_token_with_fewer_scopes(world: World) -> None:
    key = {"Idempotency-Key": "the same for all tokens"}
    body = world.sample("Carrier") | {"refName": "kept-answer"}
    first = world.ask("POST /logistics/carriers", headers=key, json=body)
    assert first.status_code == 201
    for scope, status in [("logistics:write", 409), ("integration:read", 409)]:
        again = world.ask(
            "POST /logistics/carriers",
            None,
            headers=bearer(narrow_token(world, "acme", scope)) | key,
            json=body,
        )
        assert (again.status_code, again.json()["code"]) == (status, "idempotency.no_answer")
        assert "kept-answer" not in again.text
    assert world.ask("POST /logistics/carriers", headers=key, json=body).content == first.content


def test_acting_as_another_keeps_the_scopes_of_the_token(world: World) -> None:
    world.sign_in("actor", NewUser("actor@acme.example", PASSWORD, "acme", frozenset({"user"})))
    grant = {
        "impersonationEnabled": True,
        "impersonateFilterScript": "userId:user@*",
        "impersonationGranter": {"operator": True},
    }
    world.documents["credentials"].update_one({"userId": "actor@acme.example"}, {"$set": grant})
    token = narrow_token(world, "actor", "logistics:read")
    acting = {"X-Impersonate-UserId": "user@acme.example"}
    listed = world.ask("GET /logistics/carriers/list", None, headers=bearer(token) | acting)
    assert listed.status_code == 200, listed.text
    body = world.sample("Carrier")
    assert world.ask("POST /logistics/carriers", "actor", headers=acting, json=body).status_code == 201
    made = world.ask("POST /logistics/carriers", None, headers=bearer(token) | acting, json=body)
    assert (made.status_code, made.json().get("scope")) == (403, "logistics:write")


def test_what_a_client_may_not_request_any_more_ends_in_the_tokens_it_has(world: World) -> None:
    both = ["logistics:read", "logistics:write"]
    token = narrow_token(world, "acme", " ".join(both), client="shrinking", registered=both)
    request = "POST /logistics/carriers"
    assert world.ask(request, None, headers=bearer(token), json=world.sample("Carrier")).status_code == 201
    world.documents["oauth_clients"].update_one(
        {"clientId": "shrinking"}, {"$set": {"allowedScopes": ["logistics:read"]}}
    )
    assert world.ask(request, None, headers=bearer(token), json=world.sample("Carrier")).status_code == 403
    assert world.ask("GET /logistics/carriers/list", None, headers=bearer(token)).status_code == 200


@pytest.mark.parametrize(
    ("scope", "registered", "status"),
    [
        pytest.param("", [], 200, id="no scopes at all"),
        pytest.param("openid", ["openid", "profile"], 200, id="scopes that are not about records"),
        pytest.param("openid", ["openid", "logistics:read"], 403, id="asking for less gives no more"),
        pytest.param("", ["logistics:read"], 403, id="nor does asking for nothing"),
        pytest.param("logistics:read", ["openid"], 403, id="a scope that the client does not have"),
    ],
)
def test_a_client_with_record_scopes_is_always_narrowed(
    world: World, scope: str, registered: list[str], status: int
) -> None:
    token = narrow_token(world, "acme", scope, client="narrowed-or-not", registered=registered)
    assert world.ask("GET /logistics/carriers/list", None, headers=bearer(token)).status_code == status
    assert world.ask("GET /security/users", None, headers=bearer(token)).status_code == status


def test_an_explanation_names_the_scope_that_is_missing(world: World) -> None:
    headers = bearer(narrow_token(world, "acme", "security:read logistics:write"))
    question = {"area": "logistics", "functionalDomain": "carrier", "action": "VIEW"}
    asked = world.ask("POST /security/permission/check", None, headers=headers, json=question)
    assert asked.status_code == 200, asked.text
    assert asked.json()["decision"] == "DENY"
    assert "the token lacks the scope logistics:read" in asked.text
    allowed = world.ask(
        "POST /security/permission/check", None, headers=headers, json=question | {"action": "UPDATE"}
    )
    assert allowed.json()["decision"] == "ALLOW"
    decision = world.ask("GET /logistics/carriers/list", None, headers=headers).json()["decisionId"]
    told = world.ask(f"GET /security/permission/decision/{decision}").json()
    assert told["reason"] == "the token lacks the scope logistics:read"


def test_a_refused_change_of_password_is_explained_to_the_administrators_of_the_user(world: World) -> None:
    headers = bearer(narrow_token(world, "acme", "logistics:write"))
    body = {"oldPassword": "of nobody here", "newPassword": "another one of nobody"}
    refused = world.ask("POST /security/password", None, headers=headers, json=body)
    assert (refused.status_code, refused.json()["scope"]) == (403, "security:write")
    path = f"GET /security/permission/decision/{refused.json()['decisionId']}"
    explained = world.ask(path)
    assert explained.status_code == 200, explained.text
    assert explained.json()["userId"] == "admin@acme.example"
    assert world.ask(path, "globex").status_code == 404
