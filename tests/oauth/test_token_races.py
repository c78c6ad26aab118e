"""Races for tokens, between two workers: many that use one code or token, and what is changed in the middle."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Semaphore
from typing import Any

import httpx2
import jwt
import pytest
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from runtime.filter import equals
from runtime.identity.users.users import NewUser, create_user
from runtime.oauth.client_sessions import end_sessions
from runtime.oauth.management import create_client, remove_client, set_active
from runtime.tokens import key_ring, rotate_keys
from tests.http.world import PASSWORD, Document, World, open_world
from tests.oauth.applications import basic, check_refused, manage, register, send
from tests.oauth.sign_ins import (
    REDIRECT,
    USER,
    SignIn,
    claims_of,
    count,
    is_accepted,
    refresh_form,
    sign_in,
    tokens_of,
)
from tests.patience import wait_until

AT_ONCE = 50
WEB: Document = {
    "allowedGrantTypes": ["authorization_code", "refresh_token", "client_credentials"],
    "redirectUris": [REDIRECT],
}
Workers = Sequence[World]


@contextmanager
def open_workers(
    mongo_uri: str, mongo_client: MongoClient[Document], folder: Path, **overrides: Any
) -> Iterator[Workers]:
    """Two workers on one database; they cache as usual, and learn from the store what the other one changes."""
    values: Document = {"login_failures": 1000, "data_folder": folder}
    with open_world(mongo_uri, mongo_client, **(values | overrides)) as first:
        app = create(first.app.state.service.settings)
        with TestClient(app, raise_server_exceptions=False) as client:
            yield first, replace(first, client=client, app=app)


@pytest.fixture(scope="module")
def workers(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[Workers]:
    with open_workers(mongo_uri, mongo_client, key_folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def secret(workers: Workers) -> str:
    return register(workers[0], "shop", **WEB)


def run_at_once(works: Sequence[Callable[[], Any]]) -> list[Any]:
    with ThreadPoolExecutor(len(works)) as pool:
        return [one.result() for one in [pool.submit(work) for work in works]]


def send_at_once(workers: Workers, form: Document, headers: dict[str, str]) -> list[httpx2.Response]:
    """``AT_ONCE`` times the same request, to the workers in turns."""
    return run_at_once([partial(send, workers[at % 2], form, headers) for at in range(AT_ONCE)])


def outcomes(answers: Sequence[httpx2.Response]) -> Counter[tuple[int, str | None]]:
    return Counter((answer.status_code, answer.json().get("error")) for answer in answers)


def check_ended(workers: Workers, token: str) -> None:
    """Everywhere within a second; a busy machine gets more time."""
    wait_until(lambda: not any(is_accepted(worker, token) for worker in workers), 4)


def await_secret(worker: World, name: str, secret: str) -> None:
    """Until a worker has heard that another one has created the client."""
    headers = basic(name, secret)
    wait_until(lambda: send(worker, refresh_form("unknown"), headers).status_code != 401, 20)


def test_one_code_is_exchanged_once_and_its_tokens_end(workers: Workers, secret: str) -> None:
    for _ in range(3):
        signed_in = sign_in(workers[0], "shop", scope="openid")
        answers = send_at_once(workers, signed_in.form(), basic("shop", secret))
        assert outcomes(answers) == {(200, None): 1, (400, "invalid_grant"): AT_ONCE - 1}
        (issued,) = (answer.json() for answer in answers if answer.status_code == 200)
        check_ended(workers, issued["access_token"])
        again = send(workers[1], refresh_form(issued["refresh_token"]), basic("shop", secret))
        check_refused(again, 400, "invalid_grant")
        family = claims_of(issued["access_token"])["sid"]
        assert count(workers[0], refName=family, revoked=True) == 1
    assert count(workers[0], clientId="shop", revoked=False) == 0


def test_of_requests_that_prove_less_none_gets_anything_nor_ends_anything(
    workers: Workers, secret: str
) -> None:
    signed_in = sign_in(workers[0], "shop")
    wrong = [signed_in.form(code_verifier="v" * 43), signed_in.form(redirect_uri=REDIRECT + "/")] * 20
    forms = [*wrong[:20], signed_in.form(), *wrong[20:]]
    answers = run_at_once(
        [partial(send, workers[at % 2], form, basic("shop", secret)) for at, form in enumerate(forms)]
    )
    assert outcomes(answers) == {(200, None): 1, (400, "invalid_grant"): 40}
    (issued,) = (answer.json() for answer in answers if answer.status_code == 200)
    assert all(is_accepted(worker, issued["access_token"]) for worker in workers)


def test_one_refresh_token_is_used_once_and_its_session_ends(workers: Workers, secret: str) -> None:
    for _ in range(3):
        first = tokens_of(workers[0], "shop", secret)
        answers = send_at_once(workers, refresh_form(first["refresh_token"]), basic("shop", secret))
        assert outcomes(answers) == {(200, None): 1, (400, "invalid_grant"): AT_ONCE - 1}
        (second,) = (answer.json() for answer in answers if answer.status_code == 200)
        for token in (first["access_token"], second["access_token"]):
            check_ended(workers, token)
        again = send(workers[0], refresh_form(second["refresh_token"]), basic("shop", secret))
        check_refused(again, 400, "invalid_grant")


def test_within_the_grace_all_get_the_same_successor(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    with open_workers(mongo_uri, mongo_client, key_folder, refresh_grace_seconds=60) as workers:
        secret = register(workers[0], "shop", **WEB)
        first = tokens_of(workers[0], "shop", secret)
        answers = send_at_once(workers, refresh_form(first["refresh_token"]), basic("shop", secret))
        assert outcomes(answers) == {(200, None): AT_ONCE}
        issued = [answer.json() for answer in answers]
        assert len({claims_of(one["refresh_token"])["jti"] for one in issued}) == 1
        assert len({claims_of(one["access_token"])["jti"] for one in issued}) == AT_ONCE
        assert count(workers[0], clientId="shop", version=2, revoked=False) == 1
        again = [
            partial(send, workers[at % 2], refresh_form(one["refresh_token"]), basic("shop", secret))
            for at, one in enumerate(issued)
        ]
        assert outcomes(run_at_once(again)) == {(200, None): AT_ONCE}
        assert count(workers[0], clientId="shop", version=3, revoked=False) == 1
        late = send(workers[0], refresh_form(first["refresh_token"]), basic("shop", secret))
        check_refused(late, 400, "invalid_grant")
        assert count(workers[0], clientId="shop", revoked=False) == 0, "the successor was in use"


def test_a_client_that_is_disabled_in_the_middle(workers: Workers, secret: str) -> None:
    own = register(workers[0], "stopped", **WEB)
    sign_ins = [sign_in(workers[0], "stopped") for _ in range(10)]
    begun = [tokens_of(workers[0], "stopped", own) for _ in range(10)]
    headers = basic("stopped", own)
    forms: list[Document] = [
        *(one.form() for one in sign_ins),
        *(refresh_form(one["refresh_token"]) for one in begun),
        *({"grant_type": "client_credentials"} for _ in range(10)),
    ]
    works: list[Callable[[], Any]] = [
        partial(send, workers[at % 2], form, headers) for at, form in enumerate(forms)
    ]
    works.insert(12, partial(manage, workers[0], set_active, workers[0].realm, "stopped", False))
    answers = [one for one in run_at_once(works) if isinstance(one, httpx2.Response)]
    assert outcomes(answers).keys() <= {(200, None), (401, "invalid_client")}
    issued = [answer.json() for answer in answers if answer.status_code == 200]
    for one in (*begun, *issued):
        check_ended(workers, one["access_token"])
    for worker in workers:
        for one in issued:
            if "refresh_token" in one:
                check_refused(
                    send(worker, refresh_form(one["refresh_token"]), headers), 401, "invalid_client"
                )
        check_refused(send(worker, {"grant_type": "client_credentials"}, headers), 401, "invalid_client")


def kid_of(token: str) -> str:
    return str(jwt.get_unverified_header(token)["kid"])


def test_a_key_that_is_rotated_in_the_middle(
    mongo_uri: str,
    mongo_client: MongoClient[Document],
    key_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_ring, "REFRESH_SECONDS", 0.05)
    folder = Path(shutil.copytree(key_folder, tmp_path / "keys-to-rotate"))
    with open_workers(mongo_uri, mongo_client, folder) as workers:
        settings = workers[0].app.state.service.settings
        headers = basic("shop", register(workers[0], "shop", **WEB))
        waiting = [sign_in(workers[0], "shop") for _ in range(8)]

        begun = Semaphore(0)

        def use_until_the_key_changes(one: SignIn) -> list[Document]:
            """Exchange a code and refresh at the workers in turns, twice more after the change."""
            issued: list[Document] = []
            form, more, ends = one.form(), 2, time.monotonic() + 20
            while more:
                assert time.monotonic() < ends, "no worker has noticed the new key"
                answer = send(workers[len(issued) % 2], form, headers)
                assert answer.status_code == 200, answer.text
                issued.append(answer.json())
                if len(issued) == 1:
                    begun.release()
                form = refresh_form(issued[-1]["refresh_token"])
                more -= kid_of(issued[-1]["access_token"]) != kid_of(issued[0]["access_token"])
            return issued

        def rotate() -> None:
            """Change the key once each has a token of the one before: who has none sees no change."""
            for _ in waiting:
                assert begun.acquire(timeout=20)
            rotate_keys(settings, time.time(), at_once=True)

        _none, *chains = run_at_once([rotate, *(partial(use_until_the_key_changes, one) for one in waiting)])
        signers = {
            kid_of(one[name]) for chain in chains for one in chain for name in ("access_token", "id_token")
        }
        for worker in workers:
            keys = {one["kid"] for one in worker.ask("GET /oauth/jwks", None).json()["keys"]}
            assert keys == signers
            assert len(keys) == 2
            assert all(is_accepted(worker, one["access_token"]) for chain in chains for one in chain)


def reset_password(worker: World) -> None:
    body = {"newPassword": "another horse battery", "forceChangePassword": False}
    answer = worker.ask("PUT /security/users/userId/racer@acme.example/password", json=body)
    assert answer.status_code in (200, 204), answer.text


def log_out_everywhere(worker: World) -> None:
    token = worker.log_in("racer@acme.example")["accessToken"]
    answer = worker.ask(
        "POST /security/logout", None, json={"everywhere": True}, headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.status_code == 204


@pytest.mark.parametrize("happens", [reset_password, log_out_everywhere])
def test_a_user_whose_tokens_end_in_the_middle(
    workers: Workers, secret: str, happens: Callable[[World], None]
) -> None:
    first = workers[0]
    first.documents["credentials"].delete_many({"userId": "racer@acme.example"})
    manage(first, create_user, NewUser("racer@acme.example", PASSWORD, "acme", frozenset({"user"})))
    waiting = [sign_in(first, "shop", "racer@acme.example") for _ in range(20)]
    headers = basic("shop", secret)
    works: list[Callable[[], Any]] = [
        partial(send, workers[at % 2], one.form(), headers) for at, one in enumerate(waiting)
    ]
    works.insert(8, partial(happens, workers[0]))
    answers = [one for one in run_at_once(works) if isinstance(one, httpx2.Response)]
    assert outcomes(answers).keys() <= {(200, None), (400, "invalid_grant")}
    for answer in answers:
        if answer.status_code == 200:
            check_ended(workers, answer.json()["access_token"])
            again = send(workers[1], refresh_form(answer.json()["refresh_token"]), headers)
            check_refused(again, 400, "invalid_grant")


def log_out(worker: World, name: str) -> None:
    """End a sign-on and the sessions that came of it, in this order."""
    worker.documents["signOns"].update_one({"refName": name}, {"$set": {"revoked": True}})
    manage(worker, end_sessions, worker.realm, equals(signOn=name), "logout")


@pytest.mark.parametrize("answered_before", [0, 1, 3, 6, 9])
def test_a_browser_that_logs_out_while_its_codes_are_exchanged(
    workers: Workers, secret: str, answered_before: int
) -> None:
    name, first = f"browser-{answered_before}", workers[0]
    credential = first.documents["credentials"].find_one({"userId": USER})
    assert credential is not None
    fields = {"subject": credential["subject"], "cookie": name, "revoked": False}
    first.documents["signOns"].insert_one({"refName": name, "dataDomain": {"tenantId": "acme"}} | fields)
    waiting: list[SignIn] = [sign_in(first, "shop", sign_on=name) for _ in range(10)]
    answered = Semaphore(0)

    def exchange(worker: World, one: SignIn) -> httpx2.Response:
        answer = send(worker, one.form(), basic("shop", secret))
        answered.release()
        return answer

    def log_out_in_between() -> None:
        for _ in range(answered_before):
            answered.acquire()
        log_out(workers[answered_before % 2], name)

    works: list[Callable[[], Any]] = [
        log_out_in_between, *(partial(exchange, workers[at % 2], one) for at, one in enumerate(waiting)),
    ]  # fmt: skip
    answers = run_at_once(works)[1:]
    assert outcomes(answers).keys() <= {(200, None), (400, "invalid_grant")}
    issued = [answer.json() for answer in answers if answer.status_code == 200]
    assert len(issued) >= answered_before
    assert count(first, signOn=name, revoked=False) == 0, "a session outlives the logout"
    for one in issued:
        check_ended(workers, one["access_token"])


def create_passing(worker: World) -> str:
    """A client without a credential, so that another may get its id."""
    new = NewUser("passing", "", "acme", frozenset())
    fields = {"redirectUris": [REDIRECT], "allowedGrantTypes": ["authorization_code", "refresh_token"]}
    return str(manage(worker, create_client, new, fields=fields).secret)


@pytest.mark.parametrize("answered_before", [0, 1, 4, 9])
def test_a_client_that_is_removed_in_the_middle_and_comes_back(
    workers: Workers, answered_before: int
) -> None:
    first = workers[0]
    secret = create_passing(first)
    waiting = [sign_in(first, "passing") for _ in range(12)]
    answered = Semaphore(0)

    def exchange(worker: World, one: SignIn) -> httpx2.Response:
        answer = send(worker, one.form(), basic("passing", secret))
        answered.release()
        return answer

    def replace_client() -> str:
        for _ in range(answered_before):
            answered.acquire()
        manage(first, remove_client, first.realm, "passing")
        return create_passing(workers[1])

    works: list[Callable[[], Any]] = [
        replace_client, *(partial(exchange, workers[at % 2], one) for at, one in enumerate(waiting)),
    ]  # fmt: skip
    later, *answers = run_at_once(works)
    try:
        await_secret(first, "passing", later)
        assert outcomes(answers).keys() <= {(200, None), (400, "invalid_grant"), (401, "invalid_client")}
        for answer in answers:
            if answer.status_code == 200:
                check_ended(workers, answer.json()["access_token"])
                again = send(first, refresh_form(answer.json()["refresh_token"]), basic("passing", later))
                check_refused(again, 400, "invalid_grant")
        assert is_accepted(first, tokens_of(first, "passing", later)["access_token"])
    finally:
        manage(first, remove_client, first.realm, "passing")
