"""``POST /security/password``: one's own password, by the old one or by the token of a forced change."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from tests.http.test_users import login, me
from tests.http.world import PASSWORD, Document, Play, World
from tests.scenario import Scenario

CHANGE = "POST /security/password"
OTHER = "another horse battery"

_numbers = count(1)


@pytest.fixture
def forced(world: World) -> Callable[[], tuple[str, str]]:
    """Makes a user who must change its password: user id and change token."""

    def make() -> tuple[str, str]:
        name = f"forced{next(_numbers)}@acme.example"
        body = {"userId": name, "password": PASSWORD, "roles": ["user"], "forceChangePassword": True}
        assert world.ask("POST /security/users", json=body).status_code == 201
        answer = login(world, name)
        assert (answer.status_code, answer.json()["expiresIn"]) == (401, 600)
        return name, answer.json()["changeToken"]

    return make


class TestByTheOldPassword:
    def test_new_tokens_come_and_all_others_go(self, world: World, user: str, play: Play) -> None:
        before = login(world, user).json()
        body = {"oldPassword": PASSWORD, "newPassword": OTHER}
        silent = (PASSWORD, OTHER)
        answer = play(Scenario("change", CHANGE, user=user, body=body, changed=1, silent_on=silent))
        assert answer.keys() == before.keys()
        assert me(world, answer["accessToken"]) == 200
        assert [me(world, token) for token in (before["accessToken"], world.tokens[user])] == [401, 401]
        refresh = {"refreshToken": before["refreshToken"]}
        assert world.ask("POST /security/refresh", None, json=refresh).status_code == 401
        assert (login(world, user).status_code, login(world, user, OTHER).status_code) == (401, 200)

    @pytest.mark.parametrize(
        ("members", "status", "code", "says"),
        [
            pytest.param({"oldPassword": "wrong"}, 401, "login.failed", "", id="wrong old one"),
            pytest.param({"newPassword": "short"}, 422, "record.invalid", "12 characters", id="short"),
            pytest.param({"newPassword": "äö" * 19}, 422, "record.invalid", "72 bytes", id="long"),
            pytest.param({"newPassword": PASSWORD}, 422, "record.invalid", "differ", id="the same"),
            pytest.param({"oldPassword": None}, 422, "record.invalid", "oldPassword", id="no old one"),
            pytest.param({"changeToken": "x"}, 422, "record.invalid", "oldPassword", id="both"),
            pytest.param({"userId": "ada"}, 400, "request.unknown_member", "userId", id="somebody else"),
        ],
    )
    def test_refusals(
        self, user: str, play: Play, members: Document, status: int, code: str, says: str
    ) -> None:
        body = {"oldPassword": PASSWORD, "newPassword": OTHER} | members
        body = {name: value for name, value in body.items() if value is not None}
        silent = (PASSWORD, OTHER)
        said: dict[str, Any] = {"status": status, "code": code, "says": (says,), "silent_on": silent}
        play(Scenario("change", CHANGE, user=user, body=body, **said))

    def test_user_id_is_no_password(self, user: str, play: Play) -> None:
        body = {"oldPassword": PASSWORD, "newPassword": user.upper()}
        play(Scenario("user id", CHANGE, user=user, body=body, status=422, says=("the user id",)))

    @pytest.mark.parametrize(
        "headers",
        [
            pytest.param({}, id="none"),
            pytest.param({"Authorization": "Bearer x.y.z"}, id="made up"),
            pytest.param({"Authorization": "Basic eDp5"}, id="another scheme"),
            pytest.param({"Authorization": "Bearer "}, id="empty"),
        ],
    )
    def test_a_token_is_needed(self, play: Play, headers: dict[str, str]) -> None:
        body = {"oldPassword": PASSWORD, "newPassword": OTHER}
        said: dict[str, Any] = {"status": 401, "code": "access.unauthenticated"}
        play(Scenario("nobody", CHANGE, user=None, headers=headers, body=body, **said))

    def test_a_refresh_token_is_none(self, world: World, user: str, play: Play) -> None:
        headers = {"Authorization": f"Bearer {login(world, user).json()['refreshToken']}"}
        body = {"oldPassword": PASSWORD, "newPassword": OTHER}
        play(Scenario("refresh token", CHANGE, user=None, headers=headers, body=body, status=401))

    @pytest.mark.parametrize("header", ["X-Impersonate-Subject", "X-Impersonate-UserId"])
    def test_not_while_acting_as_somebody_else(self, user: str, play: Play, header: str) -> None:
        body = {"oldPassword": PASSWORD, "newPassword": OTHER}
        said: dict[str, Any] = {"status": 403, "code": "access.denied"}
        play(Scenario("impersonating", CHANGE, user=user, headers={header: "ada"}, body=body, **said))

    def test_wrong_old_ones_are_failed_logins(self, world: World, user: str) -> None:
        world.documents["loginAttempts"].delete_many({})
        body = {"oldPassword": "wrong", "newPassword": OTHER}
        statuses = [world.ask(CHANGE, user, json=body).status_code for _ in range(11)]
        assert statuses == [401] * 10 + [429]
        assert login(world, user).status_code == 429
        world.documents["loginAttempts"].delete_many({})


class TestByTheChangeToken:
    def test_forced_change_can_be_completed(self, world: World, forced: Any, play: Play) -> None:
        name, token = forced()
        body = {"changeToken": token, "newPassword": OTHER}
        answer = play(Scenario("change", CHANGE, user=None, body=body, changed=1, has={"identity": name}))
        assert me(world, answer["accessToken"]) == 200
        assert login(world, name, OTHER).status_code == 200
        stored = world.documents["credentials"].find_one({"userId": name})
        assert stored is not None
        assert stored["forceChangePassword"] is False

    def test_token_is_good_once(self, forced: Any, play: Play) -> None:
        _name, token = forced()
        body = {"changeToken": token, "newPassword": OTHER}
        play(Scenario("once", CHANGE, user=None, body=body, changed=1))
        said: dict[str, Any] = {"status": 401, "code": "login.failed", "has": {"reason": "badChangeToken"}}
        again = {"changeToken": token, "newPassword": "yet another horse"}
        play(Scenario("twice", CHANGE, user=None, body=again, **said))

    @pytest.mark.parametrize(
        ("new", "says"),
        [("short", "12 characters"), (PASSWORD, "differ from the old one"), ("xyz" * 25, "72 bytes")],
        ids=["short", "the old one", "long"],
    )
    def test_the_new_one_is_checked(self, forced: Any, play: Play, new: str, says: str) -> None:
        _name, token = forced()
        body = {"changeToken": token, "newPassword": new}
        play(Scenario("change", CHANGE, user=None, body=body, status=422, says=(says,)))
        body |= {"newPassword": OTHER}
        play(Scenario("token is still good", CHANGE, user=None, body=body, changed=1))

    def test_reset_in_between_ends_it(self, world: World, forced: Any, play: Play) -> None:
        name, token = forced()
        reset = world.ask(f"PUT /security/users/userId/{name}/password", json={"newPassword": OTHER})
        assert reset.status_code == 204
        body = {"changeToken": token, "newPassword": "yet another horse"}
        play(Scenario("change", CHANGE, user=None, body=body, status=401, code="login.failed"))

    def test_disabled_user_stays_out(self, world: World, forced: Any, play: Play) -> None:
        name, token = forced()
        off = world.ask(f"PUT /security/users/userId/{name}/disabled", json={"disabled": True})
        assert off.status_code == 204
        body = {"changeToken": token, "newPassword": OTHER}
        play(Scenario("change", CHANGE, user=None, body=body, status=401, code="login.failed"))

    def test_change_token_is_no_access_token(self, world: World, forced: Any) -> None:
        _name, token = forced()
        assert me(world, token) == 401

    def test_other_tokens_are_no_change_tokens(self, world: World, user: str, play: Play) -> None:
        tokens = login(world, user).json()
        for token in (tokens["accessToken"], tokens["refreshToken"], "x", "a.b.c"):
            body = {"changeToken": token, "newPassword": OTHER}
            play(Scenario("other token", CHANGE, user=None, body=body, status=401, code="login.failed"))
