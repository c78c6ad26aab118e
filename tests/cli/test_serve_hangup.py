"""SIGHUP: new workers take over, one at a time, and no request is lost."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.asking import lives, loaded, logged, pids
from tests.patience import wait_until


@pytest.fixture
def slow(data: Path, elsewhere: dict[str, str]) -> dict[str, str]:
    """The environment of a service whose application loads as long as ``load_seconds`` says."""
    data.mkdir()
    (data / "load_seconds").write_text("0")
    return elsewhere | {"SERVICE_APP": "slow_start:create", "SERVICE_DATA_FOLDER": str(data)}


def test_hangup_replaces_the_workers_and_loses_no_request(
    serve: Any, data: Path, slow: dict[str, str]
) -> None:
    service = serve("--workers", "2", env=slow)
    log = data.with_name("serve.log")
    before = pids(service.url, 2)
    with loaded(f"{service.url}/slow?seconds=0.01") as load:
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(logged(log, "worker.replaced")) == 2)
        wait_until(lambda: not any(map(lives, before)))
        after = pids(service.url, 2)
    assert load.lost == []
    assert not after & before
    assert {entry["by"] for entry in logged(log, "worker.replaced")} == after

    (data / "broken").touch()
    service.process.send_signal(signal.SIGHUP)
    wait_until(lambda: bool(logged(log, "worker.not_replaced")))
    assert pids(service.url, 2) == after, "a worker whose replacement does not start goes on"
    assert service.stop() == 0


def test_worker_may_load_longer_than_a_hanging_one_may_be_silent(
    serve: Any, data: Path, slow: dict[str, str]
) -> None:
    service = serve("--workers", "2", env=slow)
    log = data.with_name("serve.log")
    before = pids(service.url, 2)
    (data / "load_seconds").write_text("5.5")
    service.process.send_signal(signal.SIGHUP)
    wait_until(lambda: bool(logged(log, "worker.replaced")))
    assert logged(log, "worker.replaced")[0]["pid"] in before
    assert service.stop() == 0, "while the second replacement is loading"
    assert not logged(log, "worker.not_replaced")
