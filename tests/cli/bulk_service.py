"""A small HTTP service that answers like the record routes an importer uses, and misbehaves on demand.

Records are kept in memory by refName. ``faults`` are answered, one each, in place of the next bulk
requests: a status (200 lets it pass), or ``"drop"`` (the connection breaks), ``"drop after"`` (it breaks
after saving) or ``"interrupt"`` (Ctrl-C for this process, which waits for the answer).
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

BASE = "/logistics/airports"
COUNTRIES = "/logistics/countries"


@dataclass
class BulkService:
    """What it holds, what it was asked, and how it is to behave."""

    url: str = ""
    records: dict[str, dict[str, dict[str, Any]]] = field(default_factory=lambda: {BASE: {}, COUNTRIES: {}})
    icaos: dict[str, str] = field(default_factory=dict)
    faults: deque[int | str] = field(default_factory=deque)
    bulk_sizes: list[int] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    logins: int = 0
    interrupts_login: bool = False
    refreshes: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    awaited_in_flight: int = 1
    have_met: asyncio.Event = field(default_factory=asyncio.Event)
    most_operations: int = 1000
    has_filter: bool = True
    valid_token: str = "token-1"
    expires_at_record: int | None = None
    retry_after: str = "0"

    def app(self) -> Starlette:
        routes = [
            Route("/security/login", self.login, methods=["POST"]),
            Route("/security/refresh", self.refresh, methods=["POST"]),
            Route("/openapi.json", self.document),
        ]
        for base in (BASE, COUNTRIES):
            routes += [
                Route(f"{base}/bulk", self.bulk, methods=["POST"]),
                Route(f"{base}/list", self.listed),
                Route(f"{base}/refName/{{name}}", self.by_ref_name),
            ]
        return Starlette(routes=routes)

    async def login(self, request: Request) -> Response:
        self.logins += 1
        if self.interrupts_login:
            return await _interrupt(request)
        body = orjson.loads(await request.body())
        if body != {"userId": "ann", "password": "correct horse"}:
            return _problem(401, "login.failed", "login failed")
        return _json({"accessToken": self.valid_token, "refreshToken": "refresh-1"})

    async def refresh(self, request: Request) -> Response:
        self.refreshes += 1
        return _json({"accessToken": self.valid_token, "refreshToken": "refresh-2"})

    async def document(self, request: Request) -> Response:
        paths = {
            f"{BASE}/bulk": {"post": {"operationId": "airport_bulk"}},
            f"{COUNTRIES}/bulk": {"post": {"operationId": "country_bulk"}},
            f"{BASE}/list": {"get": {"operationId": "airport_listRecords"}},
        }
        return _json({"paths": paths})

    async def listed(self, request: Request) -> Response:
        if not self.has_filter:
            return _problem(501, "service.not_offered", "no filters here")
        assert request.query_params["projection"] == "+refName"
        text = request.query_params["filter"].removeprefix('refName:^["').removesuffix('"]')
        held = self.held(request)
        rows = [{"refName": name, "id": held[name]["id"]} for name in text.split('","') if name in held]
        return self.refusal(request) or _json({"rows": rows})

    async def by_ref_name(self, request: Request) -> Response:
        found = self.held(request).get(request.path_params["name"])
        return _json(found) if found else _problem(404, "record.not_found", "not here")

    async def bulk(self, request: Request) -> Response:
        own = self.have_met
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.most_in_flight >= self.awaited_in_flight:
                self.have_met.set()
            await asyncio.wait_for(self.have_met.wait(), 20)
            return await self.answer(request, orjson.loads(await request.body())["operations"])
        finally:
            if self.have_met is own:  # not begun in an earlier test, which did not wait for its answer
                self.in_flight -= 1

    async def answer(self, request: Request, operations: list[dict[str, Any]]) -> Response:
        if (refusal := self.refusal(request)) is not None:
            return refusal
        fault = self.faults.popleft() if self.faults else None
        if isinstance(fault, int) and fault != 200:
            return _problem(fault, "store.unavailable", "try again", {"Retry-After": self.retry_after})
        if fault == "interrupt":
            return await _interrupt(request)
        if fault == "drop":
            return _Broken()
        if len(operations) > self.most_operations:
            return _problem(413, "request.too_large", "too large")
        self.bulk_sizes.append(len(operations))
        results = [self.save(request, index, each) for index, each in enumerate(operations)]
        return _Broken() if fault == "drop after" else _json({"results": results[::-1]})

    def save(self, request: Request, index: int, operation: dict[str, Any]) -> dict[str, Any]:
        assert operation["op"] == "save"
        record, held = operation["record"], self.held(request)
        if len(held) == self.expires_at_record:
            self.valid_token = "token-2"
        name = record.get("refName", f"made-{len(held)}")
        old = held.get(name)
        error: dict[str, Any]
        if not record.get("name"):
            error = {"code": "record.invalid", "detail": "name: Field required"}
            return {"index": index, "status": 422, "error": error}
        if old is not None and record.get("id") != old["id"]:
            error = {"code": "record.duplicate", "detail": f"refName {name} exists", "fields": ["refName"]}
            return {"index": index, "status": 409, "error": error}
        if self.icaos.setdefault(record.get("icao", name), name) != name:
            error = {"code": "record.duplicate", "detail": "icao exists", "fields": ["icao"]}
            return {"index": index, "status": 409, "error": error}
        held[name] = {"id": f"{len(held):024x}"} | (old or {}) | record
        return {"index": index, "status": 201 if old is None else 200, "refName": name}

    def held(self, request: Request) -> dict[str, dict[str, Any]]:
        base = next(base for base in self.records if request.url.path.startswith(f"{base}/"))
        return self.records[base]

    def refusal(self, request: Request) -> Response | None:
        self.requests.append(request.url.path)
        if request.headers.get("authorization") == f"Bearer {self.valid_token}":
            return None
        return _problem(401, "access.unauthenticated", "the token has expired")


@contextmanager
def running(service: BulkService) -> Iterator[None]:
    """Serve on a free port, from a thread."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        service.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        config = uvicorn.Config(service.app(), log_config=None, access_log=False, lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join()


class _Broken(Response):
    """Promises more than it sends, so that the server cuts the connection."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-length", b"10")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(orjson.dumps(value), status, headers, "application/json")


async def _interrupt(request: Request) -> Response:
    os.kill(os.getpid(), signal.SIGINT)
    while (await request.receive())["type"] != "http.disconnect":
        pass
    return _Broken()


def _problem(status: int, code: str, detail: str, headers: dict[str, str] | None = None) -> Response:
    return _json({"status": status, "code": code, "detail": detail}, status, headers)
