"""SIGTERM ends open streams of events at once: a service does not wait for readers that never hang up."""

from __future__ import annotations

import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from threading import Barrier

import httpx2
import pytest

from tests.faults.service import ServiceProcess, served

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")

CHANGES = "/logistics/shipments/changes"
STREAMS = 6
GRACE_SECONDS = 5.0
"""Much less than a service waits for requests in progress, and than there is between two signs of life."""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_signal_ends_streams(mongo_uri: str, realm: str, tmp_path: Path, workers: int) -> None:
    with (
        served(mongo_uri, tmp_path, workers, SERVICE_DEFAULT_REALM=realm) as service,
        ThreadPoolExecutor(STREAMS) as pool,
    ):
        are_open = Barrier(STREAMS + 1, timeout=60)
        streams = [pool.submit(read_stream, service, are_open) for _ in range(STREAMS)]
        are_open.wait()
        assert not wait(streams, 0.2).done, "they stay open until the signal"
        process, began = service.process, time.monotonic()
        assert process is not None
        process.send_signal(signal.SIGTERM)
        bodies = [stream.result(timeout=60) for stream in streams]
        assert time.monotonic() - began < GRACE_SECONDS
        assert process.wait(timeout=60) == 0
        assert time.monotonic() - began < GRACE_SECONDS
        assert all(body.startswith("id: ") and body.endswith("\n\n") for body in bodies)


def read_stream(service: ServiceProcess, are_open: Barrier) -> str:
    """Read a stream to its end, which is one in good order: a cut would raise."""
    headers, body = {"Authorization": f"Bearer {service.token}"}, ""
    with httpx2.stream("GET", service.url + CHANGES, headers=headers, timeout=60) as answer:
        assert answer.status_code == 200
        for piece in answer.iter_text():
            if not body:
                are_open.wait()
            body += piece
    return body
