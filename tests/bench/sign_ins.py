"""Token requests compared with reads: how many one worker answers, and what they cost readers.

``python tests/bench/sign_ins.py [--quick] [--seconds N] [--rounds N] [--json FILE]``; ``make bench`` runs it too. All
operations are of the same server in the same rounds, so the ratios hold where the figures drift. See README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

from contestants import HERE, OWN, request, service_environment
from processes import BenchFailed, free_port, running
from rich.console import Console
from rich.table import Table

from generated.app import CATALOG
from runtime.app import open_service
from runtime.identity.users.users import NewUser, create_user
from runtime.oauth.codes import Granted, issue_code
from runtime.oauth.management import create_client
from runtime.settings import Settings
from runtime.storage.embedded import run_embedded

USER = "clerk@bench"
CLIENT = "application"
PASSWORD = "a long enough password for a bench"
CALLBACK = "https://app.example/callback"
FORM = "application/x-www-form-urlencoded"
GRANTS = ("authorization_code", "client_credentials", "refresh_token")
CONNECTIONS = 32
READERS = 4
STORMERS = 16

OPERATIONS: Mapping[str, str] = {
    "hello": "GET /live: no token, no store",
    "get": "get a record by id",
    "userinfo": "GET /oauth/userinfo",
    "client_credentials": "POST /oauth/token, client_credentials with a warm secret",
    "refresh": "POST /oauth/token, refresh_token: a rotation in the store",
}
AIMS = {"userinfo": "0.8 × get", "client_credentials": "250/s", "refresh": "200/s"}


@dataclass(frozen=True)
class Work:
    """What is sent: jobs of ``load.py`` by operation, and the logins of the storm."""

    jobs: Mapping[str, Mapping[str, Any]]
    storm: list[str]


@dataclass
class Results:
    """Requests a second by operation, round by round; milliseconds of reads, quiet and in the storm."""

    rates: dict[str, list[float]] = field(default_factory=dict)
    quiet: list[float] = field(default_factory=list)
    stormy: list[float] = field(default_factory=list)
    log_ins: list[float] = field(default_factory=list)


def main() -> int:
    """Measure and show; 1 when some figure does not count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a look of some seconds")
    parser.add_argument("--seconds", type=float, help="of one slice")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--json", type=Path, help="where to write every figure")
    options = parser.parse_args()
    seconds = options.seconds or (0.4 if options.quick else 3.0)
    console = Console(width=120)
    try:
        results = run(seconds, options.rounds or (2 if options.quick else 5))
    except BenchFailed as error:
        console.print(str(error), markup=False)
        return 1
    show(results, console)
    if options.json:
        options.json.write_text(json.dumps(vars(results), indent=1) + "\n")
    return 0


def run(seconds: float, rounds: int) -> Results:
    """Serve, sign in, then measure in turns."""
    results = Results()
    with tempfile.TemporaryDirectory(prefix="recordsmith-bench-") as name, run_embedded(Path(name)) as uri:
        folder, port = Path(name), free_port()
        environment = service_environment(uri) | {"AUTH_BCRYPT_COST": "12", "LOG_LEVEL": "WARNING"}
        environment["SERVICE_BASE_URL"] = f"http://127.0.0.1:{port}"
        secret, codes = asyncio.run(_register(Settings.read(environment, data_folder=folder)))
        command = [str(OWN / "recordsmith"), "serve", "--port", str(port), "--data", str(folder)]
        with running("recordsmith", command, environment, port, folder / "serve.log"):
            work = _prepare(port, secret, codes)
            for number in range(rounds + 1):
                _measure(port, work, seconds if number else 0.3, results if number else Results())
    return results


async def _register(settings: Settings) -> tuple[str, list[str]]:
    """A user, a client, and a code for each connection."""
    async with open_service(CATALOG, settings) as service:
        user = await create_user(service, NewUser(USER, PASSWORD, "acme", frozenset({"user"})))
        created = await create_client(
            service,
            NewUser(CLIENT, "", "acme", frozenset({"user"})),
            fields={"allowedGrantTypes": [*GRANTS], "redirectUris": [CALLBACK]},
        )
        client = await service.clients.find(settings.default_realm, CLIENT)
        if client is None:
            raise BenchFailed("the client that was created is not there")
        granted = Granted(
            client=client, redirect_uri=CALLBACK, subject=user["subject"], epoch=1,
            scope="openid offline_access", resources=(), challenge=None, nonce=None, auth_time=time.time(),
            shows_auth_time=False, sign_on=None, domain=created.client["dataDomain"],
        )  # fmt: skip
        return created.secret or "", [await issue_code(service, granted) for _ in range(CONNECTIONS)]


