"""``recordsmith clients``: the OAuth clients of a realm, whether or not a service runs on the folder."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from runtime.call import Service
from runtime.cli.command import command_of
from runtime.cli.opening import Local
from runtime.cli.users import Realm, parse_roles, realm_of
from runtime.identity.users.users import NewUser
from runtime.model.mappings import without_nones
from runtime.oauth.management import (
    CreatedSecret,
    create_client,
    list_clients,
    remove_client,
    rotate_secret,
    set_active,
)
from runtime.system.documents import OauthClientDocument

clients = typer.Typer(help="Create and manage OAuth clients.", no_args_is_help=True)

Client = Annotated[str, typer.Option("--client", help="The client id.")]


@command_of(clients, "create")
def create(
    client: Client,
    tenant: Annotated[str, typer.Option("--tenant", help="The tenant whose records the client sees.")],
    roles: Annotated[str, typer.Option("--roles", help="Comma-separated roles: user, admin, system.")],
    org: Annotated[str | None, typer.Option("--org", help="Restrict the client to one organisation.")] = None,
    account: Annotated[
        str | None, typer.Option("--account", help="Restrict the client to one account.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="What people call the application.")] = None,
    resource: Annotated[
        list[str] | None,
        typer.Option("--resource", help="URI of another resource server its tokens may be for; repeatable."),
    ] = None,
    realm: Realm = None,
    *,
    local: Local,
) -> None:
    """Create a client that signs in with a secret (client_credentials), and show the secret, this once."""
    new = NewUser(
        user_id=client,
        password="",
        tenant_id=tenant,
        roles=parse_roles(roles),
        realm=realm,
        org_ref_name=org,
        account_id=account,
        description=name,
    )
    created = local.with_service(
        lambda service: create_client(service, new, name=name, resources=resource or ())
    )
    _report_secret(local, created, f"created client {client}")


@command_of(clients, "list")
def list_all(realm: Realm = None, *, local: Local) -> None:
    """List the clients of a realm; secrets are not stored."""
    found = local.with_service(lambda service: list_clients(service, realm_of(service, realm)))
    rows = [shown(client) for client in found]
    local.report(rows, lambda out: _table(out, rows))


@command_of(clients, "rotate-secret")
def rotate(
    client: Client,
    end_previous: Annotated[
        bool, typer.Option("--end-previous", help="End the previous secret at once, as after a leak.")
    ] = False,
    realm: Realm = None,
    *,
    local: Local,
) -> None:
    """Create another secret and show it, this once. The previous one is valid until the next rotation."""

    async def work(service: Service) -> CreatedSecret:
        return await rotate_secret(service, realm_of(service, realm), client, ends_previous=end_previous)

    _report_secret(local, local.with_service(work), f"created another secret of client {client}")


@command_of(clients, "disable")
def disable(client: Client, realm: Realm = None, *, local: Local) -> None:
    """Disable a client: it gets no tokens, and those it has are refused at once."""
    _set_active(client, realm, local, False)


@command_of(clients, "enable")
def enable(client: Client, realm: Realm = None, *, local: Local) -> None:
    """Enable a disabled client."""
    _set_active(client, realm, local, True)


@command_of(clients, "remove")
def remove(client: Client, realm: Realm = None, *, local: Local) -> None:
    """Remove a client and its credential. The client id is not given out again."""
    local.with_service(lambda service: remove_client(service, realm_of(service, realm), client))
    local.report({"clientId": client, "removed": True}, f"removed client {client}")


def shown(client: OauthClientDocument) -> dict[str, Any]:
    """Return the members of a stored client that a command shows."""
    members = {
        "clientId": client["clientId"],
        "clientName": client.get("clientName"),
        "tenantId": client["dataDomain"]["tenantId"],
        "active": client.get("active") is not False,
        "allowedGrantTypes": client.get("allowedGrantTypes"),
        "allowedResources": client.get("allowedResources"),
        "secrets": sum(name in client for name in ("clientSecretHash", "previousSecretHash")),
    }
    return without_nones(members)


def _set_active(client: str, realm: str | None, local: Local, active: bool) -> None:
    changed = local.with_service(
        lambda service: set_active(service, realm_of(service, realm), client, active)
    )
    local.report(shown(changed), f"{'enabled' if active else 'disabled'} client {client}")


def _report_secret(local: Local, created: CreatedSecret, done: str) -> None:
    def show(out: Console) -> None:
        out.print(f"{done}; its secret, shown this once:", markup=False)
        out.print(created.secret, markup=False)

    local.report({**shown(created.client), "clientSecret": created.secret}, show)


def _table(out: Console, rows: list[dict[str, Any]]) -> None:
    table = Table("client", "name", "tenant", "secrets", "state", box=None, pad_edge=False)
    for row in rows:
        state = "" if row["active"] else "disabled"
        table.add_row(row["clientId"], row.get("clientName", ""), row["tenantId"], str(row["secrets"]), state)
    out.print(table)
