"""A CSV file to import: its bytes as they are sent, and the parameters that describe them.

The service reads the file. Here only its first line is looked at, which names the columns unless the
command line does.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from runtime.cli.content import Content
from runtime.cli.output import CommandFailed, ExitCode
from runtime.cli.rows import build_unreadable
from runtime.contract.charset import Charset
from runtime.errors import CsvProblem, InvalidParameter
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.csv.reader import read_first_row

_PIECE: Final = 64 * 1024
_OTHER_SEPARATORS: Final = {";": ";", "\t": "tab", "|": "|"}
"""What a header of one column most likely means, and how to say it."""

_OPTIONS: Final = {"fieldSeparator": "--separator", "quoteChar": "--quote", "charsetEncoding=": "--encoding "}
"""The options of the parameters that messages about a file name."""


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """The options of the command line about a file.

    Without ``columns`` and ``profile`` the header names the columns.
    """

    columns: Annotated[
        str | None,
        typer.Option(help="Comma-separated fields of the columns, in order.", show_default="the header"),
    ] = None
    no_header: Annotated[
        bool, typer.Option("--no-header", help="The first line is data; needs --columns.")
    ] = False
    profile: Annotated[str | None, typer.Option(help="The import profile that reads the file.")] = None
    separator: Annotated[str, typer.Option(help="Between cells; a character, or tab.")] = ","
    quote: Annotated[str, typer.Option(help="Around cells.")] = '"'
    encoding: Annotated[Charset, typer.Option(case_sensitive=False, help="The character set.")] = (
        Charset.UTF_8
    )
    restore_archived: Annotated[
        bool, typer.Option("--restore-archived", help="Rows restore the archived records that they name.")
    ] = False

    def require_sense(self) -> None:
        """Raise ``CommandFailed`` (usage) for options that contradict each other."""
        if self.profile is not None and (self.columns is not None or self.no_header):
            message = (
                "--profile names the columns and finds them in the header: omit --columns and --no-header"
            )
            raise CommandFailed("import.option", message, ExitCode.USAGE)
        if self.no_header and self.columns is None:
            message = "--no-header needs --columns, such as --columns refName,name"
            raise CommandFailed("import.option", message, ExitCode.USAGE)

    def dialect(self) -> Dialect:
        """Return the dialect. Raises ``CommandFailed`` (usage) for one that no file can be written in."""
        separator = "\t" if self.separator.lower() == "tab" else self.separator
        try:
            return Dialect(separator, self.quote, charset=self.encoding)
        except InvalidParameter as error:
            raise CommandFailed("import.dialect", name_options(error.message), ExitCode.USAGE) from error


@dataclass(frozen=True, slots=True)
class CsvSource:
    """``route``: where below a base path a session for it is opened, ``parameters``: the query there."""

    name: str
    route: str
    parameters: Mapping[str, str]
    content: Content


def describe_csv(path: Path, options: CsvOptions) -> CsvSource:
    """Describe a CSV file.

    Raises ``CommandFailed`` (usage) for a file that is missing or has no header, and faulty options.
    """
    options.require_sense()
    dialect = options.dialect()
    parameters = {
        "fieldSeparator": dialect.separator,
        "quoteChar": dialect.quote_char,
        "charsetEncoding": str(dialect.charset),
    }
    if options.restore_archived:
        parameters["restoreArchived"] = "true"
    content = Content("text/csv", _read_size(path), lambda: _read_pieces(path))
    if options.profile is not None:
        parameters["profileRefName"] = options.profile
        return CsvSource(path.name, "csv/session/profile", parameters, content)
    parameters["requestedColumns"] = options.columns or _read_columns(path, dialect)
    parameters["skipHeaderRow"] = "false" if options.no_header else "true"
    return CsvSource(path.name, "csv/session", parameters, content)


def name_options(message: str) -> str:
    """Return a message with the options of the command line in place of the parameters of the service."""
    for parameter, option in _OPTIONS.items():
        message = message.replace(parameter, option)
    return message


def _read_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise build_unreadable(path, error.strerror or str(error)) from error


def _read_pieces(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            while piece := stream.read(_PIECE):
                yield piece
    except OSError as error:
        raise build_unreadable(path, error.strerror or str(error)) from error


def _read_columns(path: Path, dialect: Dialect) -> str:
    """Return the names of the header as a comma-separated list."""
    try:
        names = read_first_row(dialect, _read_pieces(path))
    except CsvProblem as error:
        raise build_unreadable(path, name_options(error.message)) from error
    if not names:
        raise build_unreadable(path, "it is empty: write the columns in its first line, or pass --columns")
    if len(names) == 1:
        for character, word in _OTHER_SEPARATORS.items():
            if character in names[0]:
                hint = f'the columns look separated otherwise: pass --separator "{word}"'
                raise build_unreadable(path, f"its header is one column, {names[0][:80]!r}; {hint}")
    return ",".join(names)