def _prepare(port: int, secret: str, codes: list[str]) -> Work:
    basic = "Basic " + base64.b64encode(f"{CLIENT}:{secret}".encode()).decode()
    login = {"userId": USER, "password": PASSWORD}
    token = _send(port, "/security/login", json.dumps(login), "application/json")["accessToken"]
    country = {"code": "PT", "name": "Portugal"}
    record = _send(port, "/logistics/countries", json.dumps(country), "application/json", f"Bearer {token}")
    exchange = {"grant_type": "authorization_code", "redirect_uri": CALLBACK}
    issued = [
        _send(port, "/oauth/token", urlencode(exchange | {"code": code}), FORM, basic) for code in codes
    ]
    own = request("POST", "/oauth/token", body="grant_type=client_credentials", content=FORM)
    signed = own.replace("\r\n", f"\r\nAuthorization: {basic}\r\n", 1)
    head = signed.partition("Content-Length")[0]
    return Work(
        {
            "hello": _flat(request("GET", "/live")),
            "get": _flat(request("GET", f"/logistics/countries/id/{record['id']}", token)),
            "userinfo": _flat(request("GET", "/oauth/userinfo", issued[0]["access_token"])),
            "client_credentials": _flat(signed),
            "refresh": {
                "chain": {
                    "head": head,
                    "body": "grant_type=refresh_token&refresh_token={value}",
                    "member": "refresh_token",
                    "values": [one["refresh_token"] for one in issued],
                }
            },
        },
        [request("POST", "/security/login", body=json.dumps(login))],
    )


def _flat(text: str, connections: int = CONNECTIONS) -> dict[str, Any]:
    return {"requests": [text], "connections": connections}


def _send(port: int, path: str, body: str, content: str, authorization: str = "") -> Any:
    headers = {"Content-Type": content} | ({"Authorization": authorization} if authorization else {})
    sent = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body.encode(), headers)
    with urllib.request.urlopen(sent, timeout=30) as answer:
        return json.load(answer)


def _measure(port: int, work: Work, seconds: float, results: Results) -> None:
    """One round."""
    for operation, job in work.jobs.items():
        outcome = _load(port, job, seconds)
        results.rates.setdefault(operation, []).append(outcome["answers"] / outcome["seconds"])
        if operation == "refresh":  # the next round goes on with what this one got last
            job["chain"]["values"] = outcome["values"]
    reads = _flat(work.jobs["get"]["requests"][0], READERS)
    results.quiet.append(_load(port, reads, seconds)["millis"]["p99"])
    with _storm(port, work.storm, seconds * 2) as storm:
        results.stormy.append(_load(port, reads, seconds)["millis"]["p99"])
    results.log_ins.append(storm["answers"] / storm["seconds"])


def _load(port: int, job: Mapping[str, Any], seconds: float) -> Any:
    """Run one job in a process of its own. Raises ``BenchFailed`` where an answer is not 2xx."""
    text = json.dumps({"port": port, "seconds": seconds, **job})
    done = subprocess.run(
        [sys.executable, str(HERE / "load.py")],
        input=text.encode(),
        capture_output=True,
        timeout=seconds + 60,
    )
    if done.returncode:
        raise BenchFailed(done.stderr.decode()[-2000:])
    outcome = json.loads(done.stdout)
    if outcome["bad"]:
        raise BenchFailed(
            f"answers outside 2xx, so no figure counts. The first: {outcome['first_bad'][:400]}"
        )
    return outcome


@contextmanager
def _storm(port: int, requests: list[str], seconds: float) -> Iterator[dict[str, Any]]:
    """Log in repeatedly until the block has ended; logins that are turned away (503) count too."""
    job = {"port": port, "seconds": seconds, "requests": requests, "connections": STORMERS}
    outcome: dict[str, Any] = {}
    with subprocess.Popen(
        [sys.executable, str(HERE / "load.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(job).encode())
        process.stdin.close()
        process.stdin = None
        time.sleep(seconds / 4)
        yield outcome
        outcome |= json.loads(process.communicate(timeout=seconds + 60)[0])


def show(results: Results, console: Console) -> None:
    """A table of the rates, and a line about the storm."""
    table = Table(title="Tokens and reads of the same server (1 worker)", title_justify="left")
    for heading in ("", "requests/s", "aim", "× hello", "× get"):
        table.add_column(heading, justify="left" if not heading else "right")
    for operation, text in OPERATIONS.items():
        rates = results.rates[operation]
        ratios = [_ratio(rates, results.rates[other]) for other in ("hello", "get")]
        table.add_row(text, f"{median(rates):,.0f}", AIMS.get(operation, ""), *ratios)
    console.print(table)
    quiet, stormy = median(results.quiet), median(results.stormy)
    ratio = median(one / other for one, other in zip(results.stormy, results.quiet, strict=True))
    console.print(
        f"99th percentile of reads: {quiet:.1f} ms; during {median(results.log_ins):,.0f} logins a second with "
        f"bcrypt {stormy:.1f} ms, {ratio:.1f} × as long (aim: 3 ×)"
    )


def _ratio(rates: list[float], others: list[float]) -> str:
    return f"{median(one / other for one, other in zip(rates, others, strict=True)):.2f}"


if __name__ == "__main__":
    sys.exit(main())
