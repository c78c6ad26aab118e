"""What one worker changes, another knows at once, although both believe what they read for ten seconds.

Two services over one realm, on a mongod of their own, since these tests stop it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import pytest
from fastapi import FastAPI
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from runtime.identity.login.service_tokens import create_token, revoke_token
from runtime.identity.users.users import NewUser
from runtime.oauth.management import create_client, set_active
from runtime.storage.store import Changed
from runtime.storage.watching import Watcher
from runtime.system.record_types import CREDENTIAL, REALM
from tests.http.world import PASSWORD, Document, World, open_world
from tests.stoppable import StoppableServer, stoppable_server

# The driver leaves the sockets of broken connections to the garbage collector, which complains.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

PATIENCE = 5.0
"""Half of what the caches believe: whatever is seen before was told, not forgotten by age."""
LIST = "/logistics/carriers/list"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoppableServer]:
    with stoppable_server(tmp_path_factory.mktemp("watching")) as running:
        yield running


@pytest.fixture(scope="module")
def mongo(server: StoppableServer) -> Iterator[MongoClient[Document]]:
    with MongoClient[Document](server.address.uri) as client:
        yield client


@pytest.fixture(scope="module")
def one(server: StoppableServer, mongo: MongoClient[Document], key_folder: Any) -> Iterator[World]:
    values = {"credential_cache_seconds": 10, "rule_cache_seconds": 10, "data_folder": key_folder}
    with open_world(server.address.uri, mongo, **values) as world:
        yield world


@pytest.fixture(scope="module")
def another(one: World) -> Iterator[TestClient]:
    """A second worker with the same settings."""
    app = create(one.app.state.service.settings)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def user(one: World, another: TestClient) -> str:
    """Somebody known to both workers; both streams stand."""
    for client in (one.client, another):
        wait_until(partial(follows, client), 30)
    name = f"user{time.monotonic_ns()}@acme.example"
    one.sign_in(name, NewUser(name, PASSWORD, "acme", frozenset({"user"})))
    for client in (one.client, another):
        assert client.get(LIST, headers=one.headers(name)).status_code == 200
    return name


def follows(client: TestClient) -> bool:
    service = cast(FastAPI, client.app).state.service
    return service.watcher is not None and bool(service.watcher.is_alive)


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE) -> float:
    """How long it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "the other worker was not told"
        time.sleep(0.002)
    return time.monotonic() - began


def answers(another: TestClient, one: World, user: str, status: int, path: str = LIST) -> Callable[[], bool]:
    return lambda: another.get(path, headers=one.headers(user)).status_code == status


def disable(one: World, user: str, disabled: bool) -> None:
    done = one.ask(f"PUT /security/users/userId/{user}/disabled", json={"disabled": disabled})
    assert done.status_code < 300, done.text


def test_a_disabled_user_is_out_on_every_worker(one: World, another: TestClient, user: str) -> None:
    disable(one, user, True)
    print(f"told within {wait_until(answers(another, one, user, 401)) * 1000:.0f} ms")


SECOND = 1.0


def test_a_disabled_client_is_out_on_every_worker(one: World, another: TestClient, user: str) -> None:
    new = NewUser(f"client-{time.monotonic_ns()}", "", "acme", frozenset({"user"}))
    assert one.client.portal is not None
    made = one.client.portal.call(create_client, one.app.state.service, new)
    form = {"grant_type": "client_credentials", "client_id": new.user_id, "client_secret": made.secret}
    ask = partial(another.post, "/oauth/token", data=form)
    token = {"accessToken": ask().json()["access_token"]}
    assert [is_in(client, token) for client in (one.client, another)] == [True, True]
    one.client.portal.call(set_active, one.app.state.service, one.realm, new.user_id, False)
    wait_until(lambda: not is_in(one.client, token), SECOND)
    wait_until(lambda: not is_in(another, token), SECOND)
    assert ask().status_code == 401


