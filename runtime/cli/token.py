"""``recordsmith token``: service tokens of a realm, whether or not a service is running on the folder."""

import re
from datetime import UTC
from typing import Annotated, Any

import typer
from rich.console import Console

from runtime.call import Service
from runtime.cli.chosen_realm import InRealm
from runtime.cli.command import command_of
from runtime.cli.lock import running_service
from runtime.cli.output import CommandFailed, ExitCode, open_error_output, print_table
from runtime.cli.users import User
from runtime.identity.login.service_tokens import MadeToken, create_token, list_tokens, revoke_token
from runtime.model.mappings import without_nones
from runtime.settings import Settings
from runtime.system.documents import ServiceTokenDocument

token = typer.Typer(help="Create and revoke long-lived tokens for machines.", no_args_is_help=True)

_HEADINGS = ("id", "user", "until", "state", "description")
_SECONDS = {"m": 60, "h": 3600, "d": 86_400}
_TTL = re.compile(r"([1-9][0-9]{0,8})([mhd])")


@command_of(token, "create")
def create(
    user: User,
    ttl: Annotated[str, typer.Option("--ttl", help="Lifetime: a number and m, h or d, such as 30d.")],
    description: Annotated[str | None, typer.Option("--description", help="What it is for.")] = None,
    *,
    local: InRealm,
) -> None:
    """Create a token of a user and show it, this once.

    It acts as the user, with the rights the user has at each call. It ends when it expires, when it is
    revoked, and when all tokens of the user end: new password, other roles, disabled, removed, logged
    out everywhere.
    """
    seconds = seconds_of(ttl)

    async def work(service: Service, realm: str) -> tuple[MadeToken, Settings]:
        created = await create_token(service, realm, user, seconds, description)
        return created, service.settings

    created, settings = local.with_realm(work)
    facts = render_token(created.record)
    local.report(
        {**facts, "issuer": settings.token_issuer, "token": created.token},
        lambda out: _show_token(out, created.token, facts),
    )
    if advice := issuer_advice(settings):
        open_error_output().print(advice)


@command_of(token, "list")
def list_all(
    user: Annotated[str | None, typer.Option("--user", help="Only the tokens of this user.")] = None,
    *,
    local: InRealm,
) -> None:
    """List the tokens of a realm: id, user and expiry; the tokens themselves are not stored."""
    found = local.with_realm(lambda service, realm: list_tokens(service, realm, user))
    rows = [render_token(record) for record in found]
    local.report(rows, lambda out: print_table(out, _HEADINGS, map(_list_cells, rows)))


# The id of a token may begin with a dash.
@command_of(token, "revoke", context_settings={"ignore_unknown_options": True})
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the token, as listed.")],
    local: InRealm,
) -> None:
    """Revoke a token: running services refuse it at once, without change streams within seconds."""
    gone = local.with_realm(lambda service, realm: revoke_token(service, realm, token_id))
    local.report(render_token(gone), f"revoked token {token_id} of user {gone['userId']}")


def issuer_advice(settings: Settings) -> str | None:
    """Return what to check when the issuer of a new token may not be the one that the service accepts."""
    running = running_service(settings.data_folder)
    if running is not None and (running.issuer, running.base_url) != (
        settings.token_issuer,
        settings.base_url,
    ):
        return (
            f"the service at {running.url} refuses this token: it accepts the issuer {running.issuer} and "
            f"the audience {running.base_url}, not {settings.token_issuer} and {settings.base_url}"
        )
    if running is None and not settings.model_fields_set & {"issuer", "base_url"}:
        return (
            f"the issuer is {settings.token_issuer}; set service.base-url if the service has another address"
        )
    return None


def seconds_of(ttl: str) -> int:
    """Parse ``30d``, ``12h`` or ``45m`` into seconds. Raises ``CommandFailed``."""
    read = _TTL.fullmatch(ttl.strip())
    if read is None:
        message = f"--ttl {ttl}: write a number and m, h or d, such as 30d"
        raise CommandFailed("token.ttl", message, ExitCode.USAGE)
    return int(read[1]) * _SECONDS[read[2]]


def render_token(record: ServiceTokenDocument) -> dict[str, Any]:
    """Return the members of a stored token that a command shows."""
    members = {
        "id": record["refName"],
        "userId": record["userId"],
        "description": record.get("description"),
        "expiresAt": record["expiresAt"].replace(tzinfo=UTC).isoformat(timespec="seconds"),
        "revoked": record["revoked"],
    }
    return without_nones(members)


def _show_token(out: Console, text: str, facts: dict[str, Any]) -> None:
    out.print(
        f"created token {facts['id']} (user {facts['userId']}, until {facts['expiresAt']}); shown this once:"
    )
    out.print(text)


def _list_cells(row: dict[str, Any]) -> list[str]:
    state = "revoked" if row["revoked"] else ""
    return [row["id"], row["userId"], row["expiresAt"], state, row.get("description", "")]
