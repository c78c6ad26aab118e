"""``recordsmith users``: the credentials of a realm, whether or not a service is running on the folder."""

import sys
from typing import Annotated, Any

import typer

from runtime.call import Service
from runtime.cli.chosen_realm import InRealm
from runtime.cli.command import command_of
from runtime.cli.output import CommandFailed, ExitCode, print_table
from runtime.cli.places import find_place, require_tenant
from runtime.identity.users.users import NewUser, create_user, disable_user, list_users, set_password
from runtime.model.mappings import without_nones
from runtime.system.documents import CredentialDocument

users = typer.Typer(help="Create and manage users.", no_args_is_help=True)

_HEADINGS = ("user", "tenant", "organisation", "roles", "state")

User = Annotated[str, typer.Option("--user", help="The user id.")]
Roles = Annotated[
    str,
    typer.Option(
        "--roles", help="Comma-separated roles: user, admin, system, and those that service.yaml declares."
    ),
]
FromInput = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from the first line of standard input.")
]
ForceChange = Annotated[
    bool, typer.Option("--force-change", help="The user must choose another password at the first login.")
]


@command_of(users, "create")
def create(
    user: User,
    tenant: Annotated[str, typer.Option("--tenant", help="The tenant whose records the user sees.")],
    roles: Roles,
    org: Annotated[str | None, typer.Option("--org", help="Restrict the user to one organisation.")] = None,
    account: Annotated[
        str | None, typer.Option("--account", help="Restrict the user to one account.")
    ] = None,
    email: Annotated[str | None, typer.Option("--email", help="Contact address.")] = None,
    force_change: ForceChange = False,
    password_stdin: FromInput = False,
    *,
    local: InRealm,
) -> None:
    """Create a user. The password is read from standard input or prompted for."""
    new = NewUser(
        user_id=user,
        password=read_password(password_stdin),
        tenant_id=tenant,
        roles=parse_roles(roles),
        realm=local.realm,
        org_ref_name=org,
        account_id=account,
        email=email,
        force_change_password=force_change,
    )
    created = render_user(local.with_realm(lambda service, _realm: create_user(service, new)))
    local.report(created, f"created user {user} ({_describe_place(created)})")


@command_of(users, "list")
def list_all(
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only the users of this tenant.")] = None,
    *,
    local: InRealm,
) -> None:
    """List the users of a realm."""

    async def list_or_refuse(service: Service, realm: str) -> list[CredentialDocument]:
        found = await list_users(service, realm, tenant)
        if tenant is not None and not found:
            await require_tenant(service, tenant, [await find_place(service, realm, tenant)])
        return found

    rows = [render_user(user) for user in local.with_realm(list_or_refuse)]
    local.report(rows, lambda out: print_table(out, _HEADINGS, map(_list_cells, rows)))


@command_of(users, "disable")
def disable(user: User, local: InRealm) -> None:
    """Disable a user: they cannot log in, and their tokens are refused at once."""
    _set_disabled(user, local, disabled=True)


@command_of(users, "enable")
def enable(user: User, local: InRealm) -> None:
    """Enable a disabled user."""
    _set_disabled(user, local, disabled=False)


@command_of(users, "set-password")
def change_password(
    user: User,
    force_change: ForceChange = False,
    password_stdin: FromInput = False,
    *,
    local: InRealm,
) -> None:
    """Set a new password. All tokens of the user stop working."""
    password = read_password(password_stdin)
    local.with_realm(lambda service, realm: set_password(service, realm, user, password, force_change))
    done = {"userId": user, "passwordSet": True, "forceChangePassword": force_change}
    local.report(done, f"changed the password of user {user}")


def read_password(from_input: bool, *, is_new: bool = True) -> str:
    """Read a password from the first line of standard input, or prompt without an echo; twice if new."""
    if not from_input:
        if not sys.stdin.isatty():
            raise _password_missing("no terminal to prompt on: pipe the password and add --password-stdin")
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=is_new))
    line = sys.stdin.readline()
    if not (password := line.removesuffix("\n").removesuffix("\r")):
        raise _password_missing("standard input is empty: pipe the password to --password-stdin")
    return password


def _password_missing(message: str) -> CommandFailed:
    return CommandFailed("password.missing", message, ExitCode.USAGE)


def parse_roles(text: str) -> frozenset[str]:
    """Parse a comma-separated list of roles."""
    return frozenset(role.strip() for role in text.split(",") if role.strip())


def render_user(user: CredentialDocument) -> dict[str, Any]:
    """Return the members of a stored credential that a command shows."""
    where = user["domainContext"]
    members = {
        "userId": user["userId"],
        "realm": where.get("defaultRealm"),
        "tenantId": where.get("tenantId"),
        "orgRefName": where.get("orgRefName"),
        "accountId": where.get("accountId"),
        "roles": list(user["roles"]),
        "disabled": bool(user.get("disabled")),
        "forceChangePassword": bool(user.get("forceChangePassword")),
    }
    return without_nones(members)


def _set_disabled(user: str, local: InRealm, *, disabled: bool) -> None:
    local.with_realm(lambda service, realm: disable_user(service, realm, user, disabled))
    word = "disabled" if disabled else "enabled"
    local.report({"userId": user, "disabled": disabled}, f"{word} user {user}")


def _describe_place(user: dict[str, Any]) -> str:
    state = ", disabled" if user["disabled"] else ""
    return f"tenant {user['tenantId']}, realm {user['realm']}{state}"


def _list_cells(row: dict[str, Any]) -> list[str]:
    state = "disabled" if row["disabled"] else "must change password" if row["forceChangePassword"] else ""
    return [row["userId"], row["tenantId"], row.get("orgRefName", ""), ", ".join(row["roles"]), state]
