"""The authorization request: its parameters as they were sent → a checked request, or the reason against it.

Pure. The checks come in two steps: before the client and its redirect URI are known nothing may be sent to
anybody, so what is wrong with them is shown to the user; whatever else is wrong is reported to the client.
"""

import re
from dataclasses import dataclass
from typing import Final

from runtime.call import Service
from runtime.client import Client
from runtime.contract.forms import Parameters
from runtime.oauth.authorize.redirect_uris import RedirectTarget, find_target
from runtime.oauth.pkce import WELL_FORMED
from runtime.oauth.refusals import OAuthRefused, PageRefused
from runtime.oauth.resources import choose_resources
from runtime.oauth.scopes import find_known_scopes, grant_scopes
from runtime.system.models.authorization_request import AuthorizationRequest

Asked = Parameters[AuthorizationRequest]

PROMPTS: Final = ("none", "login", "consent", "select_account")

_SECONDS: Final = re.compile(r"[0-9]{1,10}")
_MOST_CHARACTERS: Final = 8192
_MOST_NONCE_CHARACTERS: Final = 1024
"""The ID token repeats it, and must be short enough to come back as a hint."""

_CONTROL: Final = re.compile(r"[\x00-\x1f]")  # six characters each in the JSON of a token

_UNSUPPORTED: Final = {
    "request": ("request_not_supported", "request objects are not supported: send the parameters themselves"),
    "request_uri": (
        "request_uri_not_supported",
        "request_uri is for requests that were pushed to /oauth/par",
    ),
    "registration": ("registration_not_supported", "clients do not register here by authorization requests"),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """What a request can ask for: the scopes of the service, and its own audiences."""

    scopes: tuple[str, ...]
    audiences: tuple[str, ...]


def find_offer(service: Service) -> Offer:
    """Return what requests can ask a service for."""
    return Offer(find_known_scopes(service), (service.tokens.audience, service.tokens.mcp_audience))


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """An authorization request in which everything is in order.

    ``max_age``: how many seconds ago the user may have entered a password at most. ``hint``: the ID token of
    the user whom the client expects, unread.
    """

    client: Client
    target: RedirectTarget
    scope: str
    resources: tuple[str, ...]
    challenge: str | None
    nonce: str | None
    prompts: frozenset[str]
    max_age: int | None
    login_hint: str | None
    hint: str | None

    @property
    def shows_auth_time(self) -> bool:
        """Whether the ID token must say when the user entered a password."""
        return self.max_age is not None or "login" in self.prompts


def read_client_id(asked: Asked) -> str:
    """Return the client id. Raises ``PageRefused``."""
    return _require_once(asked, "client_id", "Unknown application")


def require_target(client: Client | None, asked: Asked) -> tuple[Client, RedirectTarget]:
    """Return the client with the redirect URI of its request. Raises ``PageRefused``."""
    if client is None:
        raise PageRefused("Unknown application", "The application is not known here, or it is disabled.")
    uri = _require_once(asked, "redirect_uri", "Unknown address")
    target = find_target(client, uri)
    if target is None:
        raise PageRefused(
            "Unknown address", "The application has not registered the address it wants to return to."
        )
    return client, target


def find_state(asked: Asked) -> str | None:
    """Return what the client wants back with any answer, if it is clear what that is."""
    state = None if "state" in asked.repeated else asked.get("state")
    return state if state is None or len(state) <= _MOST_CHARACTERS else None


def check_request(client: Client, target: RedirectTarget, asked: Asked, offer: Offer) -> CheckedRequest:
    """Check all parameters. Raises ``OAuthRefused``, in the order in which a client would fix them."""
    _check_form(asked)
    _check_response(asked)
    if "authorization_code" not in client.grant_types:
        raise OAuthRefused("unauthorized_client", "the client may not use authorization_code")
    return CheckedRequest(
        client=client,
        target=target,
        challenge=_read_challenge(client, asked),
        scope=grant_scopes(client, asked.get("scope"), offer.scopes),
        resources=choose_resources(client, asked.get_all("resource"), offer.audiences),
        nonce=_read_nonce(asked),
        prompts=_read_prompts(asked),
        max_age=_read_max_age(asked),
        login_hint=asked.get("login_hint"),
        hint=asked.get("id_token_hint"),
    )


def _require_once(asked: Asked, name: str, title: str) -> str:
    if name in asked.repeated:
        raise PageRefused(title, f"The request has more than one {name}.")
    value = asked.get(name)
    if value is None:
        raise PageRefused(title, f"The request has no {name}.")
    return value


def _check_form(asked: Asked) -> None:
    """Refuse what no parameter may be."""
    if asked.repeated:
        raise OAuthRefused("invalid_request", f"{min(asked.repeated)[:80]} was sent more than once")
    for name, value in asked.pairs:
        if len(value) > _MOST_CHARACTERS:
            raise OAuthRefused("invalid_request", f"{name} is longer than {_MOST_CHARACTERS} characters")
    for name, (error, description) in _UNSUPPORTED.items():
        if asked.get(name) is not None:
            raise OAuthRefused(error, description)


def _check_response(asked: Asked) -> None:
    kind = asked.get("response_type")
    if kind is None:
        raise OAuthRefused("invalid_request", "response_type is missing: send code")
    if kind != "code":
        raise OAuthRefused("unsupported_response_type", "response_type must be code")
    if asked.get("response_mode") not in (None, "query"):
        raise OAuthRefused("invalid_request", "response_mode must be query")


def _read_challenge(client: Client, asked: Asked) -> str | None:
    """Return the PKCE challenge (RFC 7636 §4.3); ``plain``, the default method there, is not accepted."""
    challenge, method = asked.get("code_challenge"), asked.get("code_challenge_method")
    if challenge is None:
        if client.needs_pkce:
            raise OAuthRefused("invalid_request", "the client must use PKCE: send a code_challenge")
        if method is not None:
            raise OAuthRefused("invalid_request", "code_challenge_method came without a code_challenge")
        return None
    if method != "S256":
        raise OAuthRefused("invalid_request", "code_challenge_method must be S256")
    if not WELL_FORMED.fullmatch(challenge):
        raise OAuthRefused("invalid_request", "code_challenge must be 43 to 128 of A-Z a-z 0-9 - . _ ~")
    return challenge


def _read_nonce(asked: Asked) -> str | None:
    nonce = asked.get("nonce")
    if nonce is not None and len(nonce) > _MOST_NONCE_CHARACTERS:
        raise OAuthRefused("invalid_request", f"nonce is longer than {_MOST_NONCE_CHARACTERS} characters")
    if nonce is not None and _CONTROL.search(nonce):
        raise OAuthRefused("invalid_request", "nonce has control characters")
    return nonce


def _read_prompts(asked: Asked) -> frozenset[str]:
    prompts = frozenset((asked.get("prompt") or "").split())
    if not prompts <= {*PROMPTS}:
        raise OAuthRefused("invalid_request", f"prompt must be among: {', '.join(PROMPTS)}")
    if "none" in prompts and len(prompts) > 1:
        raise OAuthRefused("invalid_request", "prompt=none excludes all other values")
    return prompts


def _read_max_age(asked: Asked) -> int | None:
    max_age = asked.get("max_age")
    if max_age is None:
        return None
    if not _SECONDS.fullmatch(max_age):
        raise OAuthRefused("invalid_request", "max_age must be a number of seconds")
    return int(max_age)
