"""What the commands of the generator share: options and styles of output."""

import atexit
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
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


Cached = Annotated[
    bool, typer.Option("--cache/--no-cache", help="Use what earlier runs found out (never where CI is set).")
]
Specs = Annotated[Path, typer.Option("--specs", help="The folder of the specifications.")]


_PLUGINS = "PYDANTIC_DISABLE_PLUGINS"
AGREEMENT = "specifications and generated code agree"


def report_agreement(style: Style) -> None:
    """Print that there is nothing to report."""
    if style is not Style.GITHUB:
        typer.echo("[]" if style is Style.JSON else AGREEMENT)


@contextmanager
def pause_collection() -> Iterator[None]:
    """Disable garbage collection, a fifth of the time: there are millions of objects and few cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():  # or what the caller has frozen would come back as well
                gc.freeze()  # and back: what is there counts as old, and is not looked at at once
                gc.unfreeze()
            gc.enable()
        atexit.register(gc.freeze)  # or Python would look for garbage in all of it once more as it ends


@contextmanager
def ignore_plugins() -> Iterator[None]:
    """Load no plugins of Pydantic: looking for them takes long, and one could change the output."""
    former = os.environ.get(_PLUGINS)
    os.environ[_PLUGINS] = "1"
    try:
        yield
    finally:
        del os.environ[_PLUGINS]
        if former is not None:
            os.environ[_PLUGINS] = former


def read_today() -> date:
    """Read the date, in UTC."""
    return datetime.now(UTC).date()


def indent(text: str) -> str:
    """Indent the lines of a text."""
    return "\n".join(f"    {line}" for line in text.splitlines())
