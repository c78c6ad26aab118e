"""``serve --reload``: a change in specs/ runs the generator; new code replaces the workers.

uvicorn's supervisor starts a worker with the new code before it ends the old one, and keeps the old one
when the new one does not come up: SIGHUP asks it to. So neither a mistake in a specification nor one in
the code stops the service.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from watchfiles import Change, DefaultFilter, watch

import runtime
from runtime.cli.output import CommandFailed, aside

SPECS = Path("specs")
_RUNTIME = Path(runtime.__file__).parent
_QUIET_MILLISECONDS = 100


@contextmanager
def reloading(wanted: bool) -> Iterator[None]:
    """Watch as long as the block lasts."""
    if not wanted:
        yield
        return
    if not hasattr(signal, "SIGHUP"):
        raise CommandFailed("reload.platform", "--reload needs a system with SIGHUP: start without it")
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(done,), name="reload", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(done: threading.Event) -> None:
    folders = [folder for folder in (SPECS, _RUNTIME) if folder.is_dir()]
    ours = _Sources()
    for changes in watch(
        *folders, watch_filter=ours, stop_event=done, debounce=_QUIET_MILLISECONDS * 4, step=50
    ):
        names = sorted({os.path.relpath(path) for _kind, path in changes})
        aside().print(f"changed: {', '.join(names[:3])}{' …' if len(names) > 3 else ''}", markup=False)
        specs = SPECS.absolute()
        if any(Path(path).is_relative_to(specs) for _kind, path in changes) and not _generate():
            continue
        os.kill(os.getpid(), signal.SIGHUP)


def _generate() -> bool:
    """Whether generated/ now agrees with specs/; the generator itself prints the problems."""
    done = subprocess.run([sys.executable, "-m", "generator", "generate"], stdout=sys.stderr, check=False)
    if done.returncode:
        typer.echo("the specifications have problems: the service goes on as it was", err=True)
    return done.returncode == 0


class _Sources(DefaultFilter):
    """Python and YAML; what the generator itself writes into specs/.schema is none of them."""

    def __call__(self, change: Change, path: str) -> bool:
        return path.endswith((".py", ".yaml", ".yml", ".lark")) and super().__call__(change, path)
