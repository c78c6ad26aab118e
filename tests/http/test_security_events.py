"""What the log says of logins and users: who, from where, how it ended; and never a secret."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from tests.http.world import PASSWORD, Document, World
from tests.patience import wait_until

pytestmark = pytest.mark.settings(log_level="INFO", login_failures=3)

ADDRESS = "testclient"
WRONG = "wrong horse battery"
NEW = "another horse battery"
AS_ADMIN = {"X-Impersonate-UserId": "admin@acme.example"}

_numbers = count(1)

Heard = Callable[[str], list[Document]]


@pytest.fixture
def ada(world: World) -> Document:
    """A user who is signed in under its own name."""
    found: Document = world.ask(f"GET /security/users/userId/{world.sign_in_another()}").json()
    return found


@pytest.fixture
def heard(world: World, capfd: pytest.CaptureFixture[str]) -> Iterator[Heard]:
    """The lines of one event so far, without what each line has. Nothing secret is in any line."""
    lines: list[Document] = []
    text: list[str] = []

    def read(event: str) -> list[Document]:
        text.append(capfd.readouterr().err)
        lines.extend(json.loads(line) for line in text[-1].splitlines())
        return [
            {name: value for name, value in line.items() if name not in ("timestamp", "level", "event")}
            for line in lines
            if line["event"] == event
        ]

    yield read
    read("")
    for secret in (PASSWORD, WRONG, NEW, "eyJ"):
        assert secret not in "".join(text)


def login(world: World, user_id: str, password: str = PASSWORD, **headers: str) -> int:
    body = {"userId": user_id, "password": password}
    return world.ask("POST /security/login", None, json=body, headers=headers).status_code


class TestLogins:
    def test_success(self, world: World, ada: Document, heard: Heard) -> None:
        heard("")
        headers = {"X-Request-Id": "req-1"}
        body = {"userId": ada["userId"], "password": PASSWORD}
        assert world.ask("POST /security/login", None, json=body, headers=headers).status_code == 200
        assert heard("login.succeeded")[-1] == {
            "subject": ada["subject"], "realm": world.realm, "address": ADDRESS, "request_id": "req-1",
        }  # fmt: skip

    def test_failures_and_what_follows(self, world: World, ada: Document, heard: Heard) -> None:
        assert [login(world, ada["userId"].upper(), WRONG) for _ in range(4)] == [401, 401, 401, 429]
        expected = {"subject": ada["subject"], "realm": world.realm, "address": ADDRESS}
        assert [without_id(line) for line in heard("login.failed")] == [expected] * 3
        assert [without_id(line) for line in heard("login.throttled")] == [expected]
        clear_attempts(world)

    def test_the_name_of_nobody_is_not_logged(self, world: World, heard: Heard) -> None:
        """It may be a password that somebody typed into the wrong field."""
        assert login(world, NEW, WRONG) == 401
        assert without_id(heard("login.failed")[-1]) == {
            "subject": None, "realm": world.realm, "address": ADDRESS,
        }  # fmt: skip
        clear_attempts(world)

    def test_a_password_that_must_be_changed(self, world: World, ada: Document, heard: Heard) -> None:
        path = f"/security/users/userId/{ada['userId']}/password"
        assert world.ask(f"PUT {path}", json={"newPassword": NEW}).status_code == 204
        assert login(world, ada["userId"], NEW) == 401
        assert heard("login.password_change_required")[-1]["subject"] == ada["subject"]
        assert heard("login.failed") == []


def without_id(line: Document) -> Document:
    return {name: value for name, value in line.items() if name != "request_id"}


def clear_attempts(world: World) -> None:
    world.documents["loginAttempts"].delete_many({})


BY_OPERATOR = {"by": "operator@service.example"}
"""Realms are opened and closed by the operator alone."""


class TestChanges:
    @pytest.mark.parametrize(
        ("request_line", "body", "event", "more"),
        [
            pytest.param("PUT {}/roles", {"roles": ["admin"]}, "user.roles", {"roles": ["admin", "user"]}, id="roles"),
            pytest.param("PUT {}/disabled", {"disabled": True}, "user.disabled", {}, id="disabled"),
            pytest.param("PUT {}/disabled", {"disabled": False}, "user.enabled", {}, id="enabled"),
            pytest.param("PUT {}/password", {"newPassword": NEW}, "user.password_reset", {}, id="password"),
            pytest.param("PUT {}/impersonation", {"filterScript": "roles:user"}, "user.impersonation_enabled", {}, id="impersonation"),
            pytest.param("DELETE {}/impersonation", None, "user.impersonation_disabled", {}, id="no impersonation"),
            pytest.param("PUT {}/realmOverride", {"realmRegEx": "emea-.*"}, "user.realm_override_enabled", BY_OPERATOR, id="realms"),
            pytest.param("DELETE {}/realmOverride", None, "user.realm_override_disabled", BY_OPERATOR, id="no realms"),
            pytest.param("DELETE {}", None, "user.removed", {}, id="removed"),
        ],
    )  # fmt: skip
    def test_by_an_administrator(
        self, world: World, ada: Document, heard: Heard, request_line: str, body: Any, event: str, more: Any
    ) -> None:
        request = request_line.format(f"/security/users/subject/{ada['subject']}")
        who = "system" if more is BY_OPERATOR else "acme"
        done = world.ask(request, who, **({} if body is None else {"json": body}))
        assert done.status_code < 300, done.text
        (line,) = heard(event)
        expected = {
            "user": ada["userId"], "subject": ada["subject"], "realm": world.realm, "by": "admin@acme.example",
            "address": ADDRESS, **more,
        }  # fmt: skip
        assert {name: line.get(name) for name in expected} == expected

    def test_by_who_acts_as_an_administrator(self, world: World, ada: Document, heard: Heard) -> None:
        own = f"/security/users/subject/{ada['subject']}"
        assert world.ask(f"PUT {own}/impersonation", json={"filterScript": "roles:admin"}).status_code == 204
        hook = {"address": "https://hooks.example/a", "recordTypes": ["Carrier"]}
        webhook = world.ask("POST /integration/webhooks/create", json=hook).json()["id"]
        changes: dict[str, Any] = {
            "POST /security/oauth/clients": {"json": {"clientId": "own", "publicClient": True}},
            f"DELETE /integration/webhooks/id/{webhook}": {},
            f"PUT /security/users/userId/{world.sign_in_another()}/roles": {"json": {"roles": ["admin"]}},
        }
        for request, sent in changes.items():
            done = world.ask(request, ada["userId"], headers=AS_ADMIN, **sent)
            assert done.status_code < 300, done.text
        lines = [heard(event)[-1] for event in ("client.created", "webhook.removed", "user.roles")]
        actors = {"by": "admin@acme.example", "impersonator": ada["userId"]}
        assert [line | actors for line in lines] == lines

    def test_one_s_own_password(self, world: World, ada: Document, heard: Heard) -> None:
        for old, status in ((WRONG, 401), (PASSWORD, 200)):
            body = {"oldPassword": old, "newPassword": NEW}
            assert world.ask("POST /security/password", ada["userId"], json=body).status_code == status
        for event in ("password_change.failed", "user.password_changed", "password_change.succeeded"):
            (line,) = heard(event)
            assert (line["subject"], line["address"]) == (ada["subject"], ADDRESS)
        clear_attempts(world)


class TestRequestLines:
    def line_of(self, heard: Heard, request_id: str) -> Document:
        """Requests are logged together, a tenth of a second later."""
        found: list[Document] = []

        def is_there() -> bool:
            found[:] = [line for line in heard("request") if line["request_id"] == request_id]
            return bool(found)

        wait_until(is_there, 5)
        return found[0]

    def test_the_subject(self, world: World, ada: Document, heard: Heard) -> None:
        world.ask("GET /security/me", ada["userId"], headers={"X-Request-Id": "req-me"})
        assert self.line_of(heard, "req-me")["subject"] == ada["subject"]

    def test_of_who_is_refused(self, world: World, ada: Document, heard: Heard) -> None:
        headers = {"X-Request-Id": "req-403", "X-Realm": "elsewhere"}
        assert world.ask("GET /security/me", ada["userId"], headers=headers).status_code == 403
        assert self.line_of(heard, "req-403")["subject"] == ada["subject"]

    def test_of_who_acts_as_another(self, world: World, ada: Document, heard: Heard) -> None:
        path = f"/security/users/userId/{ada['userId']}/impersonation"
        assert world.ask(f"PUT {path}", json={"filterScript": "userId:user@acme.example"}).status_code == 204
        headers = {"X-Request-Id": "req-as", "X-Impersonate-UserId": "user@acme.example"}
        answer = world.ask("GET /security/me", ada["userId"], headers=headers)
        line = self.line_of(heard, "req-as")
        assert (line["subject"], line["by_subject"]) == (answer.json()["subject"], ada["subject"])
        assert world.ask("GET /security/me", ada["userId"], headers=AS_ADMIN).status_code == 403
        for event in ("impersonation.used", "impersonation.refused"):
            assert heard(event)[-1]["realm"] == world.realm

    @pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer x.y.z"}], ids=["none", "forged"])
    def test_none_without_a_good_token(self, world: World, heard: Heard, headers: Document) -> None:
        request_id = f"req-{next(_numbers)}"
        world.ask("GET /security/me", None, headers=headers | {"X-Request-Id": request_id})
        assert "subject" not in self.line_of(heard, request_id)

    def test_none_at_a_public_route(self, world: World, heard: Heard) -> None:
        headers = {"X-Request-Id": "req-public"}
        world.ask("GET /.well-known/openid-configuration", None, headers=headers)
        assert "subject" not in self.line_of(heard, "req-public")
