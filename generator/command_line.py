"""What the commands of the generator share: options and styles of output."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Style(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


class DiffStyle(StrEnum):
    """How changes are printed."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    GITHUB = "github"


Specs = Annotated[Path, typer.Option("--specs", help="The folder of the specifications.")]


@contextmanager
def pause_collection() -> Iterator[None]:
    """Disable garbage collection, a fifth of the time: there are millions of objects and few cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def indent(text: str) -> str:
    """Indent the lines of a text."""
    return "\n".join(f"    {line}" for line in text.splitlines())
