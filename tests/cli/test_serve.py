"""``recordsmith serve``: as processes, with the embedded MongoDB of a fresh data folder."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from uvicorn.config import STARTUP_FAILURE

from runtime.call import Call
from runtime.cli import demo
from runtime.cli.output import CommandFailed
from runtime.cli.serve import _find_url, _open_listener, _run_alone
from runtime.cli.workers import Worker, Workers
from runtime.errors import Misconfigured
from runtime.settings.sources import environment_name
from runtime.storage.embedded.folder import Folder
from tests.cli.asking import get, logged, pids
from tests.patience import wait_until


def test_says_where_it_is_and_leaves_nothing_running(serve: Any, data: Path) -> None:
    service = serve(fresh=True)
    assert service.facts == {
        "url": service.url,
        "documentation": f"{service.url}/docs",
        "dataFolder": str(data),
        "pid": service.process.pid,
        "demoUsers": [],
    }
    assert get(f"{service.url}/ready").status_code == 200
    assert "server" not in get(f"{service.url}/live").headers
    running = {"pid": service.process.pid, "url": service.url, "base_url": service.url, "issuer": service.url}
    assert json.loads((data / "service.json").read_text()) == running
    assert service.stop() == 0
    assert not Folder(data).is_served()
    assert not (data / "service.json").exists()


@pytest.mark.parametrize(
    ("number", "workers", "is_embedded"),
    [
        pytest.param(signal.SIGTERM, "1", True, id="SIGTERM, one worker"),
        pytest.param(signal.SIGINT, "2", False, id="Ctrl-C, two workers"),
    ],
)
def test_requests_in_flight_are_finished_before_it_stops(
    serve: Any, data: Path, light: dict[str, str], number: int, workers: str, is_embedded: bool
) -> None:
    service = serve("--workers", workers, env={} if is_embedded else light)
    pids(service.url, int(workers))
    answer: list[httpx2.Response] = []
    mark = data.with_name("begun")
    slow = f"{service.url}/slow?seconds=1.5&mark={mark}"
    caller = threading.Thread(target=lambda: answer.append(get(slow)))
    caller.start()
    wait_until(mark.exists)
    assert service.stop(number) == 0
    caller.join()
    assert answer[0].json() == "done"
    assert not Folder(data).is_served()


def test_logs_are_json_lines_and_a_request_is_one_of_them(
    serve: Any, data: Path, elsewhere: dict[str, str]
) -> None:
    resolved = f"service.agent.tenant.{elsewhere['SERVICE_DEFAULT_REALM']}.runAsUserId"
    useless = {"SERVICE_AGENT_TENANT_EMAE_MAXFINDLIMIT": "5", environment_name(resolved): "robot"}
    service = serve(env=elsewhere | useless)
    httpx2.get(f"{service.url}/live?token=hush", headers={"X-Request-Id": "req-7"}, timeout=60)
    service.stop()
    text = (data.parent / "serve.log").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    (request,) = [line for line in lines if line["event"] == "request"]
    assert (request["path"], request["status"], request["request_id"]) == ("/live", 200, "req-7")
    assert "hush" not in text
    warned = {line["event"]: line["advice"] for line in lines if line["event"].startswith("settings.no_")}
    assert warned == {
        "settings.no_realm": "service.agent.tenant.emae.*: no realm is called emae",
        "settings.no_resolver": f"{resolved}: service.seams has no run_as; "
        "unless service.app passes one, tools run as their callers",
    }


def test_several_workers_answer_and_a_killed_one_is_replaced(serve: Any, light: dict[str, str]) -> None:
    service = serve("--workers", "2", env=light)
    victim, survivor = pids(service.url, 2)
    os.kill(victim, signal.SIGKILL)
    log = Path(service.facts["dataFolder"]).with_name("serve.log")
    wait_until(lambda: [line["pid"] for line in logged(log, "worker.died")] == [victim])
    now = pids(service.url, 2)
    assert survivor in now
    assert victim not in now
    assert service.stop() == 0


class Failing(Worker):
    """A worker that ended since it could not open the application."""

    exitcode, pid = STARTUP_FAILURE, 7

    def __init__(self) -> None:
        pass

    def is_alive(self, timeout: float = 5) -> bool:
        return False

    def kill(self) -> None:
        pass

    def join(self) -> None:
        pass


@pytest.mark.parametrize("is_stopping", [True, False])
def test_a_failure_to_start_is_none_once_a_signal_has_come(
    monkeypatch: pytest.MonkeyPatch, is_stopping: bool
) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_handler: None)
    workers = Workers(uvicorn.Config("light:create"), [])
    workers.processes = [Failing()]
    workers.signal_queue += [signal.SIGTERM] * is_stopping
    workers.keep_subprocess_alive()
    assert workers.should_exit.is_set() is not is_stopping


@pytest.mark.parametrize("is_stopping", [True, False])
def test_a_lone_server_that_does_not_start_once_a_signal_has_come(is_stopping: bool) -> None:
    class Server(uvicorn.Server):
        def run(self, sockets: Any = None) -> None:
            self.should_exit = is_stopping
            raise SystemExit(STARTUP_FAILURE)

    with socket.socket() as listener, nullcontext() if is_stopping else pytest.raises(CommandFailed):
        _run_alone(Server(uvicorn.Config("light:create")), listener)


def test_workers_that_cannot_create_the_application_end_the_service(
    serve: Any, light: dict[str, str]
) -> None:
    service = serve("--workers", "2", env=light | {"SERVICE_APP": "light:leave"})
    assert service.process.wait(timeout=60) == 1
    log = Path(service.facts["dataFolder"]).with_name("serve.log")
    assert "service.app light:leave cannot create the application: SystemExit: 7" in log.read_text()
    assert len(logged(log, "worker.failed")) == 1


def test_second_service_on_the_folder_is_refused_and_told_who_has_it(
    serve: Any, here: Any, elsewhere: dict[str, str]
) -> None:
    service = serve(env=elsewhere)
    second = here("serve", "--port", "0")
    assert (second.exit_code, second.stdout) == (3, "")
    holder = f"a service (process {service.process.pid}, {service.url})"
    assert second.stderr.startswith(f"error[service.running]: {holder} already uses the data folder")
    assert get(f"{service.url}/ready").status_code == 200


def test_taken_port_is_named(here: Any, data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = here("serve", "--port", str(port), env={"MONGODB_URL": "mongodb://db"})
    assert done.exit_code == 1
    assert "rename it to MONGODB_URI, or unset it" in done.stderr
    assert f"error[service.port]: cannot listen on 127.0.0.1 port {port}" in done.stderr
    assert "choose another with --host or --port" in done.stderr
    assert not Folder(data).is_served()


def test_host_that_is_not_an_address_is_named(here: Any, data: Path) -> None:
    done = here("serve", "--host", "nowhere.invalid")
    assert done.exit_code == 1
    assert "error[service.port]: cannot listen on nowhere.invalid port " in done.stderr
    assert ("choose another with --host" in done.stderr, "Unknown error" in done.stderr) == (True, False)
    assert not Folder(data).is_served()


def test_folder_that_cannot_be_written_is_named(here: Any, data: Path) -> None:
    data.touch()
    done = here("serve", "--port", "0")
    assert done.exit_code == 1
    assert "error[service.misconfigured]: the data folder" in done.stderr
    data.unlink()


def test_demo_users_get_their_passwords_once(serve: Any, here: Any, elsewhere: dict[str, str]) -> None:
    service = serve("--demo", env=elsewhere)
    users = service.facts["demoUsers"]
    assert [(user["userId"], user["tenantId"]) for user in users] == [
        ("admin@acme.example", "acme"),
        ("admin@globex.example", "globex"),
    ]
    assert all(re.fullmatch(r"[\w-]{16}", user["password"]) for user in users)
    assert users[0]["password"] != users[1]["password"]
    listed = json.loads(here("users", "list", "--json", env=elsewhere).stdout)
    assert [(user["orgRefName"], user["roles"]) for user in listed] == [("headquarters", ["admin"])] * 2
    service.stop()
    assert [user["password"] for user in serve("--demo", env=elsewhere).facts["demoUsers"]] == [None, None]


def test_no_demo_user_exists_before_the_password_is_shown(
    here: Any, elsewhere: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_call: Call) -> None:
        raise Misconfigured("the seed of Country cannot be planted")

    monkeypatch.setattr(demo, "plant", fail)
    done = here("serve", "--demo", "--port", "0", env=elsewhere)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "the seed of Country cannot be planted" in done.stderr
    assert json.loads(here("users", "list", "--json", env=elsewhere).stdout) == []


def test_commands_reach_the_store_of_a_running_service(serve: Any, here: Any, data: Path) -> None:
    service = serve()
    before = Folder(data).address()
    words = ("--user", "ann", "--tenant", "acme", "--roles", "user", "--password-stdin")
    assert here("users", "create", *words, stdin="correct horse battery").exit_code == 0
    assert Folder(data).address() == before
    assert get(f"{service.url}/ready").status_code == 200
    service.stop()
    assert not Folder(data).is_served()
    assert json.loads(here("users", "list", "--json").stdout)[0]["userId"] == "ann"
    assert not Folder(data).is_served()


def test_application_that_does_not_open_is_explained_before_anything_listens(here: Any, data: Path) -> None:
    env = {
        "AUTH_JWT_PRIVATEKEY_LOCATION": "/no/such/key.pem",
        "SERVICE_ENVIRONMENT": "production",
        "MONGODB_EMBEDDED_IN_PRODUCTION": "true",
    }
    done = here("serve", "--port", "0", env=env)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error[service.misconfigured]: no private key at /no/such/key.pem" in done.stderr
    assert not Folder(data).is_served()


def test_address_of_every_interface_is_not_the_issuer(here: Any) -> None:
    """``0.0.0.0`` is an address to listen on: in production the one that callers use has to be set."""
    env = {"MONGODB_URI": "mongodb://127.0.0.1:1/?replicaSet=none", "SERVICE_ENVIRONMENT": "production"}
    done = here("serve", "--host", "0.0.0.0", "--port", "0", env=env)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "service.base-url is not set" in done.stderr
    assert "set SERVICE_BASE_URL" in done.stderr


@pytest.mark.parametrize(
    ("host", "named", "is_everywhere"),
    [
        ("0.0.0.0", "127.0.0.1", True), ("", "127.0.0.1", True), ("0", "127.0.0.1", True), ("::", "[::1]", True),
        ("::0", "[::1]", True), ("127.0.0.1", "127.0.0.1", False), ("localhost", "localhost", False),
        ("::1", "[::1]", False),
    ],
)  # fmt: skip
def test_the_address_that_is_named_can_be_opened(host: str, named: str, is_everywhere: bool) -> None:
    if ":" in host and not has_ipv6():
        pytest.skip("this machine has no IPv6")
    with _open_listener(host, 0) as listener:
        port = listener.getsockname()[1]
        assert _find_url(host, listener) == (f"http://{named}:{port}", is_everywhere)
        for address in {named.strip("[]"), "127.0.0.1" if is_everywhere else named.strip("[]")}:
            socket.create_connection((address, port), timeout=5).close()


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def test_reload_runs_one_worker(here: Any) -> None:
    done = here("serve", "--reload", "--workers", "2")
    assert done.exit_code == 2
    assert "--reload runs one worker" in done.stderr
