"""What the tests of key files share: settings of a folder, a caller, and a clock that begins with the tests."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from runtime.principal import DomainContext, Identity
from runtime.settings import Settings

ADA = Identity("Ada", "s", "main", frozenset({"user"}), DomainContext("acme", "main"))
NOW = int(time.time())


class Clock:
    """Seconds since 1970, as the test wants them."""

    def __init__(self) -> None:
        self.seconds: float = NOW

    def __call__(self) -> float:
        return self.seconds


def settings(folder: Path, **changes: Any) -> Settings:
    return Settings.read({}, **({"environment": "development", "data_folder": folder} | changes))
