"""``POST /security/logout``: which tokens end, and which do not."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.identity.users.users import NewUser
from tests.http.world import PASSWORD, Document, Play, World
from tests.scenario import Scenario

LOGOUT = "POST /security/logout"


def refreshes(world: World, tokens: Document) -> bool:
    body = {"refreshToken": tokens["refreshToken"]}
    return world.ask("POST /security/refresh", None, json=body).status_code == 200


def test_of_one_session(world: World, user: str, play: Play) -> None:
    ended, other = world.log_in(user), world.log_in(user)
    play(Scenario("logout", LOGOUT, user=user, body={"refreshToken": ended["refreshToken"]}, status=204))
    assert not refreshes(world, ended)
    assert not world.is_in(ended["accessToken"])
    assert refreshes(world, other)
    assert [world.is_in(token) for token in (other["accessToken"], world.tokens[user])] == [True, True]


def test_a_reused_refresh_token_ends_the_access_tokens_of_its_session(world: World, user: str) -> None:
    stolen, other = world.log_in(user), world.log_in(user)
    body = {"refreshToken": stolen["refreshToken"]}
    honest = world.ask("POST /security/refresh", None, json=body).json()
    assert [world.is_in(one["accessToken"]) for one in (stolen, honest)] == [True, True]
    assert not refreshes(world, stolen)
    assert [world.is_in(one["accessToken"]) for one in (stolen, honest)] == [False, False]
    assert world.is_in(other["accessToken"])


def test_of_all_sessions(world: World, user: str, play: Play) -> None:
    sessions = [world.log_in(user), world.log_in(user)]
    play(Scenario("logout", LOGOUT, user=user, body={}, status=204))
    assert [refreshes(world, one) for one in sessions] == [False, False]
    tokens = [world.tokens[user], *(one["accessToken"] for one in sessions)]
    assert [world.is_in(token) for token in tokens] == [False, False, False]
    assert world.is_in(world.log_in(user)["accessToken"])


@pytest.mark.parametrize("with_token", [True, False], ids=["with a refresh token", "without"])
def test_everywhere(world: World, user: str, play: Play, with_token: bool) -> None:
    sessions = [world.log_in(user), world.log_in(user)]
    body: Document = {"everywhere": True}
    if with_token:
        body["refreshToken"] = sessions[0]["refreshToken"]
    play(Scenario("logout", LOGOUT, user=user, body=body, status=204, changed=1))
    assert [refreshes(world, one) for one in sessions] == [False, False]
    tokens = [world.tokens[user], *(one["accessToken"] for one in sessions)]
    assert [world.is_in(token) for token in tokens] == [False, False, False]
    assert world.is_in(world.log_in(user)["accessToken"])


def test_token_of_somebody_else_ends_nothing(world: World, user: str, play: Play) -> None:
    world.sign_in("stayer", NewUser("stayer@acme.example", PASSWORD, "acme", frozenset({"user"})))
    other = world.log_in("stayer@acme.example")
    play(Scenario("logout", LOGOUT, user=user, body={"refreshToken": other["refreshToken"]}, status=204))
    assert refreshes(world, other)


@pytest.mark.parametrize("token", ["x", "a.b.c"])
def test_what_is_no_token_ends_nothing(world: World, user: str, play: Play, token: str) -> None:
    tokens = world.log_in(user)
    play(Scenario("logout", LOGOUT, user=user, body={"refreshToken": token}, status=204))
    assert refreshes(world, tokens)


@pytest.mark.parametrize(
    ("who", "body", "status"),
    [
        pytest.param(None, {}, 401, id="nobody"),
        pytest.param("acme", {"everywhere": "yes"}, 422, id="no boolean"),
        pytest.param("acme", {"refreshToken": ""}, 422, id="empty token"),
        pytest.param("acme", {"subject": "x"}, 400, id="unknown member"),
    ],
)
def test_refusals(play: Play, who: str | None, body: Any, status: int) -> None:
    play(Scenario("logout", LOGOUT, user=who, body=body, status=status))


def test_not_while_acting_as_somebody_else(world: World, user: str, play: Play) -> None:
    path = f"/security/users/userId/{user}/impersonation"
    assert world.ask(f"PUT {path}", json={"filterScript": "userId:user@acme.example"}).status_code == 204
    headers = {"X-Impersonate-UserId": "user@acme.example"}
    target = world.log_in("user@acme.example")
    said: dict[str, Any] = {"status": 403, "code": "access.denied"}
    play(Scenario("logout", LOGOUT, user=user, headers=headers, body={"everywhere": True}, **said))
    assert refreshes(world, target)
    assert world.is_in(target["accessToken"])


def test_without_a_body_it_is_of_all_sessions(world: World, user: str) -> None:
    tokens = world.log_in(user)
    assert world.ask(LOGOUT, user).status_code == 204
    assert not refreshes(world, tokens)
    assert not world.is_in(tokens["accessToken"])


@pytest.mark.parametrize(
    ("content", "media_type", "status"),
    [(b" ", "application/json", 400), (b"{}", "text/plain", 415), (b"", "text/plain", 204)],
)
def test_a_body_that_is_there_is_json(
    world: World, user: str, content: bytes, media_type: str, status: int
) -> None:
    answer = world.ask(LOGOUT, user, content=content, headers={"Content-Type": media_type})
    assert answer.status_code == status


def test_a_group_needs_no_body_and_a_record_does(world: World) -> None:
    group = world.ask("POST /integration/completionTaskGroup/create")
    assert (group.status_code, group.json()["status"]) == (201, "NEW")
    task = world.ask(f"POST /integration/completionTask/create/{group.json()['id']}")
    assert (task.status_code, task.json()["group"]["id"]) == (201, group.json()["id"])
    assert world.ask("POST /logistics/carriers").status_code == 415
    assert world.ask("POST /security/login", None).status_code == 415
    assert world.ask("POST /logistics/carriers/find").status_code == 415
