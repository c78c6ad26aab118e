"""The application of a command that is killed (SIGKILL) at the n-th call of a function: ``KILLED_AT=module:name:n``."""

from __future__ import annotations

import os
import signal
from importlib import import_module
from typing import Any

from generated import app

globals().update(vars(app))  # all that a command looks for in it


def _kill_at(module: str, name: str, number: str) -> None:
    holder: Any = import_module(module)
    *parents, last = name.split(".")
    for parent in parents:
        holder = getattr(holder, parent)
    function, calls = getattr(holder, last), 0

    def die(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == int(number):
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)

    setattr(holder, last, die)


_kill_at(*os.environ["KILLED_AT"].split(":"))
