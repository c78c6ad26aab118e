"""The code as syntax trees: each file is parsed once for all house tests of a process.

A parser's objects are all needed, and Python's garbage collector would look at them again and again: three
quarters of the time. So it is off while a file is parsed, and leaves the trees alone afterwards.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


def name_of(path: Path) -> str:
    """Return the path in the repository."""
    return path.relative_to(ROOT).as_posix()


@cache
def read_text(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text("utf-8")


@cache
def parse_all(*folders: str) -> Mapping[str, ast.Module]:
    """Return the tree of each module below these folders, by its path in the repository."""
    return {name_of(path): _parse(path) for one in folders for path in sorted((ROOT / one).rglob("*.py"))}


@cache
def _parse(path: Path) -> ast.Module:
    was_on = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(read_text(path))
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