class TestEndsOfSessions:
    """Access tokens that both workers have just accepted are refused by both within a second."""

    @pytest.fixture
    def session(self, one: World, another: TestClient, user: str) -> Document:
        tokens = one.log_in(user)
        assert [is_in(client, tokens) for client in (one.client, another)] == [True, True]
        return tokens

    def check_ended(self, one: World, another: TestClient, tokens: Document) -> None:
        assert not is_in(one.client, tokens), "the worker that ends a session knows at once"
        wait_until(lambda: not is_in(another, tokens), SECOND)

    @pytest.mark.parametrize("with_token", [True, False], ids=["of one session", "of all"])
    def test_logout(
        self, one: World, another: TestClient, user: str, session: Document, with_token: bool
    ) -> None:
        body = {"refreshToken": session["refreshToken"]} if with_token else {}
        assert one.ask("POST /security/logout", user, json=body).status_code == 204
        self.check_ended(one, another, session)
        assert (one.ask("GET /security/me", user).status_code == 200) is with_token

    def test_reuse_of_a_refresh_token(self, one: World, another: TestClient, session: Document) -> None:
        body = {"refreshToken": session["refreshToken"]}
        answers = [one.ask("POST /security/refresh", None, json=body) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 401]
        self.check_ended(one, another, session)
        self.check_ended(one, another, answers[0].json())

    @pytest.mark.parametrize(
        ("request_line", "body"),
        [
            pytest.param("PUT {user}/password", {"newPassword": "another password"}, id="password"),
            pytest.param("PUT {user}/roles", {"roles": ["admin"]}, id="roles"),
            pytest.param("PUT {user}/disabled", {"disabled": True}, id="disabled"),
            pytest.param("DELETE {user}", None, id="removed"),
        ],
    )
    def test_what_an_administrator_does(
        self, one: World, another: TestClient, user: str, session: Document, request_line: str, body: Any
    ) -> None:
        request = request_line.format(user=f"/security/users/userId/{user}")
        done = one.ask(request, **({} if body is None else {"json": body}))
        assert done.status_code < 300, done.text
        self.check_ended(one, another, session)

    def test_a_revoked_service_token(self, one: World, another: TestClient, user: str) -> None:
        service = one.app.state.service
        assert one.client.portal is not None
        made = one.client.portal.call(create_token, service, one.realm, user, 60)
        tokens = {"accessToken": made.token}
        assert [is_in(client, tokens) for client in (one.client, another)] == [True, True]
        one.client.portal.call(revoke_token, service, one.realm, made.record["refName"])
        wait_until(lambda: not is_in(one.client, tokens) and not is_in(another, tokens), SECOND)

    def test_nothing_is_read_again_while_nothing_changes(
        self, one: World, another: TestClient, session: Document, mongo: MongoClient[Document]
    ) -> None:
        def reads() -> int:
            return int(mongo.admin.command("serverStatus")["opcounters"]["query"])

        is_in(another, session)
        before = reads()
        assert all(is_in(another, session) for _ in range(50))
        assert reads() - before < 25, "at most one look a second, not one a request"

    def test_without_a_change_stream_age_decides(
        self, one: World, user: str, mongo: MongoClient[Document]
    ) -> None:
        settings = one.app.state.service.settings.model_copy(update={"change_streams": False})
        with TestClient(create(settings), raise_server_exceptions=False) as deaf:
            tokens = one.log_in(user)
            assert is_in(deaf, tokens)
            body = {"refreshToken": tokens["refreshToken"]}
            assert one.ask("POST /security/logout", user, json=body).status_code == 204
            wait_until(lambda: not is_in(deaf, tokens), SECOND + 0.2)


def is_in(client: TestClient, tokens: Document) -> bool:
    headers = {"Authorization": f"Bearer {tokens['accessToken']}"}
    return bool(client.get("/security/me", headers=headers).status_code == 200)


def test_a_hand_at_the_database_is_noticed(one: World, another: TestClient, user: str) -> None:
    one.documents["credentials"].update_one({"userId": user}, {"$set": {"roles": ["nobody"]}})
    wait_until(answers(another, one, user, 403))


def test_a_removed_user_is_out(one: World, another: TestClient, user: str) -> None:
    one.documents["credentials"].delete_one({"userId": user})
    wait_until(answers(another, one, user, 401))


