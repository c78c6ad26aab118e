"""Calls of tools over MCP compared with the same requests to the query gateway, on the raw wire of one worker.

``python tests/bench/assistants.py [--quick]``. Both are sent in turns over one connection, so their ratio holds where
the figures drift; then 32 clients call at once, and the worker's memory is read before and after many calls.
"""

from __future__ import annotations

import argparse
import http.client
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from contestants import OWN
from processes import memory_mb

ARGUMENTS = {"rootType": "Airport", "limit": 10}
META = "io.modelcontextprotocol"
MESSAGE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "query_find",
        "arguments": ARGUMENTS,
        "_meta": {f"{META}/protocolVersion": "2026-07-28", f"{META}/clientCapabilities": {}},
    },
}
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "query_find",
}
CLIENTS = 32
AIMS = "aims: 2.2 × the route, no error, 5 MB"


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, str, str]]:
    """One worker with its demo tenants; its process id, address and a token."""
    command = [str(OWN / "recordsmith"), "serve", "--demo", "--port", "0", "--json", "--data", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            facts = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
            host = facts["url"].removeprefix("http://")
            user = {name: facts["demoUsers"][0][name] for name in ("userId", "password")}
            login = post(http.client.HTTPConnection(host), "/security/login", user, {})
            yield process.pid, host, login["accessToken"]
        finally:
            process.terminate()


def post(connection: http.client.HTTPConnection, path: str, body: object, headers: dict[str, str]) -> dict:
    """The answer, which must be a success."""
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"} | headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200 or b'"isError":true' in text:
        raise SystemExit(f"{path} answered {answer.status}: {text[:300]!r}")
    return json.loads(text)


def time_it(work: Callable[[], object], number: int) -> float:
    """The median of so many runs, in milliseconds."""
    found = []
    for _each in range(number):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return 1000 * median(found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a look of some seconds")
    scale = 1 if parser.parse_args().quick else 10
    with tempfile.TemporaryDirectory() as name, serving(Path(name)) as (pid, host, token):
        own = {"Authorization": f"Bearer {token}"}

        def call_tools(number: int) -> None:
            connection = http.client.HTTPConnection(host)
            for _each in range(number):
                post(connection, "/mcp", MESSAGE, HEADERS | own)

        one = http.client.HTTPConnection(host)
        rounds = [
            (
                time_it(lambda: post(one, "/api/query/find", ARGUMENTS, own), 50),
                time_it(lambda: post(one, "/mcp", MESSAGE, HEADERS | own), 50),
            )
            for _round in range(3 * scale + 1)
        ][1:]
        route, tool = (median(times) for times in zip(*rounds, strict=True))
        before = memory_mb(pid)
        with ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(call_tools, [1 + 31 * scale // 10] * CLIENTS))
        after_clients = memory_mb(pid)
        call_tools(1000 * scale)
        after = memory_mb(pid)
    print(f"POST /api/query/find {route:.2f} ms · tools/call {tool:.2f} ms · {tool / route:.2f} ×")
    print(f"{CLIENTS} clients at once: no error · MB {before} → {after_clients} → {after}")
    print(AIMS)


if __name__ == "__main__":
    main()
