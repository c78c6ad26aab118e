"""The metrics of several workers: their sum, whichever of them lives, on a port of their own."""

from __future__ import annotations

import os
import re
import signal
import socket
from pathlib import Path
from typing import Any

import httpx2

from tests.cli.asking import get, lives, loaded, logged, may_listen, pids
from tests.forked import start_command
from tests.patience import wait_until


def counted(address: str) -> float:
    """How often ``/live`` was asked."""
    found = re.search(
        r'^recordsmith_requests_total\{[^}]*route="/live"[^}]*\} (\S+)$', get(address).text, re.MULTILINE
    )
    return float(found[1]) if found else 0.0


def test_the_sum_outlives_workers_and_no_request_is_lost(
    serve: Any, data: Path, elsewhere: dict[str, str]
) -> None:
    port = free_port()
    token = "a token of sixteen or more"
    env = elsewhere | {"METRICS_PORT": str(port), "METRICS_TOKEN": token}
    service = serve(
        "--workers", "2", env=env, spawn=True
    )  # the library shares counts if it is loaded for that
    address = service.facts["metrics"]
    assert address == f"http://127.0.0.1:{port}/metrics"
    before = pids(service.url, 2)
    with loaded(f"{service.url}/live") as load:
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(logged(data.with_name("serve.log"), "worker.replaced")) == 2, 150)
        wait_until(lambda: not any(map(lives, before)), 150)
    assert load.lost == []
    wait_until(lambda: counted(address) >= load.asked)  # what is counted is passed on within a second
    assert counted(address) == load.asked
    assert "recordsmith_server_refusals_total{" not in get(address).text
    send_what_is_not_http(service.url)
    refused = 'recordsmith_server_refusals_total{code="request.malformed"} 1.0'
    wait_until(lambda: refused in get(address).text)
    assert counted(address) == load.asked
    own = httpx2.get(f"{service.url}/metrics", headers={"Authorization": f"Bearer {token}"}, timeout=60)
    assert "recordsmith_event_loop_lag_seconds_count" in own.text
    assert get(f"{service.url}/metrics").status_code == 404
    gauge = re.search(r"^recordsmith_admission_limit (\S+)$", get(address).text, re.MULTILINE)
    assert gauge is not None
    assert float(gauge[1]) <= 2 * 4, "of the workers that live alone"
    assert service.stop() == 0
    assert may_listen(port)


def test_a_port_that_is_taken_is_reported(data: Path, elsewhere: dict[str, str]) -> None:
    """As a process of its own: in this one all later metrics would be those of several workers."""
    words = ("serve", "--port", "0", "--json", "--data", str(data))
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        process = start_command(*words, env=os.environ | elsewhere | {"METRICS_PORT": taken})
        assert process.stdout is not None
        with process.stdout:
            said = process.stdout.read()
            assert process.wait(60) == 1
    assert "METRICS_HOST or METRICS_PORT" in said


def send_what_is_not_http(url: str) -> None:
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=30) as connection:
        connection.sendall(b"what is this\r\n\r\n")
        with connection.makefile("rb") as answer:
            assert b" 400 " in answer.readline()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_a_server_that_drains_says_so_and_serves(serve: Any, elsewhere: dict[str, str]) -> None:
    """For ten minutes, if nobody asked for the end twice."""
    service = serve(env=elsewhere | {"SERVICE_DRAIN_SECONDS": "600"})
    with httpx2.Client(base_url=service.url, timeout=30) as client:
        assert client.get("/ready").status_code == 200
        service.process.send_signal(signal.SIGTERM)
        wait_until(lambda: client.get("/ready").status_code == 503)
        assert client.get("/ready").json()["code"] == "service.not_ready"
        assert client.get("/live").status_code == 200
    assert get(f"{service.url}/live").status_code == 200, "who connects now is served as well"
    assert service.process.poll() is None
    assert service.stop(signal.SIGINT) == 0