def test_a_dropped_collection_is_noticed(one: World, another: TestClient, user: str) -> None:
    kept = list(one.documents["credentials"].find())
    one.documents["credentials"].drop()
    try:
        wait_until(answers(another, one, user, 401))
    finally:
        one.documents["credentials"].insert_many(kept)


def deny(user: str) -> Document:
    header = {"identity": user, "area": "logistics", "functionalDomain": "*", "action": "VIEW"}
    return {"name": f"no carriers for {user}", "securityURI": {"header": header}, "effect": "DENY"}


def test_a_rule_is_in_force_on_every_worker(one: World, another: TestClient, user: str) -> None:
    made = one.ask("POST /security/permission/rules", json=deny(user))
    assert made.status_code == 201, made.text
    print(f"told within {wait_until(answers(another, one, user, 403)) * 1000:.0f} ms")
    gone = one.ask(f"DELETE /security/permission/rules/id/{made.json()['id']}")
    assert gone.status_code == 204, gone.text
    wait_until(answers(another, one, user, 200))


def test_a_rule_is_in_force_for_the_next_request_of_its_worker(one: World, user: str) -> None:
    settings = one.app.state.service.settings.model_copy(update={"change_streams": False})
    with TestClient(create(settings), raise_server_exceptions=False) as deaf:
        admin, rules = one.headers("acme"), "/security/permission/rules"
        is_allowed = answers(deaf, one, user, 200)
        assert is_allowed()
        made = deaf.post(rules, json=deny(user), headers=admin).json()
        assert not is_allowed()
        changes = (
            ("PUT", f"{rules}/set?id={made['id']}&pairs=enabled:false", None, True),
            ("PUT", f"{rules}/bulk/set", {"ids": [made["id"]], "values": {"enabled": True}}, False),
            ("DELETE", f"{rules}/id/{made['id']}?dryRun=true", None, False),
            ("DELETE", f"{rules}/id/{made['id']}", None, True),
        )
        for method, path, body, expected in changes:
            done = deaf.request(method, path, json=body, headers=admin)
            assert done.status_code < 300, done.text
            assert is_allowed() is expected, path


class TestFaults:
    """Never longer than the age that caches believe, and told at once again afterwards."""

    def test_killed_streams(self, one: World, another: TestClient, user: str, mongo: Any) -> None:
        mongo.admin.command("killAllSessions", [])
        disable(one, user, True)
        wait_until(answers(another, one, user, 401))

    def test_a_server_that_went_and_came(
        self, one: World, another: TestClient, user: str, server: StoppableServer, mongo: Any
    ) -> None:
        server.kill()
        server.start()
        wait_until(lambda: one.client.get("/ready").status_code == 200, 30)
        disable(one, user, True)
        wait_until(answers(another, one, user, 401), 15)
        wait_until(partial(follows, another), 30)


def test_switched_off_nothing_follows(one: World) -> None:
    settings = one.app.state.service.settings.model_copy(update={"change_streams": False})
    app = create(settings)
    with TestClient(app) as client:
        assert app.state.service.watcher is None
        ready = client.get("/ready", headers=one.headers("acme"))
        assert (ready.status_code, ready.json()["changeStream"]) == (200, False)


class TestWhoIsTold:
    def list_forgotten(self, one: World, changed: Changed) -> list[tuple[str, str | None, str | None]]:
        said: list[tuple[str, str | None, str | None]] = []

        def forget(name: str) -> Callable[[str | None, str | None], None]:
            return lambda database, record_id: said.append((name, database, record_id))

        watched = [
            (CREDENTIAL, forget("credentials")),
            (CREDENTIAL, forget("again")),
            (REALM, forget("realms")),
        ]
        watcher = Watcher(watched, one.app.state.service.store.follow([CREDENTIAL, REALM]))
        watcher.tell(changed)
        return said

    def test_everybody_of_the_record_type(self, one: World) -> None:
        collection = CREDENTIAL.collection
        assert self.list_forgotten(one, Changed("main", collection, "1")) == [
            ("credentials", "main", "1"), ("again", "main", "1"),
        ]  # fmt: skip

    def test_all_of_anything(self, one: World) -> None:
        assert self.list_forgotten(one, Changed()) == [
            ("credentials", None, None), ("again", None, None), ("realms", None, None),
        ]  # fmt: skip
