"""What a module of tests may not leave behind in its process, where others meet it in any order."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_OF_PYTEST = "PYTEST_CURRENT_TEST"
_OF_TIMEOUTS = getattr(signal, "SIGALRM", None)
"""How pytest-timeout ends a test."""


@dataclass(frozen=True)
class Surroundings:
    """The environment, the working directory and the signal handlers of this process."""

    environment: dict[str, str]
    folder: Path
    handlers: dict[int, Any]

    @classmethod
    def read(cls) -> Surroundings:
        """Read them as they are now."""
        environment = {name: value for name, value in os.environ.items() if name != _OF_PYTEST}
        numbers = signal.valid_signals() - {_OF_TIMEOUTS}
        handlers = {int(number): signal.getsignal(number) for number in numbers}
        return cls(environment, Path.cwd(), handlers)

    def list_changes(self, now: Surroundings) -> list[str]:
        """Name what differs, without values: an environment may hold secrets."""
        before, after = self.environment, now.environment
        names = {name for name in before | after if before.get(name) != after.get(name)}
        numbers = [number for number, handler in self.handlers.items() if now.handlers[number] != handler]
        return [
            *(f"the variable {name}" for name in sorted(names)),
            *(f"the handler of {signal.Signals(number).name}" for number in numbers),
            *(["the working directory"] if now.folder != self.folder else []),
        ]
