"""What is not a message, is too large, or breaks something: nothing of our inside reaches the client."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

import runtime.errors
from runtime.errors import StoreUnavailable
from runtime.mcp.failures import ADVICE
from tests.http.world import World
from tests.mcp_server.talking import HANDSHAKE, MODERN, call_on_wire, send

ERAS = [MODERN, HANDSHAKE[-1], HANDSHAKE[0]]
INSIDE = (
    "Traceback",
    "pydantic",
    "validation error",
    "input_value",
    "runtime.",
    "mcp.",
    "/work",
    "site-packages",
)
"""Words that only our own code, or that of libraries, would say."""

NO_MESSAGES = [
    (b"{", -32700),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"', -32700),
    (b"[]", -32600),
    (b"[{}]", -32600),
    (b"5", -32600),
    (b'"text"', -32600),
    (b"{}", -32600),
    (b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}', -32600),
    (b'{"jsonrpc": "2.0", "id": true, "method": "tools/list"}', -32600),
    (b'{"jsonrpc": "2.0", "id": null, "method": "tools/list"}', -32600),
    (b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": [1]}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": "secret-of-a-caller"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "result": {}}', -32600),
]
METHODS = [
    ("tools/call", {}),
    ("tools/call", {"name": 5}),
    ("tools/call", {"name": "query_find", "arguments": "secret-of-a-caller"}),
    ("tools/call", {"name": "secret-of-a-caller", "arguments": {"a": "b"}}),
    ("tools/list", {"cursor": {"secret-of-a-caller": 1}}),
    ("resources/read", {"uri": 7}),
    ("resources/read", {"uri": "file:///etc/passwd"}),
    ("completion/complete", {"ref": "secret-of-a-caller"}),
    ("prompts/list", {}),
    ("logging/setLevel", {"level": "everything"}),
    ("sampling/createMessage", {}),
    ("subscriptions/listen", {"notifications": {}}),
    ("resources/subscribe", {"uri": "service://schema"}),
    ("nothing/like-this", {}),
    ("__class__", {}),
]


UNREADABLE = [
    ('{"id": 1, "name": secret}', "unexpected character, expected a JSON value at line 1 column 19"),
    ('{"id": 1,\n"limit": 1e400}', "number is infinity when parsed as double at line 2 column 10"),
    ('{"name": "\\ud800"}', "no low surrogate in string at line 1 column 11"),
]


def check_silence(text: str) -> None:
    assert not [word for word in INSIDE if word.lower() in text.lower()], text


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(("content", "code"), NO_MESSAGES)
def test_what_is_no_message_is_refused_without_a_quote(
    world: World, version: str, content: bytes, code: int
) -> None:
    answer = send(
        world, "", version=version, json=None, content=content, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code
    assert answer.json()["id"] is None
    assert "secret-of-a-caller" not in answer.text
    check_silence(answer.text)


@pytest.mark.parametrize(("content", "why"), UNREADABLE)
def test_where_a_message_cannot_be_read_is_reported(world: World, content: str, why: str) -> None:
    headers = {"Content-Type": "application/json"}
    answer = send(world, "", json=None, content=content.encode(), headers=headers)
    error = {"code": -32700, "message": f"the message cannot be read as JSON: {why}"}
    assert (answer.status_code, answer.json()["error"]) == (400, error)


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(("method", "params"), METHODS)
def test_faults_of_the_protocol_say_nothing_of_the_inside(
    world: World, version: str, method: str, params: dict[str, Any]
) -> None:
    answer = send(world, method, params, version=version)
    assert "error" in answer.json(), answer.text
    assert answer.json()["error"]["code"] != 0
    check_silence(answer.text)


TWICE = [
    (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "tools/list"}', "id"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "tools/list"}', "method"),
    (
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "query_count", '
        b'"arguments": {"rootType": "Carrier", "rootType": "Shipment"}}}',
        "rootType",
    ),
    (
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"a": {"b": 1, "\\u0062": '
        + b"[" + b"1," * 2000 + b"1]}}}",
        "b",
    ),
]  # fmt: skip


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(("content", "member"), TWICE)
def test_a_member_that_comes_twice_is_refused_as_at_the_routes(
    world: World, version: str, content: bytes, member: str
) -> None:
    answer = send(
        world, "", version=version, json=None, content=content, headers={"Content-Type": "application/json"}
    )
    problem = answer.json()
    expected = (400, "request.repeated_member", member)
    assert (answer.status_code, problem["code"], problem["member"]) == expected
    check_silence(answer.text)


WRONG_PARAMS = [
    ("tools/call", {}, "params.name is missing"),
    ("tools/call", {"name": "query_find", "arguments": []}, "params.arguments does not have the right form"),
    ("resources/read", {}, "params.uri is missing"),
    ("completion/complete", {"argument": {"name": "rootType", "value": ""}}, "params.ref is missing"),
    ("tools/list", {"cursor": 1}, "params.cursor does not have the right form"),
]


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(("method", "params", "message"), WRONG_PARAMS)
def test_the_member_of_the_parameters_that_is_wrong_is_named(
    world: World, version: str, method: str, params: dict[str, Any], message: str
) -> None:
    answer = send(world, method, params, version=version)
    assert answer.json()["error"] == {"code": -32602, "message": message}


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list"])
def test_a_cursor_of_somebody_else_begins_no_list_again(world: World, version: str, method: str) -> None:
    assert "error" in send(world, method, {"cursor": "p2"}, version=version).json()
    assert "result" in send(world, method, version=version).json()


@pytest.mark.parametrize("version", ERAS)
def test_an_unexpected_error_is_bare(
    world: World, version: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def fail(*_arguments: Any, **_named: Any) -> Any:
        raise RuntimeError("the text of our inside")

    monkeypatch.setattr("runtime.mcp.use.execute", fail)
    answer = call_on_wire(world, "query_count", {"rootType": "Carrier"}, version=version)
    result = answer.json()["result"]
    assert result["isError"] is True
    problem = orjson.loads(result["content"][0]["text"])
    assert (problem["code"], problem["status"]) == ("service.fault", 500)
    assert "the text of our inside" not in answer.text
    check_silence(answer.text)
    assert "the text of our inside" in capfd.readouterr().err

    monkeypatch.setattr("runtime.mcp.listing.list_enabled_tools", fail)
    answer = send(world, "tools/list", version=version)
    assert answer.json()["error"]["code"] == -32603
    assert "the text of our inside" not in answer.text


@pytest.mark.parametrize("version", ERAS)
def test_a_lost_store_is_a_result_with_advice(
    world: World, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_arguments: Any, **_named: Any) -> Any:
        raise StoreUnavailable("the store does not answer", cause=OSError("mongodb://user:secret@host"))

    monkeypatch.setattr("runtime.mcp.use.execute", fail)
    answer = call_on_wire(world, "query_count", {"rootType": "Carrier"}, version=version)
    problem = orjson.loads(answer.json()["result"]["content"][0]["text"])
    assert (problem["status"], problem["code"]) == (503, "store.unavailable")
    assert "advice" in problem
    assert "mongodb://" not in answer.text


LIMITS = [
    ({"content": b" "}, 400),
    ({"content": b"{}", "headers": {"Content-Type": "text/plain"}}, 415),
    ({"content": b"{}", "headers": {"Content-Type": "application/json", "Content-Encoding": "gzip"}}, 415),
    ({"content": b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "tools/list"}'}, 400),
    ({"content": b'{"a": [' + b"1," * 30_000 + b"1]}"}, 413),
    ({"content": b'{"a": "' + b"x" * (9 * 2**20) + b'"}'}, 413),
    ({"content": b"[" * 5000 + b"]" * 5000}, 400),
]


@pytest.mark.parametrize(("options", "status"), LIMITS, ids=range(len(LIMITS)))
def test_the_limits_of_bodies_hold(world: World, options: dict[str, Any], status: int) -> None:
    headers = {"Content-Type": "application/json"} | options.get("headers", {})
    answer = send(world, "", **({"json": None} | options | {"headers": headers}))
    assert answer.status_code == status, answer.text
    check_silence(answer.text)
    if status in (413, 415):  # clients of MCP show no problem body
        assert answer.headers["content-type"] == "application/json"
        assert (answer.json()["jsonrpc"], answer.json()["id"]) == ("2.0", None)
        assert answer.json()["error"]["code"] == -32600
    is_encoded = "Content-Encoding" in options.get("headers", {})
    assert answer.headers.get("accept-encoding") == ("identity" if is_encoded else None)


@pytest.mark.parametrize("version", ERAS)
def test_the_case_of_a_media_type_has_no_meaning(world: World, version: str) -> None:
    headers = {"Content-Type": "Application/JSON; charset=UTF-8", "Accept": "Application/JSON"}
    answer = send(world, "tools/list", {}, version=version, headers=headers)
    assert (answer.status_code, "result" in answer.json()) == (200, True), answer.text


def test_two_media_types_are_refused_in_the_form_of_messages(world: World) -> None:
    types = [("Content-Type", one) for one in ("application/json", "text/plain")]
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    answer = world.client.post("/mcp", content=body, headers=[*types, *world.headers("acme").items()])
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600), answer.text
    assert "content-type came 2 times" in answer.json()["error"]["message"]


def test_a_batch_is_refused_with_advice(world: World) -> None:
    """Only the era of 2025-03-26 has them; nothing of one is run."""
    save = {
        "name": "query_save",
        "arguments": {"rootType": "Carrier", "entity": {"name": "Batch", "mode": "AIR"}},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": save}
    before = world.documents["carriers"].count_documents({})
    answer = send(world, "", json=[message, message | {"id": 2}])
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["id"]) == (400, -32600, None)
    assert "a request of its own" in answer.json()["error"]["message"]
    assert world.documents["carriers"].count_documents({}) == before


def test_large_messages_are_for_those_who_may_write(world: World) -> None:
    entity = {"rootType": "Carrier", "entity": {"name": "x" * 100_000, "mode": "AIR"}}
    assert call_on_wire(world, "query_save", entity, "acme").status_code == 200
    assert call_on_wire(world, "query_save", entity, "acme-nobody").status_code == 403
    assert call_on_wire(world, "query_save", entity, None).status_code == 401


def test_a_notification_is_accepted_and_does_nothing(world: World) -> None:
    for version in ERAS:
        content = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'
        answer = send(
            world,
            "",
            version=version,
            json=None,
            content=content,
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code == 202, answer.text


NOT_OF_TOOLS = {
    "access.unauthenticated", "feed.expired", "idempotency.in_flight", "idempotency.mismatch",
    "idempotency.no_answer", "login.failed", "login.password_change_required", "record.not_archived",
    "record.precondition_failed", "request.head_too_large", "request.media_type", "request.method_not_allowed",
    "request.throttled", "request.timeout", "request.unknown_parameter", "service.misconfigured",
    "service.not_ready", "set.too_many", "user.own_account",
}  # fmt: skip
"""Errors of headers, of the query of a route, of pages and of the start."""


def test_every_error_of_a_tool_has_advice() -> None:
    classes = [getattr(runtime.errors, name) for name in runtime.errors.__all__]
    codes = {getattr(one, "code", None) for one in classes if isinstance(one, type)}
    assert {code for code in codes - {None} if code not in ADVICE} == NOT_OF_TOOLS
