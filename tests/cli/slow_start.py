"""The stand-in application, which takes as long to load as the environment says, or does not load while told so."""

from __future__ import annotations

import os
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from starlette.applications import Starlette


def __getattr__(name: str) -> Any:
    return getattr(import_module("stand_in"), name)


def create() -> Starlette:
    folder = Path(os.environ["SERVICE_DATA_FOLDER"])
    if (folder / "broken").exists():
        raise RuntimeError("broken as told")
    time.sleep(float((folder / "load_seconds").read_text()))
    made: Starlette = import_module("light").create()
    return made
