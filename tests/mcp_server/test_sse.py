"""The transport of the first era: over two processes, and what attackers try with sessions."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client

from runtime.access.guard import open_call
from runtime.errors import Overloaded
from runtime.mcp.sse import SseDoor, door, sessions
from runtime.model.clock import now
from runtime.seams import NewUser
from tests.http.world import PASSWORD, Document, World
from tests.mcp_server.talking import HANDSHAKE, MODES
from tests.patience import wait_until
from tests.scenario import check_problem
from tests.serving import serving

T = TypeVar("T")


@pytest.fixture(scope="module")
def workers(
    world: World, mongo_uri: str, key_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[str]]:
    """The addresses of two services over the realm of the world, each with a copy of its keys."""
    folders = [tmp_path_factory.mktemp("worker") / "data" for _each in range(2)]
    for folder in folders:
        shutil.copytree(key_folder, folder)
    own = {
        "SERVICE_BASE_URL": world.app.state.service.settings.base_url,
        "FEATURE_QUERY_GATEWAY_EXECUTION_ENABLED": "true",
    }
    with (
        serving(mongo_uri, world.realm, folders[0], **own) as (_first, one),
        serving(mongo_uri, world.realm, folders[1], **own) as (_second, other),
    ):
        yield [one, other]


class Spread(httpx2.AsyncHTTPTransport):
    """Sends the stream to one worker and messages in turn to all, as a balancer does."""

    def __init__(self, addresses: list[str]) -> None:
        super().__init__()
        self._addresses = addresses
        self._sent = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        own = httpx2.URL(self._addresses[self._sent % len(self._addresses)])
        self._sent += 1
        request.url = request.url.copy_with(host=own.host, port=own.port)
        return await super().handle_async_request(request)


def talk_by_events(
    world: World,
    addresses: list[str],
    work: Callable[[Client], Awaitable[T]],
    caller: str = "acme",
    mode: Any = "auto",
) -> T:
    def create(**options: Any) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=Spread(addresses), **options)

    async def run() -> T:
        transport = sse_client(
            f"{addresses[0]}/mcp/sse", headers=world.headers(caller), httpx_client_factory=create
        )
        async with Client(transport, mode=mode) as client:
            return await work(client)

    return asyncio.run(run())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", [1, 2])
def test_a_client_of_the_first_era_works_with_many_workers(
    world: World, workers: list[str], mode: str, number: int
) -> None:
    made = world.make("Carrier")

    async def work(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        found = [
            await client.call_tool("query_find", {"rootType": "Carrier", "query": f"id:{made['id']}"})
            for _each in range(6)
        ]
        wrong = await client.call_tool("query_find", {"rootType": "Carrier", "query": "nmae:A"})
        schema = await client.read_resource("service://schema/Carrier")
        return tools, found, wrong, schema

    tools, found, wrong, schema = talk_by_events(world, workers[:number], work, mode=mode)
    assert len(tools) > 10
    assert [one.structured_content["rows"][0]["id"] for one in found] == [made["id"]] * 6
    assert (wrong.is_error, wrong.structured_content["code"]) == (True, "field.unknown")
    assert schema.contents
    wait_until_gone(world)


def wait_until_gone(world: World) -> None:
    """Nothing of a session remains once its client has gone."""
    for name in ("mcpSessions", "mcpMessages"):
        wait_until(lambda name=name: not world.documents[name].count_documents({}), 10)


async def _open(http: httpx2.AsyncClient, address: str, headers: dict[str, str]) -> tuple[Any, str]:
    stream = http.stream("GET", f"{address}/mcp/sse", headers=headers)
    response = await stream.__aenter__()
    assert response.status_code == 200
    lines = response.aiter_lines()
    assert await anext(lines) == "event: endpoint"
    path = (await anext(lines)).removeprefix("data: ")
    return (stream, lines), path


PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def test_a_session_is_for_who_has_opened_it(world: World, workers: list[str]) -> None:
    async def run() -> list[tuple[int, str]]:
        answers = []
        async with httpx2.AsyncClient() as http:
            (stream, _lines), path = await _open(http, workers[0], world.headers("acme"))
            for address in workers:
                for caller in ("acme", "acme-user", "globex", "system", None):
                    answer = await http.post(f"{address}{path}", json=PING, headers=world.headers(caller))
                    answers.append((answer.status_code, answer.text))
            await stream.__aexit__(None, None, None)
        return answers

    answers = asyncio.run(run())
    assert [status for status, _text in answers] == [202, 404, 404, 404, 401] * 2
    assert len({text.partition('"instance"')[0] for status, text in answers if status == 404}) == 1
    assert "session_id is unknown or has expired" in answers[1][1]
    wait_until_gone(world)


def test_a_session_is_not_for_who_acts_as_its_user(world: World, workers: list[str]) -> None:
    actor, script = "actor@acme.example", {"filterScript": "userId:user@acme.example"}
    world.sign_in(actor, NewUser(actor, PASSWORD, "acme", frozenset({"user"})))
    granted = world.ask(f"PUT /security/users/userId/{actor}/impersonation", "system", json=script)
    assert granted.status_code == 204
    own = world.headers("acme-user")
    acting = world.headers(actor) | {"X-Impersonate-UserId": "user@acme.example"}

    async def run() -> list[int]:
        statuses = []
        async with httpx2.AsyncClient() as http:
            for opener in (own, acting):
                (stream, _lines), path = await _open(http, workers[0], opener)
                for sender in (own, acting):
                    answer = await http.post(f"{workers[0]}{path}", json=PING, headers=sender)
                    statuses.append(answer.status_code)
                await stream.__aexit__(None, None, None)
        return statuses

    assert asyncio.run(run()) == [202, 404, 404, 202]
    wait_until_gone(world)


def test_what_a_session_was_asked_is_answered_on_its_stream_alone(world: World, workers: list[str]) -> None:
    async def run() -> tuple[Any, Any]:
        async with httpx2.AsyncClient() as http:
            (first, lines), path = await _open(http, workers[0], world.headers("acme"))
            (second, others), other = await _open(http, workers[0], world.headers("acme"))
            assert path != other
            await http.post(f"{workers[1]}{path}", json=PING | {"id": "mine"}, headers=world.headers("acme"))
            await http.post(
                f"{workers[0]}{other}", json=PING | {"id": "yours"}, headers=world.headers("acme")
            )
            mine = [await anext(lines) for _each in range(3)]
            yours = [await anext(others) for _each in range(3)]
            for stream in (first, second):
                await stream.__aexit__(None, None, None)
        return mine, yours

    mine, yours = asyncio.run(run())
    assert '"mine"' in str(mine)
    assert '"yours"' in str(yours)
    wait_until_gone(world)


def test_answers_of_other_workers_come_between_those_of_a_busy_one(world: World, workers: list[str]) -> None:
    async def run() -> tuple[int, int]:
        async with httpx2.AsyncClient(headers=world.headers("acme")) as http:
            (stream, lines), path = await _open(http, workers[0], {})
            is_found, sent, read = asyncio.Event(), 1, 0

            async def keep_busy() -> None:
                nonlocal sent
                while not is_found.is_set():
                    sent += 1
                    await http.post(f"{workers[0]}{path}", json=PING)

            async def read_all() -> None:
                nonlocal read
                async for line in lines:
                    read += line.startswith("data: ")
                    if '"of another"' in line:
                        is_found.set()
                        await asyncio.gather(*busy)
                    if is_found.is_set() and read == sent:
                        return

            busy = [asyncio.create_task(keep_busy()) for _each in range(2)]
            await asyncio.sleep(0.2)
            await http.post(f"{workers[1]}{path}", json=PING | {"id": "of another"})
            try:
                await asyncio.wait_for(read_all(), 5)
            finally:
                is_found.set()
                await asyncio.gather(*busy)
                await stream.__aexit__(None, None, None)
        return sent, read

    sent, read = asyncio.run(run())
    assert sent == read > 2
    wait_until_gone(world)


def test_large_answers_wait_in_the_store_and_not_in_memory(world: World, workers: list[str]) -> None:
    world.documents["products"].delete_many({})
    for _each in range(8):
        world.make("Product")
    world.documents["products"].update_many({}, {"$set": {"details": "z" * 100_000}})
    exporting = {"name": "query_export", "arguments": {"rootType": "Product", "columns": ["details"]}}
    message = PING | {"method": "tools/call", "params": exporting}
    most = 30

    async def run() -> tuple[int, int]:
        async with httpx2.AsyncClient(headers=world.headers("acme"), timeout=60) as http:
            (stream, lines), path = await _open(http, workers[0], {})
            for number in range(most):  # the stream is not read, so its worker can send no more
                answer = await http.post(f"{workers[0]}{path}", json=message | {"id": number})
                assert answer.status_code == 202
            deadline, waiting = time.monotonic() + 60, 0
            while waiting <= most // 3 and time.monotonic() < deadline:  # the calls are answered in turn
                await asyncio.sleep(0.1)
                waiting = world.documents["mcpMessages"].count_documents({})
            read = 0
            async for line in lines:
                read += line.startswith("data: ")
                if read == most:
                    break
            await stream.__aexit__(None, None, None)
        return waiting, read

    waiting, read = asyncio.run(run())
    assert waiting > most // 3
    assert read == most
    wait_until_gone(world)


WRONG = [
    ("POST /mcp/messages/", 400),
    ("POST /mcp/messages/?session_id=", 400),
    ("POST /mcp/messages/?session_id=a&session_id=b", 400),
    ("POST /mcp/messages/?session_id=unknown", 404),
    ("POST /mcp/messages/?session_id[$ne]=a", 400),
    ("POST /mcp/messages/?session_id=" + "x" * 100, 400),
    ("GET /mcp/messages/?session_id=a", 405),
    ("POST /mcp/sse", 405),
    ("DELETE /mcp/sse", 405),
    ("HEAD /mcp/sse", 405),
    ("POST /mcp/messages?session_id=a", 404),
    ("GET /mcp/sse/", 404),
]


@pytest.mark.parametrize(("request_line", "status"), WRONG)
def test_wrong_requests_are_refused(world: World, request_line: str, status: int) -> None:
    before = world.snapshot()
    answer = world.ask(request_line, json=PING) if "POST" in request_line else world.ask(request_line)
    assert answer.status_code == status
    if "HEAD" not in request_line:
        check_problem(status, answer.headers, answer.json())
    assert world.snapshot() == before


@pytest.mark.parametrize("request_line", ["GET /mcp/sse", "POST /mcp/messages/?session_id=a"])
def test_both_routes_want_a_token_and_an_own_origin(world: World, request_line: str) -> None:
    options: Document = {"json": PING} if "POST" in request_line else {}
    answer = world.ask(request_line, None, **options)
    assert answer.status_code == 401
    assert "/.well-known/oauth-protected-resource/mcp" in answer.headers["www-authenticate"]
    foreign = world.ask(request_line, headers={"Origin": "http://evil.example"}, **options)
    assert foreign.status_code == 403


def session_of(world: World, caller: str = "acme") -> tuple[Any, str, Any]:
    """A session without a stream: as of a worker that was killed."""

    async def run() -> Any:
        call = await open_call(world.app.state.service, world.tokens[caller], None, "sse", "gateway")
        return call, *await sessions.open_session(call)

    assert world.client.portal is not None
    found: tuple[Any, str, Any] = world.client.portal.call(run)
    return found


def test_answers_wait_for_a_while_and_are_given_once(world: World) -> None:
    call, session_id, session = session_of(world)
    for number in range(sessions.MOST_AT_ONCE + 1):
        answer = world.ask(f"POST /mcp/messages/?session_id={session_id}", json=PING | {"id": number})
        assert answer.status_code == 202
    assert world.client.portal is not None
    taken = world.client.portal.call(sessions.take_answers, call, session)
    assert [one.count('"id":') for one in taken] == [1] * sessions.MOST_AT_ONCE
    (last,) = world.client.portal.call(sessions.take_answers, call, session)
    assert f'"id":{sessions.MOST_AT_ONCE}' in last
    assert world.client.portal.call(sessions.take_answers, call, session) == []
    world.client.portal.call(sessions.end_session, call, session)


def test_too_many_answers_are_not_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_MOST_WAITING", 2)
    call, session_id, session = session_of(world)
    for number in range(4):
        answer = world.ask(f"POST /mcp/messages/?session_id={session_id}", json=PING | {"id": number})
        assert answer.status_code == 202
    assert world.documents["mcpMessages"].count_documents({}) == 2
    assert world.client.portal is not None
    world.client.portal.call(sessions.end_session, call, session)
    assert world.documents["mcpMessages"].count_documents({}) == 0


def test_what_waits_has_a_bound_as_a_whole(world: World) -> None:
    """Also for answers that are ready at the same time; and whoever is refused is told so."""
    call, session_id, session = session_of(world)
    large, most = "x" * 4 * 2**20, sessions.MOST_BYTES // 2**22
    assert world.client.portal is not None

    async def store_all() -> list[Any]:
        waiting = [sessions.store_answer(call, session, large) for _each in range(most + 4)]
        return await asyncio.gather(*waiting, return_exceptions=True)

    def count() -> tuple[int, int, int]:
        held = world.documents["mcpSessions"].find_one({"refName": session.name}) or {}
        stored = [len(one["text"]) for one in world.documents["mcpMessages"].find({"session": session.name})]
        assert (held["waitingCount"], held["waitingBytes"]) == (len(stored), sum(stored))
        return len(stored), sum(stored), held["waitingBytes"]

    refused = [one for one in world.client.portal.call(store_all) if one is not None]
    assert {type(one) for one in refused} == {Overloaded}
    stored, size, _held = count()
    assert stored + len(refused) == most + 4
    assert 0 < size <= sessions.MOST_BYTES
    while count()[0] < most:
        world.client.portal.call(sessions.store_answer, call, session, large)
    listing = PING | {"method": "tools/list", "id": 7}
    assert world.ask(f"POST /mcp/messages/?session_id={session_id}", json=listing).status_code == 202
    taken = world.client.portal.call(sessions.take_answers, call, session)
    assert count() == (1, count()[1], count()[1])
    (last,) = world.client.portal.call(sessions.take_answers, call, session)
    assert taken == [large] * most
    assert json.loads(last)["id"] == 7
    assert "too much waits" in json.loads(last)["error"]["message"]
    assert count() == (0, 0, 0)
    world.client.portal.call(sessions.end_session, call, session)
    world.client.portal.call(sessions.store_answer, call, session, "to nobody")
    assert world.documents["mcpMessages"].count_documents({}) == 0


def test_a_session_expires_and_leaves_nothing(world: World) -> None:
    call, session_id, session = session_of(world)
    stored = world.documents["mcpSessions"].find_one({"refName": session.name})
    assert stored is not None
    assert now() < stored["expiresAt"] < now() + timedelta(minutes=2)
    assert session_id not in str(stored)
    world.documents["mcpSessions"].update_one({"refName": session.name}, {"$set": {"expiresAt": now()}})
    answer = world.ask(f"POST /mcp/messages/?session_id={session_id}", json=PING)
    assert answer.status_code == 404
    for name in ("mcpSessions", "mcpMessages"):
        indexes = world.documents[name].index_information().values()
        assert any(index.get("expireAfterSeconds") == 0 for index in indexes), name
    assert world.client.portal is not None
    world.client.portal.call(sessions.end_session, call, session)


def test_a_stream_ends_with_its_token_long_before_a_beat(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = "leaver@acme.example"
    world.sign_in("leaver", NewUser(user, PASSWORD, "acme", frozenset({"user"}), org_ref_name="north"))
    monkeypatch.setattr(door, "BEAT_SECONDS", float("inf"))
    call, _session_id, session = session_of(world, "leaver")
    assert world.ask("POST /security/logout", "leaver", json={"everywhere": True}).status_code == 204

    async def open_again(_realm: str | None = None, /) -> Any:
        return await open_call(world.app.state.service, world.tokens["leaver"], None, "sse", "gateway")

    async def read() -> list[bytes]:
        events = SseDoor(world.app)._send_events(replace(call, open_again=open_again), session)
        return [event async for event in events if event]

    assert world.client.portal is not None
    assert world.client.portal.call(asyncio.wait_for, read(), 60) == []
    assert world.documents["mcpSessions"].count_documents({"refName": session.name}) == 0


@pytest.mark.parametrize("version", HANDSHAKE)
def test_the_version_that_was_agreed_on_holds_for_all_workers(world: World, version: str) -> None:
    call, session_id, session = session_of(world)
    start = {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"},
    }  # fmt: skip
    path = f"POST /mcp/messages/?session_id={session_id}"
    assert world.ask(path, json=PING | {"method": "initialize", "params": start}).status_code == 202
    stored = world.documents["mcpSessions"].find_one({"refName": session.name})
    assert stored is not None
    assert stored["protocolVersion"] == version
    use = {"name": "query_count", "arguments": {"rootType": "Carrier"}}
    assert world.ask(path, json=PING | {"method": "tools/call", "params": use}).status_code == 202
    assert world.client.portal is not None
    _agreed, counted = world.client.portal.call(sessions.take_answers, call, session)
    assert '"count' in counted
    world.client.portal.call(sessions.end_session, call, session)
