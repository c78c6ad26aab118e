"""The command line as processes that fork from one that has loaded the code.

Loading takes each start of ``recordsmith serve`` two seconds of CPU, which tests with dozens of services cannot
afford. A forked process has a pid, signals, exit code, output, environment, working directory and module search
path of its own, as one of ``subprocess`` has. Pass ``fresh`` where the start of Python itself is tested, and
``spawn`` where that of workers is.

The loader, one for each process of pytest, is single-threaded and opens nothing. For each start it forks a
watcher, which forks the command, waits for it and reports its exit code. Workers of the command fork from a server
that it forks before it does anything else; they get what workers that are spawned get.
"""

from __future__ import annotations

import atexit
import gc
import json
import multiprocessing
import os
import re
import runpy
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Collection
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from multiprocessing import context, forkserver, util
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[1]
LOADED = (
    *("generated.app", "runtime.cli.commands", "runtime.cli.serve", "runtime.cli.protocol"),
    *("uvicorn.loops.auto", "uvicorn.lifespan.on", "uvicorn.protocols.http.httptools_impl"),
)

_HAS_WORKERS = re.compile("--reload|--workers [2-9]")

FORKING = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
"""For functions as processes: their server has loaded what the ones of the tests need."""
FORKING.set_forkserver_preload(["runtime.storage.embedded", "runtime.tokens", "runtime.settings"])


class Forked:
    """A command that runs, with what tests use of ``subprocess.Popen``."""

    def __init__(self, report: int, stdout: int) -> None:
        self._report = os.fdopen(report, "r")
        self.stdout = os.fdopen(stdout, "r")
        self.pid = int(self._report.readline())
        self.returncode: int | None = None

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ended since
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process without warning."""
        self.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def poll(self) -> int | None:
        """Return the exit code, None while the process runs."""
        return self._await(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit code, which is negative after a signal."""
        code = self._await(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return code

    def _await(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._report], [], [], timeout)[0]:
            self.returncode = os.waitstatus_to_exitcode(int(self._report.readline()))
            self._report.close()
        return self.returncode


Process = subprocess.Popen[str] | Forked


def start_command(
    *words: str,
    env: dict[str, str],
    cwd: Path = ROOT,
    stderr: IO[bytes] | None = None,
    new_session: bool = False,
    fresh: bool = False,
    spawn: bool = False,
    module: str = "runtime.cli",
) -> Process:
    """Start ``recordsmith``, or another module, with ``words``; ``stdout`` of it is to be read, and closed.

    Its workers fork as well, unless they are to ``spawn``.
    """
    if fresh or sys.platform == "win32":
        return subprocess.Popen(
            [sys.executable, "-m", module, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=stderr, text=True, cwd=cwd, env=env, start_new_session=new_session,
        )  # fmt: skip
    asked, ask = os.pipe()
    reported, report = os.pipe()
    said, say = os.pipe()
    socket.send_fds(_loader(), [b"!"], [asked, say, stderr.fileno() if stderr else 2, report])
    for handle in (asked, report, say):
        os.close(handle)
    request = {
        "module": module, "words": words, "cwd": str(cwd), "env": dict(env), "newSession": new_session,
        "spawn": spawn,
    }  # fmt: skip
    with os.fdopen(ask, "w") as pipe:
        json.dump(request, pipe)
    return Forked(reported, said)


@cache
def _loader() -> socket.socket:
    """The socket on which the loader of this process takes requests; it ends when the socket closes."""
    ours, theirs = socket.socketpair()
    loader = subprocess.Popen(
        [sys.executable, "-m", "tests.forked", str(theirs.fileno())], pass_fds=[theirs.fileno()], cwd=ROOT
    )
    theirs.close()
    atexit.register(loader.wait)
    atexit.register(ours.close)  # first: what was registered last runs first
    return ours


def _load() -> None:
    """Load the code, then fork for each request until the tests are over."""
    for name in LOADED:
        import_module(name)
    import_module("runtime.outbound").default_trust()
    key_files = import_module("runtime.tokens.key_files")
    key_files.NEW_RSA_BITS = key_files.LEAST_RSA_BITS  # a third of the time to generate one
    pems = key_files.serialization  # the proof that a key is sound takes 28 ms
    pems.load_pem_private_key = partial(pems.load_pem_private_key, unsafe_skip_rsa_key_validation=True)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the watchers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests = socket.socket(fileno=int(sys.argv[1]))
    while True:
        _, handles, _, _ = socket.recv_fds(requests, 1, 4)
        if not handles:
            return
        if os.fork() == 0:
            break
        for handle in handles:
            os.close(handle)
    requests.close()
    _watch(*handles)


def _watch(asked: int, stdout: int, stderr: int, report: int) -> None:
    """Fork the command; in the process that stays, report its pid and how it ended."""
    with os.fdopen(asked) as pipe:
        request = json.load(pipe)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if (pid := os.fork()) == 0:
        os.close(report)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, handle in ((1, stdout), (2, stderr)):
            os.dup2(handle, number)
            os.close(handle)
        _run(request)
        return
    for handle in (1, stdout, stderr):
        os.close(handle)
    with os.fdopen(report, "w") as out:
        print(pid, file=out, flush=True)
        print(os.waitpid(pid, 0)[1], file=out)
    os._exit(0)


def _run(request: dict[str, Any]) -> None:
    """Become the command, as ``python -m`` of its module in its folder and environment."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if request["newSession"]:
        os.setsid()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.path[:0] = [request["cwd"], *request["env"].get("PYTHONPATH", "").split(os.pathsep)]
    sys.argv = ["recordsmith", *request["words"]]
    # The streams of the loader would take these handles for what its own were.
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - open as long as the process
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    if not request["spawn"] and _HAS_WORKERS.search(" ".join(request["words"])):
        _fork_workers()
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


def _fork_workers() -> None:
    """Start the server that processes of this one fork from, instead of being spawned."""
    spawn, util.spawnv_passfds = util.spawnv_passfds, _fork_and_run
    forkserver.ensure_running()
    util.spawnv_passfds = spawn
    context.SpawnProcess._Popen = staticmethod(context.ForkServerProcess._Popen)


def _fork_and_run(_path: str, words: list[str], handles: Collection[int]) -> int:
    """Fork a process that runs the code after ``-c``, with these handles and the standard streams alone."""
    if pid := os.fork():
        return pid
    for handle in {*map(int, os.listdir("/dev/fd"))} - {0, 1, 2, *handles}:
        with suppress(OSError):  # the one that lists them
            os.close(handle)
    try:
        exec(words[-1], {})
    finally:
        os._exit(0)


if __name__ == "__main__":
    _load()
