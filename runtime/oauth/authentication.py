"""Client authentication (RFC 6749 §2.3): by one method, and by the one that the client is registered for.

A client sends its secret by HTTP Basic or in the form, an assertion that its key signed (RFC 7523), or its id
alone if it is public. Without a registered method a confidential client may send its secret either way.
"""

from runtime.call import Call
from runtime.client import PRIVATE_KEY_JWT, Client
from runtime.errors import LoginFailed
from runtime.oauth.known_client import find_client
from runtime.oauth.presented import BASIC, NONE, POST, ClientForm, Presented, read_credentials
from runtime.oauth.refusals import OAuthRefused

_ENDPOINT = "/oauth/token"

_FAILED = "the client is unknown or disabled, or its secret is wrong or missing"


async def authenticate_client(
    call: Call, form: ClientForm, authorization: str | None, *, path: str = _ENDPOINT
) -> Client:
    """Return the client that sent the request to the endpoint at ``path``.

    Raises ``OAuthRefused`` and ``Throttled``.
    """
    presented = read_credentials(form, authorization)
    realm = form.realm or call.service.settings.default_realm
    if presented.method == PRIVATE_KEY_JWT:
        return await _check_assertion(call, realm, presented, path)
    client = await _find_client(call, realm, presented)
    if client is None:
        raise OAuthRefused("invalid_client", _FAILED)
    allowed = allowed_methods(client)
    if presented.method not in allowed:
        # An id alone proves nothing: it must not reveal that there is such a client.
        known = f"the client must authenticate by {' or '.join(allowed) or 'another method'}"
        raise OAuthRefused("invalid_client", known if presented.secrets else _FAILED)
    return client


def allowed_methods(client: Client) -> tuple[str, ...]:
    """Return the methods a client may authenticate by; none if what is registered contradicts itself."""
    if client.is_public:
        return (NONE,) if client.auth_method in (None, NONE) else ()
    if client.auth_method is None:
        return (BASIC, POST)
    return () if client.auth_method == NONE else (client.auth_method,)


async def _find_client(call: Call, realm: str, presented: Presented) -> Client | None:
    """Find the client that the credentials belong to. Raises ``Throttled``."""
    clients, client_id = call.service.clients, presented.client_id
    if presented.method == NONE:
        return await find_client(call, realm, client_id)
    remembered = await clients.find_remembered(realm, client_id, presented.secrets)
    if remembered is not None:
        return remembered
    async with call.turn.pause():  # in the queue of logins
        try:
            return await clients.authenticate(realm, client_id, presented.secrets, call.address)
        except LoginFailed:
            return None


async def _check_assertion(call: Call, realm: str, presented: Presented, path: str) -> Client:
    """Return the client that signed an assertion for this endpoint.

    Raises ``OAuthRefused`` and ``Throttled``.
    """
    service = call.service
    base = service.settings.base_url.rstrip("/")
    audiences = {service.tokens.issuer, base + _ENDPOINT, base + path}
    async with call.turn.pause():  # a failure is counted in the queue of logins
        try:
            return await service.clients.authenticate_by_assertion(
                realm, presented.client_id, presented.assertion, audiences, call.address
            )
        except LoginFailed as error:
            raise OAuthRefused("invalid_client", error.message) from None
