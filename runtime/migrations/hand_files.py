"""The files of migrations that are written by hand: ``migrations/0007_split_name.py``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final

from runtime.errors import Misconfigured
from runtime.errors.raised import describe_raised

FOLDER: Final = Path("migrations")

Function = Callable[..., Awaitable[None]]
"""``forward(records)``, or ``forward(records, related)``."""


@dataclass(frozen=True)
class ByHand:
    """One file: its name, the record type it is about, what it does, and how that is undone."""

    name: str
    record: str
    forward: Function
    backward: Function | None = None


def read_folder() -> list[ByHand]:
    """Read the files of the folder, in the order of their names. Raises ``Misconfigured``."""
    return [_read_file(path) for path in sorted(FOLDER.glob("[0-9]*.py"))]


def _read_file(path: Path) -> ByHand:
    spec = spec_from_file_location(f"migrations_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise Misconfigured(f"{path} cannot be imported")
    module: Any = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        message = f"{path} cannot be imported: {describe_raised(error, path.stem)}"
        raise Misconfigured(message, cause=error) from error
    record, forward = getattr(module, "RECORD", None), getattr(module, "forward", None)
    backward = getattr(module, "backward", None)
    if not isinstance(record, str) or not callable(forward) or not (backward is None or callable(backward)):
        raise Misconfigured(f'{path}: write RECORD = "Customer" and async def forward(records)')
    return ByHand(path.stem, record, forward, backward)
