"""Headers that depend on the caller: those of the seam, and its token where that may be forwarded."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from runtime.call import Call
from runtime.errors import Denied, Misconfigured, Unauthenticated
from runtime.mcp_client.options import ClientOptions, read_options
from runtime.settings import AGENT_TENANT, MCP_CLIENT, Settings


def check_forwarding(settings: Settings) -> None:
    """Raise ``Misconfigured`` where tools run as another user, and servers get the token of the caller."""
    forwarding = [one.name for one in read_options(settings.mcp_client).values() if one.forwards_token]
    lent = [
        realm for realm, group in settings.agent_tenants.items() if str(group.get("runAsUserId", "")).strip()
    ]
    if forwarding and lent:
        setting, cause = f"{MCP_CLIENT.prefix}{forwarding[0]}", f"{AGENT_TENANT.prefix}{lent[0]}"
        raise Misconfigured(
            f"{setting}.forward-token: in the realm {lent[0]} tools run as another user "
            f"({cause}.runAsUserId), whose token this service does not have; sign in as a service (oauth.*) "
            "or let the application supply headers (Seams.mcp_headers)"
        )


def depend_on_caller(options: ClientOptions, call: Call) -> bool:
    """Whether a caller needs a connection of its own."""
    return options.transport != "stdio" and (
        options.forwards_token or call.service.seams.mcp_headers is not None
    )


async def build_headers(options: ClientOptions, call: Call) -> Mapping[str, str]:
    """Build the headers of one caller. Raises ``Denied`` for a token that is not meant for the server."""
    supply = call.service.seams.mcp_headers
    headers = {} if supply is None else dict(await supply(options.name, call.principal, call.realm))
    if options.forwards_token:
        headers["Authorization"] = f"Bearer {_forward(options, call)}"
    return headers


def _forward(options: ClientOptions, call: Call) -> str:
    """Return the caller's token, if the server is among those that it is meant for.

    A token names its holder. For a user as whom the holder acts there is none: the server would let the one
    do what was meant for the other.
    """
    if call.token is None:
        raise Unauthenticated(f"the MCP server {options.name} needs the token of a caller")
    if call.principal.impersonator is not None:
        raise Denied(
            f"the MCP server {options.name} needs the token of the user as whom you act, which nobody has: "
            "call it as yourself"
        )
    audience = call.service.tokens.read_access(call.token).audience
    if not any(_is_below(options.url, one) for one in audience):
        raise Denied(f"the token is not meant for the MCP server {options.name}: it is not sent there")
    return call.token


def _is_below(url: str, audience: str) -> bool:
    """Whether a URL is the one of an audience, or below it: same scheme, host and port."""
    here, meant = urlsplit(url), urlsplit(audience)
    if (here.scheme, here.netloc.lower()) != (meant.scheme, meant.netloc.lower()) or not meant.netloc:
        return False
    path = meant.path.rstrip("/")
    return here.path == path or here.path.startswith(f"{path}/")
