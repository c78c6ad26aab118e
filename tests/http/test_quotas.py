"""Limits of requests: for users and tenants, over all workers, with headers that say what is left."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from runtime.bounded_cache import BoundedCache
from runtime.errors import NotReady, QuotaExceeded
from runtime.principal import DomainContext
from runtime.quotas import Quotas
from runtime.settings import Settings
from runtime.storage.store import Store
from tests.http import one_call
from tests.http.world import Document, World, open_world
from tests.reused import take_database
from tests.scenario import check_problem

CARRIERS = "/logistics/carriers"
LIST = f"GET {CARRIERS}/list"
OPEN = Callable[..., Any]
HOUR = 3600


@pytest.fixture
def open_limited(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> OPEN:
    @contextmanager
    def limited(**limits: int) -> Iterator[World]:
        """A service whose windows are long: none ends during a test."""
        with open_world(
            mongo_uri, mongo_client, data_folder=key_folder, requests_window=HOUR, **limits
        ) as opened:
            yield opened

    return limited


@pytest.fixture(scope="module")
def two_each(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    """Two requests for each user."""
    with open_world(
        mongo_uri, mongo_client, data_folder=key_folder, requests_window=HOUR, requests_per_user=2
    ) as opened:
        yield opened


def left_of(answer: Any) -> dict[str, int]:
    """Policy → how many requests are left, as the answer says."""
    return {
        name: int(left) for name, left in re.findall(r'"([a-z]+)";r=(\d+);t=\d+', answer.headers["ratelimit"])
    }


def test_a_user_gets_so_many_and_no_more(open_limited: OPEN) -> None:
    with open_limited(requests_per_user=5) as world:
        for left in (4, 3, 2, 1, 0):
            answer = world.ask(LIST)
            assert answer.status_code == 200
            assert answer.headers["ratelimit-policy"] == f'"user";q=5;w={HOUR}'
            assert left_of(answer) == {"user": left}
        before = world.documents["carriers"].count_documents({})
        for request in (LIST, f"POST {CARRIERS}", "GET /security/me", "GET /nothing"):
            refused = world.ask(request, json={"name": "One", "mode": "AIR"} if "POST" in request else None)
            if request == "GET /nothing":
                assert (refused.status_code, "ratelimit" in refused.headers) == (404, False)
                continue
            check_problem(429, refused.headers, refused.json())
            assert refused.json()["code"] == "request.quota_exceeded"
            assert 0 < int(refused.headers["retry-after"]) <= HOUR
            assert refused.json()["retryAfter"] == int(refused.headers["retry-after"])
            assert left_of(refused) == {"user": 0}
            assert refused.headers.get_list("ratelimit") == [refused.headers["ratelimit"]]
        assert world.documents["carriers"].count_documents({}) == before
        assert world.ask(LIST, "acme-user").status_code == 200, "others of the tenant are not concerned"


def test_what_is_refused_or_fails_is_counted(open_limited: OPEN) -> None:
    with open_limited(requests_per_user=4) as world:
        assert world.ask(f"GET {CARRIERS}/list?filtr=x").status_code == 400
        assert world.ask(f"GET {CARRIERS}/id/{'0' * 24}").status_code == 404
        assert world.ask(LIST, headers={"X-Realm": "elsewhere"}).status_code == 403
        assert left_of(world.ask(LIST)) == {"user": 0}
        assert world.ask(LIST, headers={"X-Realm": "elsewhere"}).status_code == 429


@pytest.mark.parametrize(
    "headers",
    [
        [("X-Realm", "a"), ("X-Realm", "b")],
        [("X-Impersonate-Subject", "")],
        [("X-Impersonate-UserId", "\u200b".encode().decode("latin-1"))],
        [("X-Impersonate-Subject", "a"), ("X-Impersonate-UserId", "b")],
        [("X-Acting-On-Behalf-Of-UserId", "a"), ("X-Acting-On-Behalf-Of-UserId", "b")],
    ],
    ids=str,
)
def test_what_cannot_be_read_is_counted(two_each: World, headers: list[tuple[str, str]]) -> None:
    documents = two_each.documents["requestTallies"]
    documents.delete_many({})
    two_each.app.state.service.quotas._exhausted = BoundedCache(9)
    statuses = [ask_with(two_each, two_each.tokens["acme"], headers) for _time in range(4)]
    assert statuses == [400, 400, 429, 429]
    assert [row["count"] for row in documents.find()] == [2]
    assert ask_with(two_each, "made-up", headers) == 401
    assert [row["count"] for row in documents.find()] == [2], "strangers are not counted"


def ask_with(world: World, token: str, headers: list[tuple[str, str]]) -> int:
    sent = [("Authorization", f"Bearer {token}"), *headers]
    request = world.client.build_request(
        "GET", f"{CARRIERS}/list", headers=[(name.encode(), value.encode("latin-1")) for name, value in sent]
    )
    return one_call.answer(world.client, request, world.peer).status_code


def test_users_of_a_tenant_share_its_limit_and_one_cannot_spend_it(open_limited: OPEN) -> None:
    with open_limited(requests_per_user=3, requests_per_tenant=5) as world:
        for _time in range(3):
            assert world.ask(LIST).status_code == 200
        for _time in range(4):
            assert world.ask(LIST).json()["code"] == "request.quota_exceeded"
        answer = world.ask(LIST, "acme-user")
        assert answer.headers["ratelimit-policy"] == f'"user";q=3;w={HOUR}, "tenant";q=5;w={HOUR}'
        assert left_of(answer) == {"user": 2, "tenant": 1}, "what was refused is not the tenant's"
        assert world.ask(LIST, "acme-user").status_code == 200
        refused = world.ask(LIST, "acme-north")
        assert (refused.status_code, left_of(refused)) == (429, {"tenant": 0})
        assert left_of(world.ask(LIST, "globex")) == {"user": 2, "tenant": 4}


def test_strangers_are_not_counted_and_pages_are_free(open_limited: OPEN) -> None:
    with open_limited(requests_per_user=1, requests_per_tenant=1) as world:
        for request in (LIST, "GET /live", "GET /ready", "GET /docs"):
            for headers in ({}, {"Authorization": "Bearer made-up"}):
                answer = world.ask(request, None, headers=headers)
                assert answer.status_code in (200, 401)
                assert "ratelimit" not in answer.headers
        assert world.documents["requestTallies"].count_documents({}) == 0
        assert world.ask(LIST).status_code == 200


def test_the_store_learns_of_no_user(open_limited: OPEN) -> None:
    with open_limited(requests_per_user=9, requests_per_tenant=9) as world:
        subject = world.ask("GET /security/me").json()["subject"]
        rows = list(world.documents["requestTallies"].find())
        assert len(rows) == 2
        assert {row["count"] for row in rows} == {1}
        assert not any(word in repr(row) for row in rows for word in (subject, "acme", "admin"))


def test_workers_count_together(open_limited: OPEN) -> None:
    """Two services over one store, asked at the same time: exactly so many get through."""
    with open_limited(requests_per_user=40) as world:
        settings = world.app.state.service.settings
        with TestClient(create(settings)) as other, ThreadPoolExecutor(8) as pool:
            headers = world.headers("acme")
            ways = [
                lambda: world.ask(LIST).status_code,
                lambda: other.get(f"{CARRIERS}/list", headers=headers).status_code,
            ]
            statuses = [future.result() for future in [pool.submit(ways[number % 2]) for number in range(70)]]
    assert sorted(statuses) == [200] * 40 + [429] * 30


def test_unset_nothing_is_counted(open_limited: OPEN) -> None:
    with open_limited() as world:
        assert world.app.state.service.quotas is None
        answer = world.ask(LIST)
        assert not {"ratelimit", "ratelimit-policy"} & set(answer.headers)
        assert world.documents["requestTallies"].count_documents({}) == 0


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_window_ends(mongo_uri: str, mongo_client: MongoClient[Document]) -> None:
    """By the clock: what is left, when it ends, and that a flood waits for few commands of the store."""
    from generated.record_types import CATALOG

    clock, domain = Clock(), DomainContext("acme", "main")
    sent: list[str] = []

    async def play(realm: str) -> None:
        store = Store(mongo_uri, watch=lambda body, _began, _error: sent.append(next(iter(body))))
        try:
            settings = Settings.model_validate(
                {
                    "limits.requests-per-user": 100,
                    "limits.requests-window-seconds": 60,
                    "service.default-realm": realm,
                }
            )
            quotas = Quotas(store, settings, clock)
            answers = await asyncio.gather(
                *(quotas.count("ann", domain) for _request in range(150)), return_exceptions=True
            )
            left = [
                int(one["RateLimit"].split("r=")[1].split(";")[0]) for one in answers if isinstance(one, dict)
            ]
            assert sorted(left) == list(range(100)), "each number once"
            refusals = [one for one in answers if isinstance(one, QuotaExceeded)]
            assert len(refusals) == 50
            assert len(sent) <= 6, "they are counted together"
            seconds = refusals[0].details["retryAfter"]
            assert 1 <= seconds <= 60
            commands = len(sent)
            with pytest.raises(QuotaExceeded):
                await quotas.count("ann", domain)
            assert len(sent) == commands, "an end that was seen is remembered"
            clock.now += seconds
            assert "r=99;t=60" in (await quotas.count("ann", domain))["RateLimit"]
        finally:
            await store.close()

    with take_database(mongo_client, CATALOG) as prepared:
        asyncio.run(play(prepared.name))


def test_an_end_answers_those_who_wait(mongo_uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker ends while a command counts: the requests in it and those of the next one get an answer."""
    domain = DomainContext("acme", "main")

    async def play() -> None:
        store = Store(mongo_uri)
        quotas = Quotas(store, Settings.model_validate({"limits.requests-per-user": 100}), Clock())
        begun = asyncio.Event()

        async def hang(*_arguments: Any) -> int:
            begun.set()
            return await asyncio.Future[int]()

        monkeypatch.setattr(quotas, "_add", hang)
        try:
            waiting = [asyncio.create_task(quotas.count("ann", domain)) for _request in range(2)]
            await begun.wait()
            waiting += [asyncio.create_task(quotas.count("ann", domain)) for _request in range(2)]
            await asyncio.sleep(0)
            (counting,) = quotas._counting.values()
            counting.cancel()
            async with asyncio.timeout(10):
                answers = await asyncio.gather(*waiting, return_exceptions=True)
            assert [type(one) for one in answers] == [NotReady] * 4
            assert not quotas._counting
            assert not quotas._waiting
        finally:
            await store.close()

    asyncio.run(play())
