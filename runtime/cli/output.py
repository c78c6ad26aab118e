"""What a command says, and the code it ends with.

Results go to standard output: for people, or with ``--json`` one JSON value and nothing else. Failures
go to standard error as ``error[code]: message``, with ``--json`` as ``{"error": …}`` to standard output.
Progress, advice and logs go to standard error.
"""

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import IntEnum
from typing import Annotated, Any, Final

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from runtime.controls import escape_json, escape_text
from runtime.errors import Misconfigured, ServiceError, StoreUnavailable
from runtime.fast.timestamps import format_timestamp
from runtime.handler_loading import HandlerFailed
from runtime.masking import explain_unreachable
from runtime.seams import ExpressionFailed

_PIPE_WIDTH: Final = 10_000


class ExitCode(IntEnum):
    """The exit codes, the same for every command."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    IN_USE = 3
    UNREACHABLE = 4


class _SafeConsole(Console):
    def render_str(self, text: str, **more: Any) -> Text:
        return super().render_str(escape_text(text), **more)


class CommandFailed(Exception):
    """An error that ends a command and does not come from the service itself."""

    def __init__(self, code: str, message: str, exit_code: ExitCode = ExitCode.FAILED) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.exit_code = exit_code


Failure = ServiceError | CommandFailed | HandlerFailed | ExpressionFailed
"""What is said in a line, and not as a fault of the program."""

AsJson = Annotated[bool, typer.Option("--json", help="One JSON value on standard output.")]


def open_output() -> Console:
    """Open standard output, for people, at each call: tests and pipes swap the streams.

    A pipe has no width: a table cut to that of a terminal would lose data for the program that reads it.
    """
    console = _open_console()
    return console if console.is_terminal else _open_console(width=_PIPE_WIDTH)


def open_error_output() -> Console:
    """Open standard error: progress and advice."""
    return _open_console(stderr=True)


def _open_console(**more: Any) -> Console:
    """Open a console that prints text as it is: records may have brackets and colons in it.

    Control characters alone are shown as escapes, in tables too.
    """
    return _SafeConsole(markup=False, emoji=False, highlight=False, soft_wrap=True, **more)


def report(value: Any, as_json: bool, show: str | Callable[[Console], None]) -> None:
    """Print the result of a command, once. ``show``: it is a line for people, or prints it for them."""
    if as_json:
        options = orjson.OPT_INDENT_2 | orjson.OPT_PASSTHROUGH_DATETIME
        typer.echo(escape_json(orjson.dumps(value, default=show_value, option=options)).decode())
    elif isinstance(show, str):
        open_output().print(show)
    else:
        show(open_output())


def print_table(out: Console, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of cells below their headings."""
    table = Table(*headings, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    out.print(table)


def show_value(value: Any) -> str:
    """Return a value as text; timestamps as the routes write them, in UTC."""
    return format_timestamp(value) if isinstance(value, datetime) else str(value)


@contextmanager
def report_failures(as_json: bool) -> Iterator[None]:
    """Turn what is raised inside into a message and an exit code."""
    try:
        yield
    except (ServiceError, CommandFailed, HandlerFailed, ExpressionFailed) as error:
        print_failure(error, as_json)
        raise typer.Exit(_exit_code(error)) from None
    except typer.Abort:  # Ctrl-C at a prompt, which typer would end with 1
        raise KeyboardInterrupt from None


def print_failure(error: Failure, as_json: bool = False) -> None:
    """Print what ends a command or a worker; behind it where the module of a handler fails."""
    code = Misconfigured.code if isinstance(error, HandlerFailed | ExpressionFailed) else error.code
    message = _explain(error)
    if as_json:
        typer.echo(escape_json(orjson.dumps({"error": {"code": code, "message": message}})).decode())
    else:
        typer.echo(f"error[{code}]: {escape_text(message)}", err=True)
    if isinstance(error, HandlerFailed) and error.__cause__ is not None:
        typer.echo("".join(traceback.format_exception(error.__cause__)), err=True, nl=False)


def _explain(error: Failure) -> str:
    """Return the message, with notes and what the driver says of a store: an operator can look after it."""
    if isinstance(error, HandlerFailed | ExpressionFailed):
        return str(error)
    if notes := getattr(error, "__notes__", None):
        return f"{error.message} ({'; '.join(notes)})"
    if not isinstance(error, StoreUnavailable) or error.cause is None:
        return error.message
    said = explain_unreachable(str(error.cause))
    return error.message if said in error.message else f"{error.message} ({said})"


def _exit_code(error: Failure) -> ExitCode:
    if isinstance(error, CommandFailed):
        return error.exit_code
    return ExitCode.UNREACHABLE if isinstance(error, StoreUnavailable) else ExitCode.FAILED
