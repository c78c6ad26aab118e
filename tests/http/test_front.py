"""What every answer has: request id, security headers, problems for what is not offered, bare faults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient
from starlette.testclient import TestClient

from generated.app import create
from runtime.http import front
from runtime.settings import Settings
from tests.http.world import NOWHERE, Document, Play, World, open_world
from tests.scenario import Scenario, check_problem

ME = "GET /security/me"


class TestRequestId:
    @pytest.mark.parametrize(
        "given",
        ["req-7", "4f2a9c01", "a.b_c:d/e+f=g", "A" * 128, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa-01"],
    )
    def test_a_plain_one_is_taken(self, world: World, given: str) -> None:
        for request in (ME, "GET /live", "GET /nowhere", "GET /logistics/carriers/list?x=1"):
            answer = world.ask(request, headers={"X-Request-Id": given})
            assert answer.headers.get_list("x-request-id") == [given]
            if answer.status_code >= 400:
                assert answer.json()["requestId"] == given

    @pytest.mark.parametrize(
        "given",
        [
            b"",
            b" ",
            b"a b",
            b"a\tb",
            b"a\x00b",
            b"a\r\nSet-Cookie: x=1",
            b"\xff\xfe",
            "日本".encode(),
            b"<script>",
            b'"}',
            b"${jndi:ldap://x}",
            b"%0d%0a",
            b"A" * 129,
            b"A" * 100_000,
        ],
        ids=lambda given: repr(given[:16]),
    )  # fmt: skip
    def test_any_other_is_replaced(self, world: World, given: bytes) -> None:
        answer = world.ask(ME, headers={"X-Request-Id": given})
        (made,) = answer.headers.get_list("x-request-id")
        assert len(made) == 16
        assert int(made, 16) >= 0
        assert "set-cookie" not in answer.headers

    def test_one_is_made_for_each_request(self, world: World) -> None:
        made = {world.ask(ME).headers["x-request-id"] for _ in range(20)}
        assert len(made) == 20


class TestEveryAnswer:
    REQUESTS: tuple[tuple[str, str | None, int], ...] = (
        ("GET /security/me", "acme", 200),
        ("GET /security/me", None, 401),
        ("GET /logistics/carriers/list", "acme-nobody", 403),
        (f"GET /logistics/carriers/id/{NOWHERE}", "acme", 404),
        ("GET /nowhere", "acme", 404),
        ("PUT /logistics/carriers/list", "acme", 405),
        ("POST /logistics/carriers", "acme", 415),
        ("GET /live", None, 200),
        ("GET /openapi.json", None, 200),
        ("GET /docs", None, 200),
        ("GET /docs/assets/nothing.js", None, 404),
    )

    @pytest.mark.parametrize(("request_line", "user", "status"), REQUESTS, ids=str)
    def test_headers(self, world: World, request_line: str, user: str | None, status: int) -> None:
        answer = world.ask(request_line, user)
        assert answer.status_code == status
        check_security(answer.headers)
        assert answer.headers["cache-control"] in ("no-store", "no-cache", "private, no-cache")
        assert not answer.headers.keys() & {
            "server",
            "x-powered-by",
            "set-cookie",
            "access-control-allow-origin",
        }
        if status >= 400:
            check_problem(status, answer.headers, answer.json())

    def test_those_without_a_body(self, world: World) -> None:
        made = world.make("Carrier")
        path = f"/logistics/carriers/id/{made['id']}"
        tag = world.ask(f"GET {path}").headers["ETag"]
        same = world.ask(f"GET {path}", headers={"If-None-Match": tag})
        body = {"refreshToken": world.log_in("north@acme.example")["refreshToken"]}
        left = world.ask("POST /security/logout", json=body)
        assert (same.status_code, left.status_code) == (304, 204)
        check_security(same.headers)
        check_security(left.headers)

    def test_those_that_are_made_as_they_go(self, world: World) -> None:
        answer = world.ask("GET /logistics/carriers/csv")
        assert answer.headers["content-type"].startswith("text/csv")
        check_security(answer.headers)

    def test_a_fault(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        async def explode(*_arguments: Any, **_options: Any) -> Any:
            raise RuntimeError("unforeseen")

        monkeypatch.setattr(type(world.app.state.service.store), "ping", explode)
        answer = world.ask("GET /ready")
        assert answer.status_code == 500
        check_security(answer.headers)


def check_security(headers: Any, *, is_https: bool = False) -> None:
    """What every answer tells a browser; each of them once."""
    assert headers.get_list("x-content-type-options") == ["nosniff"]
    assert headers.get_list("referrer-policy") == ["no-referrer"]
    assert headers.get_list("cross-origin-resource-policy") == ["same-origin"]
    (policy,) = headers.get_list("content-security-policy")
    assert policy.startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers.get_list("strict-transport-security") == (["max-age=31536000"] if is_https else [])


class TestHttps:
    """Browsers are told to come by HTTPS again where they came by it, and nowhere else."""

    @pytest.mark.parametrize("path", ["/live", "/nowhere", "/docs"])
    def test_by_the_address_of_the_service(self, mongo_uri: str, path: str) -> None:
        settings = Settings.read(
            {}, mongodb_uri=mongo_uri, base_url="https://records.example", log_level="ERROR"
        )
        answer = TestClient(create(settings)).get(path)
        check_security(answer.headers, is_https=True)

    @pytest.mark.parametrize(
        ("peer", "scheme", "is_https"),
        [("10.0.0.1", "https", True), ("10.0.0.1", "http", False), ("192.0.2.1", "https", False)],
    )
    def test_by_the_word_of_a_trusted_proxy(
        self, mongo_uri: str, peer: str, scheme: str, is_https: bool
    ) -> None:
        settings = Settings.read({}, mongodb_uri=mongo_uri, trusted_proxies="10.0.0.0/8", log_level="ERROR")
        client = TestClient(create(settings), client=(peer, 5000))
        check_security(client.get("/live", headers={"X-Forwarded-Proto": scheme}).headers, is_https=is_https)


class TestNotOffered:
    @pytest.mark.parametrize(
        "path",
        [
            "/nowhere",
            "/logistics",
            "/logistics/carriers/",
            "/logistics/carriers/list/",
            "/logistics/carriers/id/",
            "/Logistics/Carriers/list",
            "/logistics/carriers/id/a/b",
            "//logistics/carriers/list",
            "/logistics/carriers/nothing",
            "/redoc",
            "/docs/",
            "/openapi.yaml",
            "/openapi/nothing.json",
            "/openapi/..%2fREADME.md",
            "/docs/assets/..%2f..%2f..%2fpyproject.toml",
            "/docs/assets/%2e%2e/%2e%2e/pyproject.toml",
            "/%00",
            "/día?x=1",
            "/" + "x" * 5000,
        ],
        ids=lambda path: path[:40],
    )
    @pytest.mark.parametrize("user", ["acme", None])
    def test_paths(self, play: Play, path: str, user: str | None) -> None:
        """No token is asked for: what is not there is not there for anybody. No redirects either."""
        play(Scenario("path", f"GET {path}", user=user, status=404, code="record.not_found"))

    @pytest.mark.parametrize(
        ("request_line", "allowed"),
        [
            ("PUT /logistics/carriers/list", {"GET", "HEAD"}),
            ("DELETE /logistics/carriers/list", {"GET", "HEAD"}),
            ("PATCH /logistics/carriers/bulk", {"POST"}),
            ("GET /logistics/carriers", {"POST"}),
            ("GET /security/login", {"POST"}),
            ("HEAD /logistics/carriers/bulk", {"POST"}),
            ("OPTIONS /logistics/carriers/list", {"GET", "HEAD"}),
            ("TRACE /logistics/carriers/list", {"GET", "HEAD"}),
            ("BREW /logistics/carriers/list", {"GET", "HEAD"}),
            (f"PUT /logistics/carriers/id/{NOWHERE}", {"GET", "HEAD", "DELETE", "PATCH"}),
            ("POST /live", {"GET", "HEAD"}),
            ("DELETE /openapi.json", {"GET", "HEAD"}),
        ],
    )
    def test_methods(self, world: World, request_line: str, allowed: set[str]) -> None:
        before = world.snapshot()
        answer = world.ask(request_line)
        assert answer.status_code == 405
        assert {method.strip() for method in answer.headers["Allow"].split(",")} == allowed
        if not request_line.startswith("HEAD"):
            check_problem(405, answer.headers, answer.json())
            assert answer.json()["code"] == "request.method_not_allowed"
        assert world.snapshot() == before

    @pytest.mark.parametrize("caller", ["acme", "acme-nobody", None])
    @pytest.mark.parametrize(
        "path",
        [
            "/logistics/carriers/list?limit=1&count=exact",
            "/logistics/carriers/list?limit=x",
            f"/logistics/carriers/id/{NOWHERE}",
            "/logistics/carriers/csv?requestedColumns=refName,name",
            "/logistics/carriers/schema",
            "/security/me",
            "/live",
            "/openapi.json",
            "/nowhere",
        ],
    )
    def test_head_is_get_without_a_body(self, world: World, path: str, caller: str | None) -> None:
        world.make("Carrier")
        whole, head = world.ask(f"GET {path}", caller), world.ask(f"HEAD {path}", caller)
        assert (head.status_code, head.content) == (whole.status_code, b"")
        changing = {"x-request-id", "etag", "content-length"}
        assert {name: head.headers[name] for name in head.headers if name not in changing} == {
            name: whole.headers[name] for name in whole.headers if name not in changing
        }
        assert ("content-length" in head.headers) == ("content-length" in whole.headers)

    def test_head_ends_an_export_with_its_head(self, world: World) -> None:
        world.make("Carrier")
        for _each in range(3):
            answer = world.ask("HEAD /logistics/carriers/csv?requestedColumns=refName")
            assert (answer.status_code, answer.content) == (200, b"")
        assert world.app.state.service.transfers.number == 0

    def test_a_method_override_does_not_count(self, world: World, play: Play) -> None:
        made = world.make("Carrier")
        headers = {"X-HTTP-Method-Override": "DELETE", "X-Method-Override": "DELETE"}
        play(Scenario("get", f"GET /logistics/carriers/id/{made['id']}", headers=headers))

    def test_the_instance_is_a_uri_reference(self, world: World) -> None:
        status, _headers, problem = world.ask_raw("GET", '/a b/"día"\n%/日本')
        assert status == 404
        assert problem["instance"] == "/a%20b/%22d%C3%ADa%22%0A%25/%E6%97%A5%E6%9C%AC"


class TestFaults:
    """Anything unforeseen: 500, said bare, logged whole."""

    @pytest.fixture
    def faulty(
        self, mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Any,
        monkeypatch: pytest.MonkeyPatch,
    ) -> Iterator[World]:  # fmt: skip
        with open_world(mongo_uri, mongo_client, data_folder=key_folder) as world:

            async def explode(*_arguments: Any, **_options: Any) -> Any:
                raise RuntimeError("secret-of-the-house /etc/passwd")

            monkeypatch.setattr(type(world.app.state.service.store), "delete_one", explode)
            yield world

    def test_it_is_bare_and_logged(self, faulty: World, capsys: pytest.CaptureFixture[str]) -> None:
        made = faulty.make("Carrier")
        path = f"/logistics/carriers/id/{made['id']}"
        answer = faulty.ask(f"DELETE {path}", headers={"X-Request-Id": "req-500"})
        problem = answer.json()
        check_problem(500, answer.headers, problem)
        assert problem == {
            "type": "urn:recordsmith:problem:service.fault",
            "title": "Internal fault",
            "status": 500,
            "detail": "an internal fault; it was logged",
            "instance": path,
            "code": "service.fault",
            "requestId": "req-500",
        }
        assert answer.headers["x-content-type-options"] == "nosniff"
        lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if "unexpected" in line]
        (line,) = [line for line in lines if line["event"] == "unexpected fault"]
        assert (line["request_id"], line["path"]) == ("req-500", path)
        assert "secret-of-the-house" in line["exception"]

    def test_the_service_goes_on(self, faulty: World) -> None:
        made = faulty.make("Carrier")
        assert faulty.ask(f"DELETE /logistics/carriers/id/{made['id']}").status_code == 500
        assert faulty.read("Carrier", made) == made


@pytest.mark.parametrize(
    ("path", "content_type", "begun"),
    [
        pytest.param("/logistics/carriers", "application/json", b'{"refName"', id="in a body"),
        pytest.param(
            "/logistics/carriers/csv/session",
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nA,',
            id="in an upload",
        ),
    ],
)
def test_a_caller_who_leaves_is_no_fault(
    world: World, capsys: pytest.CaptureFixture[str], path: str, content_type: str, begun: bytes
) -> None:
    pieces = iter([{"type": "http.request", "body": begun, "more_body": True}])

    async def receive() -> Any:
        return next(pieces, {"type": "http.disconnect"})

    query = b"requestedColumns=refName" if "csv" in path else b""
    headers = world.headers("acme") | {"Content-Type": content_type}
    sent = world.send_messages("POST", path, receive, query=query, headers=headers)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    assert sent == []
    assert lines == []
    assert world.documents["importSessions"].count_documents({"state": "ANALYZING"}) == 0


def test_what_counts_as_plain_is_anchored() -> None:
    assert front._PLAIN.fullmatch(b"a") is not None
    assert front._PLAIN.fullmatch(b"a\n") is None
