"""Which service a command calls, and who signs in there; where an import goes."""

import shlex
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

import typer

from runtime.cli.api import Api, SignIn
from runtime.cli.command_name import command_name
from runtime.cli.lock import running_service
from runtime.cli.opening import DataFolder, read_settings
from runtime.cli.output import AsJson, CommandFailed, ExitCode
from runtime.cli.users import FromInput, read_password

_USUAL = ("127.0.0.1", 8080)


@dataclass(frozen=True, slots=True)
class Caller:
    """The options of every command that calls a service. ``_nobody``: the code where they name no caller."""

    _nobody: ClassVar[str] = "command.sign_in"

    url: Annotated[
        str | None,
        typer.Option(
            help="Where the service is.", show_default="the one that runs on the data folder, else port 8080"
        ),
    ] = None
    data: DataFolder = None
    user: Annotated[str | None, typer.Option("--user", help="User id to sign in with.")] = None
    password_stdin: FromInput = False
    token: Annotated[
        str | None, typer.Option(envvar="RECORDSMITH_TOKEN", help="An access token, in place of --user.")
    ] = None
    realm: Annotated[str | None, typer.Option(help="Realm to sign in to and to act in.")] = None
    as_json: AsJson = False

    def open(self) -> Api:
        """Return the API of the service. Raises ``CommandFailed`` (usage) where nobody is named."""
        if self.url:
            _require_address(self.url)
        if self.realm == "":
            raise CommandFailed("realm.unknown", "the realm '' does not exist", ExitCode.USAGE)
        return Api(self.url or find_service(self.data), self._sign_in())

    def _sign_in(self) -> SignIn:
        if self.user is not None:
            return SignIn(self.user, read_password(self.password_stdin, is_new=False), None, self.realm)
        if self.token is None:
            raise CommandFailed(self._nobody, "sign in: pass --user, or --token", ExitCode.USAGE)
        return SignIn(token=self.token, realm=self.realm)


@dataclass(frozen=True, slots=True)
class Destination(Caller):
    """The options of every command of ``import``."""

    _nobody: ClassVar[str] = "import.sign_in"

    record_type: Annotated[str | None, typer.Option("--type", help="Record type, such as Airport.")] = None
    path: Annotated[
        str | None, typer.Option(help="In place of --type: its base path, such as /logistics/airports.")
    ] = None

    @property
    def words(self) -> str:
        """The options that name the same records, service and user in another command; never a token."""
        records = ("--path", self.path) if self.path else ("--type", self.record_type)
        where = (("--url", self.url), ("--data", self.data), ("--user", self.user), ("--realm", self.realm))
        named = [(option, str(value)) for option, value in (records, *where) if value is not None]
        return shlex.join(word for pair in named for word in pair)


def _require_address(url: str) -> None:
    """Raise ``CommandFailed`` (usage) for what is not the address of a service."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if is_address and "@" in parts.netloc:
        message = "--url has user information: remove what precedes @; --user and a token sign in"
        raise CommandFailed("command.url", message, ExitCode.USAGE)
    if not is_address:
        message = f"--url {url} is not the address of a service: write it as in http://127.0.0.1:8080"
        raise CommandFailed("command.url", message, ExitCode.USAGE)


def find_service(data: Path | None) -> str:
    """Return the address of the service of the data folder; the usual address where none runs.

    Raises ``CommandFailed`` where there is none either: nobody named it, so it is not waited for.
    """
    folder = read_settings(data).data_folder
    if running := running_service(folder):
        return running.url
    usual = "http://{}:{}".format(*_USUAL)
    try:
        socket.create_connection(_USUAL, timeout=1).close()
    except OSError:
        message = (
            f"no service runs on the data folder {folder}, and none at {usual}: start one with "
            f"`{command_name()} serve`, or name it with --data or --url"
        )
        raise CommandFailed("service.unreachable", message, ExitCode.UNREACHABLE) from None
    return usual
