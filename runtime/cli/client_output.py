"""What the commands on OAuth clients print, and the file of keys that they read."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import orjson
from rich.console import Console

from runtime.call import Service
from runtime.cli.opening import Local
from runtime.cli.output import CommandFailed, ExitCode
from runtime.model.mappings import without_nones
from runtime.oauth.client_secret import CreatedSecret
from runtime.system.documents import OauthClientDocument

_MOST_BYTES = 100_000


def read_keys(path: Path) -> Any:
    """Read a file with a JSON Web Key Set; what is in it is checked with the client."""
    try:
        with path.open("rb") as file:
            return orjson.loads(file.read(_MOST_BYTES))
    except (OSError, orjson.JSONDecodeError) as error:
        message = f"--jwks {path}: pass a file with a JSON Web Key Set, {{'keys': […]}} ({error})"
        raise CommandFailed("jwks.unreadable", message, ExitCode.USAGE) from None


def shown(client: OauthClientDocument) -> dict[str, Any]:
    """Return the members of a stored client that a command shows."""
    members = {
        "clientId": client["clientId"],
        "clientName": client.get("clientName"),
        "tenantId": (client.get("dataDomain") or {}).get("tenantId"),
        "active": client.get("active", True) is True,
        "allowedGrantTypes": client.get("allowedGrantTypes"),
        "redirectUris": client.get("redirectUris"),
        "postLogoutRedirectUris": client.get("postLogoutRedirectUris"),
        "allowedScopes": client.get("allowedScopes"),
        "allowedResources": client.get("allowedResources"),
        "publicClient": client.get("publicClient") or None,
        "applicationType": "native" if client.get("applicationType") == "native" else None,
        "tokenEndpointAuthMethod": client.get("tokenEndpointAuthMethod"),
        "requirePkce": client.get("requirePkce") or None,
        "requireConsent": client.get("requireConsent") or None,
        "secrets": sum(name in client for name in ("clientSecretHash", "previousSecretHash")),
    }
    return without_nones(members)


def report_secret(local: Local, created: CreatedSecret, done: str, advice: tuple[str, ...] = ()) -> None:
    """Report a client and its secret, on a line of its own, and then what to do with them."""

    def show(out: Console) -> None:
        if created.secret is None:
            out.print(done)
        else:
            out.print(f"{done}; its secret, shown this once:")
            out.print(created.secret)
        for line in advice:
            out.print(line)

    local.report(without_nones({**shown(created.client), "clientSecret": created.secret}), show)


def advise(service: Service, realm: str, client: OauthClientDocument) -> Iterator[str]:
    """Say what to enter where, line by line."""
    base = service.settings.base_url.rstrip("/")
    grants, client_id = client.get("allowedGrantTypes") or (), client["clientId"]
    parameter = "" if realm == service.settings.default_realm else f" -d realm={realm}"
    if "authorization_code" in grants:
        yield ""
        yield "Enter in the application, or in the settings of its OpenID Connect library:"
        yield f"  issuer         {service.settings.token_issuer}"
        yield f"  client id      {client_id}"
        yield f"  authenticates  {_describe_proof(client)}"
        for uri in client.get("redirectUris") or ():
            yield f"  redirect URI   {uri}"
        if parameter:
            yield f"  realm          {realm}, as the parameter realm of every request"
    if "client_credentials" in grants and "clientSecretHash" in client:
        yield ""
        yield "Get a token with it (curl asks for the secret):"
        user, form = shlex.quote(client_id), f"-d grant_type=client_credentials{parameter}"
        yield f"  curl --user {user} {base}/oauth/token {form}"


def _describe_proof(client: OauthClientDocument) -> str:
    if client.get("publicClient"):
        return "by PKCE (S256), without a secret: none"
    return client.get("tokenEndpointAuthMethod") or "by its secret: client_secret_basic or client_secret_post"


HEADINGS: Final = ("client", "name", "tenant", "kind", "grants", "secrets", "state")


def list_cells(row: dict[str, Any]) -> list[str]:
    """Return the cells of a client below ``HEADINGS``."""
    return [
        row["clientId"],
        row.get("clientName", ""),
        row.get("tenantId", ""),
        "public" if row.get("publicClient") else row.get("tokenEndpointAuthMethod", "secret"),
        ", ".join(row.get("allowedGrantTypes", ())),
        str(row["secrets"]),
        "" if row["active"] else "disabled",
    ]
