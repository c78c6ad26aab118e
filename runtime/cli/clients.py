"""``recordsmith clients``: the OAuth clients of a realm, whether or not a service runs on the folder."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, cast

import typer

from runtime.call import Service
from runtime.cli.chosen_realm import InRealm
from runtime.cli.client_output import HEADINGS, advise, list_cells, read_keys, report_secret, shown
from runtime.cli.command import command_of
from runtime.cli.output import print_table
from runtime.cli.users import parse_roles
from runtime.identity.users.users import NewUser
from runtime.oauth.client_secret import CreatedSecret
from runtime.oauth.management import (
    create_client,
    list_clients,
    remove_client,
    rotate_secret,
    set_active,
)
from runtime.system.documents import OauthClientDocument

clients = typer.Typer(help="Create and manage OAuth clients.", no_args_is_help=True)

AuthMethod: TypeAlias = Literal["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]

_USUAL_GRANTS = "client_credentials; with redirect URIs authorization_code and refresh_token"

Client = Annotated[str, typer.Option("--client", help="The client id.")]


@command_of(clients, "create")
def create(
    client: Client,
    tenant: Annotated[str, typer.Option("--tenant", help="The tenant that the client belongs to.")],
    roles: Annotated[
        str, typer.Option("--roles", help="Of client_credentials, comma-separated: user, admin, system.")
    ] = "",
    org: Annotated[str | None, typer.Option("--org", help="Restrict the client to one organisation.")] = None,
    account: Annotated[
        str | None, typer.Option("--account", help="Restrict the client to one account.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="What people call the application.")] = None,
    grant: Annotated[
        list[str] | None,
        typer.Option("--grant", help="Grant type it may use; repeatable.", show_default=_USUAL_GRANTS),
    ] = None,
    redirect_uri: Annotated[
        list[str] | None,
        typer.Option("--redirect-uri", help="Where a browser returns to after a sign-in; repeatable."),
    ] = None,
    logout_uri: Annotated[
        list[str] | None,
        typer.Option("--logout-uri", help="Where a browser returns to after a logout; repeatable."),
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope", help="Scopes it may request, blank-separated; repeatable.", show_default="any"
        ),
    ] = None,
    resource: Annotated[
        list[str] | None,
        typer.Option("--resource", help="URI of another resource server its tokens may be for; repeatable."),
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="It cannot keep a secret: a page, an app, a command line.")
    ] = False,
    native: Annotated[
        bool, typer.Option("--native", help="It runs on the device of its user: any port on loopback.")
    ] = False,
    auth_method: Annotated[
        AuthMethod | None,
        typer.Option(
            "--auth-method", help="How it must authenticate.", show_default="by its secret, either way"
        ),
    ] = None,
    jwks: Annotated[
        Path | None,
        typer.Option("--jwks", help="File with its public keys (JWKS); implies private_key_jwt."),
    ] = None,
    consent: Annotated[bool, typer.Option("--consent", help="Ask users before it gets access.")] = False,
    all_tenants: Annotated[
        bool, typer.Option("--all-tenants", help="Users of all tenants may sign in to it, not only its own.")
    ] = False,
    pkce: Annotated[bool, typer.Option("--pkce", help="Refuse sign-ins without PKCE.")] = False,
    *,
    local: InRealm,
) -> None:
    """Create a client, and show its secret, this once.

    Without redirect URIs it gets tokens for itself (client_credentials), with the rights of its roles.
    """
    new = NewUser(
        user_id=client,
        password="",
        tenant_id=tenant,
        roles=parse_roles(roles),
        realm=local.realm,
        org_ref_name=org,
        account_id=account,
        description=name,
    )
    keys = None if jwks is None else read_keys(jwks)
    fields: OauthClientDocument = {
        "publicClient": public,
        "applicationType": "native" if native else "web",
        "requireConsent": consent,
        "requirePkce": pkce,
    }
    method = auth_method or ("private_key_jwt" if keys is not None else None)
    optional = {
        "allowedGrantTypes": grant or _choose_grants(redirect_uri),
        "redirectUris": redirect_uri,
        "postLogoutRedirectUris": logout_uri,
        "allowedScopes": " ".join(scope or ()).split(),
        "allowedResources": resource,
        "tokenEndpointAuthMethod": method,
        "jwks": keys,
        "allTenants": all_tenants,
    }
    fields |= cast(OauthClientDocument, {member: value for member, value in optional.items() if value})
    created, advice = local.with_realm(partial(_create, new, name, fields))
    report_secret(local, created, f"created client {client}", advice)


@command_of(clients, "list")
def list_all(local: InRealm) -> None:
    """List the clients of a realm; secrets are not stored."""
    found = local.with_realm(list_clients)
    rows = [shown(client) for client in found]
    local.report(rows, lambda out: print_table(out, HEADINGS, map(list_cells, rows)))


@command_of(clients, "rotate-secret")
def rotate(
    client: Client,
    end_previous: Annotated[
        bool, typer.Option("--end-previous", help="End the previous secret at once, as after a leak.")
    ] = False,
    *,
    local: InRealm,
) -> None:
    """Create another secret and show it, this once. The previous one is valid until the next rotation."""

    created = local.with_realm(
        lambda service, realm: rotate_secret(service, realm, client, ends_previous=end_previous)
    )
    report_secret(local, created, f"created another secret of client {client}")


@command_of(clients, "disable")
def disable(client: Client, local: InRealm) -> None:
    """Disable a client: it gets no tokens, and those it has are refused at once."""
    _set_active(client, local, False)


@command_of(clients, "enable")
def enable(client: Client, local: InRealm) -> None:
    """Enable a disabled client."""
    _set_active(client, local, True)


@command_of(clients, "remove")
def remove(client: Client, local: InRealm) -> None:
    """Remove a client and its credential. With a credential, the client id is not given out again."""
    local.with_realm(lambda service, realm: remove_client(service, realm, client))
    local.report({"clientId": client, "removed": True}, f"removed client {client}")


def _set_active(client: str, local: InRealm, active: bool) -> None:
    changed = local.with_realm(lambda service, realm: set_active(service, realm, client, active))
    local.report(shown(changed), f"{'enabled' if active else 'disabled'} client {client}")


async def _create(
    new: NewUser, name: str | None, fields: OauthClientDocument, service: Service, realm: str
) -> tuple[CreatedSecret, tuple[str, ...]]:
    created = await create_client(service, new, name=name, fields=fields)
    return created, tuple(advise(service, realm, created.client))


def _choose_grants(redirect_uris: list[str] | None) -> list[str]:
    return ["authorization_code", "refresh_token"] if redirect_uris else ["client_credentials"]
