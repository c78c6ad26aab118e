"""Users who may do more than those who have written a client are asked before it gets access."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.identity.users.users import NewUser
from tests.http.world import PASSWORD, Document, World
from tests.oauth.applications import register
from tests.oauth.walking import Walker, answer_at, title_of

CLIENTS = "/security/oauth/clients"
CALLBACK = "https://app.example/callback"
CODE_FLOW: Document = {"redirectUris": [CALLBACK], "allowedGrantTypes": ["authorization_code"]}
MERGE = {"Content-Type": "application/merge-patch+json"}
USER, AUDITOR = "user@acme.example", "nobody@acme.example"
ACTOR, STRONG = "actor@acme.example", "strong@acme.example"


@pytest.fixture(scope="module")
def world(world: World) -> World:
    world.sign_in("strong", NewUser(STRONG, PASSWORD, "acme", frozenset({"admin", "auditor"})))
    world.sign_in("actor", NewUser(ACTOR, PASSWORD, "acme", frozenset({"user"})))
    impersonation = {"impersonationEnabled": True, "impersonateFilterScript": "userId:*"}
    world.documents["credentials"].update_one({"userId": ACTOR}, {"$set": impersonation})
    return world


def create(world: World, client_id: str, caller: str = "acme", **fields: Any) -> str:
    """Register a client over the API; return the id of its record."""
    answer = world.ask(f"POST {CLIENTS}", caller, json={"clientId": client_id} | CODE_FLOW | fields)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def patch(world: World, record_id: str, caller: str, **fields: Any) -> None:
    answer = world.ask(f"PATCH {CLIENTS}/id/{record_id}", caller, json=fields, headers=MERGE)
    assert answer.status_code == 200, answer.text


def rotate(world: World, client_id: str, caller: str) -> None:
    assert world.ask(f"POST {CLIENTS}/{client_id}/rotate-secret", caller, json={}).status_code == 200


def writers_of(world: World, client_id: str) -> Any:
    return (world.documents["oauth_clients"].find_one({"clientId": client_id}) or {}).get("writerRoles")


def visit(world: World, client_id: str, user_id: str) -> tuple[Walker, Any]:
    """A user logs in for an application, in a new browser."""
    walker = Walker(world)
    query = {"response_type": "code", "client_id": client_id, "redirect_uri": CALLBACK, "scope": "openid"}
    return walker, walker.log_in(walker.open(query), user_id)


def is_asked(world: World, client_id: str, user_id: str) -> bool:
    _walker, page = visit(world, client_id, user_id)
    if page.status_code == 200:
        assert title_of(page) == "Allow access?"
        return True
    assert "code" in answer_at(page, CALLBACK)
    return False


def consent(world: World, client_id: str, user_id: str) -> None:
    walker, page = visit(world, client_id, user_id)
    assert title_of(page) == "Allow access?"
    assert "code" in answer_at(walker.fill(page, decision="allow"), CALLBACK)


def test_a_user_with_another_role_is_asked_once(world: World) -> None:
    create(world, "depot")
    assert not is_asked(world, "depot", USER)
    assert is_asked(world, "depot", AUDITOR)
    assert is_asked(world, "depot", STRONG)
    consent(world, "depot", AUDITOR)
    assert not is_asked(world, "depot", AUDITOR)
    assert is_asked(world, "depot", STRONG), "the consent of another user"


def test_without_a_page_such_a_user_gets_no_code(world: World) -> None:
    create(world, "silent")
    walker, _page = visit(world, "silent", AUDITOR)
    query = {"response_type": "code", "client_id": "silent", "redirect_uri": CALLBACK, "prompt": "none"}
    assert answer_at(walker.open(query), CALLBACK)["error"] == "consent_required"


def test_a_user_who_acts_as_others_is_asked(world: World) -> None:
    create(world, "of-an-admin")
    create(world, "of-an-operator", caller="system", dataDomain={"tenantId": "acme"})
    assert is_asked(world, "of-an-admin", ACTOR)
    assert not is_asked(world, "of-an-operator", ACTOR)


def test_the_client_of_who_has_the_role_asks_nobody(world: World) -> None:
    create(world, "of-both", caller="strong")
    assert writers_of(world, "of-both") == ["admin", "auditor", "user"]
    assert not is_asked(world, "of-both", AUDITOR)


@pytest.mark.parametrize("way", ["patch", "rotate"])
def test_whoever_writes_it_later_counts_as_well(world: World, way: str) -> None:
    record_id = create(world, f"of-two-{way}", caller="strong", requireConsent=True)
    consent(world, f"of-two-{way}", AUDITOR)
    patch(world, record_id, "strong", clientName="Ours")
    assert not is_asked(world, f"of-two-{way}", AUDITOR), "nobody else has written it"
    if way == "patch":
        patch(world, record_id, "acme", redirectUris=[CALLBACK, "https://else.example/"])
    else:
        rotate(world, f"of-two-{way}", "acme")
    assert writers_of(world, f"of-two-{way}") == ["admin", "user"]
    assert is_asked(world, f"of-two-{way}", AUDITOR), "what was granted to others"
    patch(world, record_id, "strong", clientName="Ours again")
    assert writers_of(world, f"of-two-{way}") == ["admin", "user"], "the other one may still have its secret"


def test_a_page_grants_nothing_to_others_who_write_the_client_while_it_is_open(world: World) -> None:
    record_id = create(world, "open-page", caller="strong", requireConsent=True)
    walker, page = visit(world, "open-page", AUDITOR)
    patch(world, record_id, "acme", clientName="Ours")
    again = walker.fill(page, decision="allow")
    assert (again.status_code, title_of(again)) == (200, "Allow access?")
    assert is_asked(world, "open-page", AUDITOR)
    assert "code" in answer_at(walker.fill(again, decision="allow"), CALLBACK)


def test_a_rotation_that_is_refused_forgets_no_consent(world: World) -> None:
    create(world, "keyed", caller="strong", requireConsent=True)
    consent(world, "keyed", USER)
    match, own_key = {"clientId": "keyed"}, {"tokenEndpointAuthMethod": "private_key_jwt"}
    world.documents["oauth_clients"].update_one(match, {"$set": own_key})
    refused = world.ask(f"POST {CLIENTS}/keyed/rotate-secret", "acme", json={})
    assert refused.status_code == 422, refused.text
    assert writers_of(world, "keyed") == ["admin", "auditor", "user"]
    world.documents["oauth_clients"].update_one(match, {"$unset": own_key})
    assert not is_asked(world, "keyed", USER)


def test_nobody_says_who_has_written_it(world: World) -> None:
    create(world, "forged", writerRoles=["system"])
    assert writers_of(world, "forged") == ["admin", "user"]


def test_a_client_of_the_command_line_asks_nobody(world: World) -> None:
    register(world, "of-the-operator", **CODE_FLOW)
    assert writers_of(world, "of-the-operator") == ["system"]
    assert not is_asked(world, "of-the-operator", AUDITOR)


@pytest.mark.parametrize(("way", "asks"), [("command line", False), ("api", True)])
def test_a_client_from_before_this_was_recorded(world: World, way: str, asks: bool) -> None:
    """What the operator has stored is trusted; of what an administrator has written it is not known."""
    client_id = f"old-{way[:3]}"
    if way == "api":
        create(world, client_id, caller="strong")
    else:
        register(world, client_id, **CODE_FLOW)
    match = {"clientId": client_id}
    world.documents["oauth_clients"].update_one(match, {"$unset": {"writerRoles": 1}})
    assert not is_asked(world, client_id, USER)
    assert is_asked(world, client_id, AUDITOR) is asks
