"""Where the time of a request goes in this service: cProfile around the application, without a server.

``python tests/bench/profiled.py list|listNew|expand|gateway|get|insert|patch|export|importNew|importUnchanged|importChanged
[--cumulative] [--at-once 32]``; of files the figures are of a row. The application runs in this process,
so the figures are those of its Python alone; the profiler makes calls dearer than they are, so compare lines
with each other and not with the bench. First comes what a request costs without the profiler.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import os
import pstats
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import uvloop
from contestants import World, contestants, request, service_environment
from corpus import FILES, TENANTS, Corpus, products_csv, tenant
from fastapi import FastAPI
from pymongo import MongoClient
from transfers import EXPORT, FILES_TOLD, importing

from generated.app import create
from runtime.cli.worker import settle
from runtime.identity.users.users import NewUser, create_user
from runtime.settings import Settings
from runtime.storage.embedded import run_embedded

PASSWORD = "a long enough password for a bench"
RECORDS = 20_000
REQUESTS = 1000
ROWS = 10_000
LINES = 60

Message = dict[str, Any]


def main() -> None:
    """Load, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "operation", choices=("list", "listNew", "expand", "gateway", "get", "insert", "patch", *FILES_TOLD)
    )
    parser.add_argument("--cumulative", action="store_true", help="sort by time with what is called below")
    parser.add_argument("--at-once", type=int, default=1, help="requests at the same time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recordsmith-profile-") as name, run_embedded(Path(name)) as uri:
        os.environ |= service_environment(uri)
        uvloop.run(_profile(options.operation, options.cumulative, options.at_once, uri, Path(name)))


async def _profile(operation: str, cumulative: bool, at_once: int, uri: str, folder: Path) -> None:
    settings = Settings.read(data_folder=folder, log_level="ERROR")
    corpus = Corpus(RECORDS, ROWS)
    app = create(settings)
    async with app.router.lifespan_context(app):
        with MongoClient[dict[str, Any]](uri) as client:
            corpus.load(client, copies=())
        world = World(corpus, await _tokens(app))
        if operation in FILES_TOLD:
            files = [_file(operation, run) for run in range(3)]
            runs = [_files(app, operation, world.tokens[FILES], run, file) for run, file in enumerate(files)]
            pieces = ROWS
        else:
            texts = contestants(uri, folder)[0].requests(operation, world)
            requests = cycle([_scoped(text) for text in texts])
            runs = [_send(app, requests, count, at_once) for count in (REQUESTS // 5, REQUESTS, REQUESTS)]
            pieces = REQUESTS
        warm_up, timed, profiled = runs
        settle()
        await warm_up
        started, busy = time.perf_counter(), time.process_time()
        await timed
        took, busy = (
            (now - then) / pieces * 1e6
            for now, then in ((time.perf_counter(), started), (time.process_time(), busy))
        )
        print(f"{operation}: {took:.0f} µs, {at_once} at once, {busy:.0f} µs of CPU of this process")
        profile = cProfile.Profile()
        profile.enable()
        await profiled
        profile.disable()
    pstats.Stats(profile).sort_stats("cumulative" if cumulative else "tottime").print_stats(LINES)


async def _tokens(app: FastAPI) -> dict[str, str]:
    tokens = {}
    for name in (*map(tenant, range(TENANTS)), FILES):
        await create_user(app.state.service, NewUser(name, PASSWORD, name, frozenset({"user"})))
        body = json.dumps({"userId": name, "password": PASSWORD})
        answer = await _answer(app, *_scoped(request("POST", "/security/login", body=body)))
        tokens[name] = json.loads(answer)["accessToken"]
    return tokens


def _file(operation: str, run: int) -> bytes:
    """Each run of ``importNew`` has names of its own, each of ``importChanged`` other prices."""
    names = f"F{run}" if operation == "importNew" else "F"
    return products_csv(names, ROWS, dearer=operation == "importChanged" and run % 2 == 0)


async def _files(app: FastAPI, operation: str, token: str, run: int, file: bytes) -> None:
    """One file, the third time under the profiler; what changes has to be there before."""
    if operation == "export":
        await _answer(app, *_scoped(request("GET", EXPORT, token)))
        return
    if operation != "importNew" and run == 0:
        await _answer(app, *_scoped(importing(token, products_csv("F", ROWS))))
    await _answer(app, *_scoped(importing(token, file)))


async def _send(app: FastAPI, requests: Iterator[tuple[Message, bytes]], count: int, at_once: int) -> None:
    async def send_some() -> None:
        for _number in range(count // at_once):
            await _answer(app, *next(requests))

    await asyncio.gather(*(send_some() for _sender in range(at_once)))


async def _answer(app: FastAPI, scope: Message, body: bytes) -> bytes:
    """One request through the application, as a server would hand it over."""
    received: list[Message] = []
    sent = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Message:
        for message in sent:
            return message
        await asyncio.Event().wait()  # a caller who stays until it has its answer
        raise AssertionError("never set")

    async def send(message: Message) -> None:
        received.append(message)

    await app(dict(scope), receive, send)
    if not 200 <= received[0]["status"] < 300:
        raise SystemExit(f"{received[0]['status']}: {received[1]['body']!r}")
    return b"".join(part["body"] for part in received[1:])


def _scoped(text: str) -> tuple[Message, bytes]:
    """A request of the bench as an ASGI scope and a body."""
    head, _, body = text.partition("\r\n\r\n")
    first, *lines = head.split("\r\n")
    method, target, _version = first.split(" ")
    path, _, query = target.partition("?")
    headers = [line.split(": ", 1) for line in lines]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "root_path": "", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
    }  # fmt: skip
    return scope, body.encode()


if __name__ == "__main__":
    main()
