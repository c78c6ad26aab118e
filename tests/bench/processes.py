"""Server processes: started apart from the terminal, waited for, measured, and always stopped."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 60.0
STOP_SECONDS = 15.0
PROC = Path("/proc")


class BenchFailed(Exception):
    """Something does not run as it must; the message says what."""


def free_port() -> int:
    """A port on loopback that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def running(
    name: str, command: Sequence[str], environment: Mapping[str, str], port: int, log: Path
) -> Iterator[int]:
    """The process id of a server, from when it listens until the block ends.

    It has a session of its own: Ctrl-C reaches this process alone, which then stops all of them.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        _await_listening(name, process, port, log)
        yield process.pid
    finally:
        _stop(process)


def _await_listening(name: str, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise BenchFailed(
        f"{name} does not start; the end of its log:\n{log.read_text('utf-8', 'replace')[-3000:]}"
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    """In good order if it can; whatever is left of its session is killed."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def cpu_seconds(pid: int) -> float | None:
    """User and system time of a process and all below it so far; None where the system does not tell."""
    if not PROC.exists():
        return None
    ticks = sum(_ticks(each) for each in _tree(pid))
    return ticks / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float | None:
    """Resident memory (MB) of the largest process of a tree: a worker."""
    if not PROC.exists():
        return None
    return max(_resident_kb(each) for each in _tree(pid)) / 1024


@contextmanager
def peak_growth_mb(pid: int) -> Iterator[list[float | None]]:
    """How much the largest process of a tree holds at its peak beyond what it held before the block (MB): the
    only item of the list, once the block has ended; None where the system does not tell."""
    growth: list[float | None] = [None]
    if not PROC.exists():
        yield growth
        return
    before = {each: _resident_kb(each) for each in _tree(pid)}
    for each in before:
        (PROC / str(each) / "clear_refs").write_text("5")  # the peak begins anew
    yield growth
    growth[0] = max(_resident_kb(each, "VmHWM:") - held for each, held in before.items()) / 1024


def _tree(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        for task in PROC.glob(f"{parent}/task/*/children"):
            found += [int(child) for child in task.read_text().split()]
    return found


def _ticks(pid: int) -> int:
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _resident_kb(pid: int, name: str = "VmRSS:") -> int:
    for line in (PROC / str(pid) / "status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return 0
