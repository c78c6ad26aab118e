"""``serve --reload``: a change in specs/ runs the generator; new code takes over from the old.

The code is that of the runtime, and of the packages in the current folder.

One worker answers. The next one and the next run of the generator are started ahead and wait with their
libraries loaded, since those take longer to load than the work itself. The old worker goes on until the
new one answers, and stays when it does not: neither a mistake in a specification nor one in the code
stops the service.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import typer
import uvicorn
from watchfiles import Change, DefaultFilter, watch
from watchfiles.main import FileChange

from runtime import cli
from runtime.cli.output import open_error_output
from runtime.cli.server import Server
from runtime.cli.starting import end_on_failure

_SPECS, _GENERATED, _TESTS = Path("specs"), Path("generated"), Path("tests")
_RUNTIME = Path(cli.__file__).parents[1]
_GENERATOR = """
import sys
from importlib import import_module
generator = import_module(sys.argv[1])
if sys.stdin.readline():
    generator.commands(["generate"])
"""
_GENERATOR_MODULE = "generator.__main__"

_spawn = get_context("spawn")


def serve_reloading(config: uvicorn.Config, listener: socket.socket) -> None:
    """Serve until SIGTERM or Ctrl-C, with the code as it is now."""
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: done.set())
    folders = _list_present((_SPECS, _RUNTIME, *_find_own_packages()))
    changes = _watch(folders, done)
    workers, generator = _Workers(config, listener), _Generator()
    try:
        next(changes, None)  # from here on it watches: what is changed after the first answer is seen
        workers.replace()
        workers.prepare()
        for change in changes:
            if change:
                _take_over({Path(path) for _kind, path in change}, workers, generator)
            elif not workers.answer() and not done.is_set():
                workers.replace()
                workers.prepare()
    finally:
        generator.end()
        workers.end()


def _watch(folders: list[Path], done: threading.Event) -> Iterator[set[FileChange]]:
    """Yield the changes of sources, and an empty set twice a second.

    A folder that was removed is watched again once it is back, as when a copy takes its place. Its changes
    come then: in between it cannot be generated from or loaded.
    """
    sources, held = _Sources(folders), set[FileChange]()
    while not done.is_set():
        present = _list_present(folders)
        for changes in watch(
            *present, watch_filter=sources, stop_event=done, debounce=200, step=50, rust_timeout=500,
            yield_on_timeout=True, raise_interrupt=False,
        ):  # fmt: skip
            held |= changes
            if any(path in sources.roots for _kind, path in changes) or _list_present(folders) != present:
                break
            absent = [folder for folder in folders if folder not in present]
            waiting = {one for one in held if any(_under(folder, [Path(one[1])]) for folder in absent)}
            yield held - waiting
            held = waiting


def _list_present(folders: Iterable[Path]) -> list[Path]:
    return [folder for folder in folders if folder.is_dir()]


def _take_over(paths: set[Path], workers: _Workers, generator: _Generator) -> None:
    names = sorted(os.path.relpath(path) for path in paths)
    open_error_output().print(f"changed: {', '.join(names[:3])}{' …' if len(names) > 3 else ''}")
    if _under(_RUNTIME, paths):
        workers.forget()
    if _under(_SPECS, paths) and not generator.run():
        typer.echo("the specifications have problems: the service goes on as it was", err=True)
    elif not workers.replace():
        typer.echo("the new code does not start: the service goes on as it was", err=True)
    workers.prepare()
    generator.prepare()


def _find_own_packages() -> set[Path]:
    """Find the packages of the application here; the generator writes one of them itself."""
    return {file.parent for file in Path().glob("*/__init__.py")} - {_GENERATED, _TESTS}


def _under(folder: Path, paths: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder.absolute()) for path in paths)


class _Workers:
    """The one that answers, and the one that waits for the next change."""

    def __init__(self, config: uvicorn.Config, listener: socket.socket) -> None:
        self._config = config
        self._listener = listener
        self._answering: _Worker | None = None
        self._waiting: _Worker | None = None

    def answer(self) -> bool:
        return self._answering is not None and self._answering.process.is_alive()

    def prepare(self) -> None:
        """Have one waiting; not while another loads the application, which needs the processor now."""
        if self._waiting is None:
            self._waiting = _Worker(self._config, self._listener)

    def forget(self) -> None:
        """Discard the waiting process, which has old libraries loaded."""
        if self._waiting is not None:
            self._waiting.end()
            self._waiting = None

    def replace(self) -> bool:
        """Let the waiting one load the application; whether it answers now, in place of the other."""
        new, self._waiting = self._waiting or _Worker(self._config, self._listener), None
        if not new.begin():
            new.end()
            return False
        if self._answering is not None:
            self._answering.end()
        self._answering = new
        return True

    def end(self) -> None:
        """End the process once requests in flight are finished."""
        self.forget()
        if self._answering is not None:
            self._answering.end()


class _Worker:
    """A process that starts serving on command."""

    def __init__(self, config: uvicorn.Config, listener: socket.socket) -> None:
        self._pipe, theirs = _spawn.Pipe()
        self.process = _spawn.Process(target=_serve_once_asked, args=(config, listener, theirs))
        self.process.start()
        theirs.close()

    def begin(self) -> bool:
        """Whether it answers now; False when it died of its code."""
        try:
            self._pipe.send(True)
            return bool(self._pipe.recv())
        except (EOFError, OSError):
            return False

    def end(self) -> None:
        self.process.terminate()
        self.process.join()
        self._pipe.close()


def _serve_once_asked(config: uvicorn.Config, listener: socket.socket, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group: the parent ends us
    try:
        pipe.recv()
    except EOFError:
        return  # the parent is gone
    config.configure_logging()  # of this process: no lines of its own for requests
    with end_on_failure():
        Server(config, partial(pipe.send, True), is_last=lambda: False).run(sockets=[listener])


class _Generator:
    """A run of the generator that waits to begin; the generator itself prints what it finds."""

    def __init__(self) -> None:
        self._waiting: subprocess.Popen[bytes] | None = None
        self.prepare()

    def prepare(self) -> None:
        if self._waiting is None:
            self._waiting = subprocess.Popen(
                [sys.executable, "-c", _GENERATOR, _GENERATOR_MODULE],
                stdin=subprocess.PIPE,
                stdout=sys.stderr,
                start_new_session=True,
            )

    def run(self) -> bool:
        """Whether generated/ now agrees with specs/."""
        self.prepare()
        return self._send_word(b"\n") == 0

    def end(self) -> None:
        self._send_word(b"")

    def _send_word(self, word: bytes) -> int | None:
        if (process := self._waiting) is None:
            return None
        self._waiting = None
        process.communicate(word)
        return process.returncode


class _Sources(DefaultFilter):
    """Python, YAML, grammars and the watched folders themselves; not what is written into specs/.schema."""

    def __init__(self, folders: Iterable[Path]) -> None:
        super().__init__()
        self.roots = {str(folder.absolute()) for folder in folders}

    def __call__(self, change: Change, path: str) -> bool:
        if path in self.roots:
            return change is Change.deleted
        return path.endswith((".py", ".yaml", ".yml", ".lark")) and super().__call__(change, path)
