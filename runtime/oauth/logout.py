"""GET and POST /oauth/logout: applications sign users out (OpenID Connect RP-Initiated Logout 1.0).

Anybody can send a browser here, so the user is asked first. An ID token alone proves nothing either, since it
leaks as any URL does. What needs no question is a request with an ID token that came of the very sign-on
whose cookie the browser sends.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

from runtime.call import Call
from runtime.client import Client
from runtime.contract.forms import Parameters
from runtime.errors import Unauthenticated
from runtime.oauth.authorize.redirect_uris import RedirectTarget, find_logout_target
from runtime.oauth.authorize.responses import redirect_to
from runtime.oauth.browser import find_browsers, name_browser
from runtime.oauth.client_sessions import check_came_of
from runtime.oauth.known_client import find_client
from runtime.oauth.pages import logged_out_page, logout_page
from runtime.oauth.refusals import PageRefused
from runtime.oauth.sign_on import end_sign_on
from runtime.signed_on import SignedOn
from runtime.storage.wire import Json
from runtime.system.models.end_session_form import EndSessionForm
from runtime.system.models.end_session_request import EndSessionRequest
from runtime.tokens import IdTokenClaims, read_id_token_hint

LOGOUT_PURPOSE: Final = "logout"
LOGOUT_SECONDS: Final = 600
"""How long the page that asks the user is good."""

_NOBODY: Final = "-"
_UNKNOWN: Final = "The application is not known here, or it is disabled."


@dataclass(frozen=True, slots=True)
class Logout:
    """A request to sign out in which everything is in order.

    ``client`` is None where no application asks; ``target`` is where it wants the browser to go. ``realm`` is
    that of the client, without one that of the sign-on which the browser has.
    """

    realm: str
    client: Client | None = None
    target: RedirectTarget | None = None
    state: str | None = None
    hint: IdTokenClaims | None = None


async def answer_request(
    call: Call, body: Parameters[EndSessionRequest], *, cookie: str | None = None
) -> Json[None]:
    """Sign the user out, or ask them first. Raises ``PageRefused``."""
    logout = await _read_request(call, body, cookie)
    user = await call.service.sign_ons.find(logout.realm, cookie)
    if user is None and await call.service.sign_ons.find_dormant(logout.realm, cookie):
        return _ask(call, logout, None, cookie)
    if user is None:
        # The user has seen no page: a link here leads only where somebody vouches for (RFC 9700 §4.11.2).
        is_vouched = logout.client is None or logout.client.is_vouched
        return await _answer_stranger(call, logout if is_vouched else replace(logout, target=None), cookie)
    if await _check_proven(call, logout, user):
        return await _end(call, logout, user.subject, user.ref_name)
    return _ask(call, logout, user, cookie)


async def answer_post(
    call: Call, body: Parameters[EndSessionForm], *, cookie: str | None = None
) -> Json[None]:
    """Answer the form of the page, or a request that is sent as a form. Raises ``PageRefused``."""
    field = body.get("request")
    if field is None:
        return await _answer_sent_form(call, body, cookie)
    logout, sign_on = await _read_field(call, field, cookie, body)
    user = await call.service.sign_ons.find(logout.realm, cookie)
    dormant = None if user else await call.service.sign_ons.find_dormant(logout.realm, cookie)
    if body.get("decision") != "logout":
        return logged_out_page(call, is_signed_in=bool(user or dormant))
    if dormant is not None and sign_on in (dormant["refName"], _NOBODY):
        return await _end(call, logout, dormant["subject"], dormant["refName"])
    if user is None and dormant is None:
        return await _answer_stranger(call, logout, cookie)
    if user is None or sign_on not in (user.ref_name, _NOBODY):  # somebody else has signed in since
        return _ask(call, logout, user, cookie)
    return await _end(call, logout, user.subject, user.ref_name)


async def _answer_sent_form(call: Call, body: Parameters[EndSessionForm], cookie: str | None) -> Json[None]:
    """Answer a request that is sent as a form.

    Browsers send no cookie with the form of another site, so a form without one says nothing about whether
    somebody is signed in: the page asks, and its own form has the cookie.
    """
    asked = Parameters.read(EndSessionRequest, body.pairs)
    asked = replace(asked, repeated=body.repeated)
    logout = await _read_request(call, asked, cookie)
    user = await call.service.sign_ons.find(logout.realm, cookie)
    if user is not None and await _check_proven(call, logout, user):
        return await _end(call, logout, user.subject, user.ref_name)
    return _ask(call, logout, user, cookie)


async def _read_request(call: Call, asked: Parameters[EndSessionRequest], cookie: str | None) -> Logout:
    if asked.repeated:
        raise _build_refusal(f"The parameter {min(asked.repeated)[:80]} was sent more than once.")
    text, client_id, realm = (asked.get(name) for name in ("id_token_hint", "client_id", "realm"))
    hint = None if text is None else read_id_token_hint(call.service.tokens, text)
    if text is not None and hint is None:
        raise _build_refusal("The ID token is not one of this service.")
    if hint is not None and (client_id not in (None, hint.client_id) or realm not in (None, hint.realm)):
        raise _build_refusal("The ID token belongs to another application.")
    client_id = hint.client_id if hint else client_id
    realm = hint.realm if hint else realm
    own = _choose_realm(call, realm or call.service.settings.default_realm, client_id, cookie)
    client = await _find_client(call, own, client_id)
    target = _find_target(client, asked.get("post_logout_redirect_uri"))
    return Logout(own, client, target, asked.get("state"), hint)


def _choose_realm(call: Call, realm: str, client_id: str | None, cookie: str | None) -> str:
    """Return ``realm``, where the client is; without a client that of the sign-on which the browser has."""
    return realm if client_id else call.service.sign_ons.read_realm(cookie) or realm


async def _find_client(call: Call, realm: str, client_id: str | None) -> Client | None:
    if not client_id:
        return None
    client = await find_client(call, realm, client_id)
    if client is None:
        raise _build_refusal(_UNKNOWN)
    return client


def _find_target(client: Client | None, uri: str | None) -> RedirectTarget | None:
    if uri is None:
        return None
    if client is None:
        raise _build_refusal("An address to return to needs client_id or id_token_hint.")
    target = find_logout_target(client, uri)
    if target is None:
        raise _build_refusal("The application has not registered the address it wants to return to.")
    return target


async def _check_proven(call: Call, logout: Logout, user: SignedOn) -> bool:
    """Whether the request must be that of the user: its ID token came of their sign-on in this browser."""
    hint = logout.hint
    if hint is None or hint.session is None or (hint.subject, hint.realm) != (user.subject, user.realm):
        return False
    return await check_came_of(call.service, user, hint.client_id, hint.session)


def _ask(call: Call, logout: Logout, user: SignedOn | None, cookie: str | None) -> Json[None]:
    """Show the page that asks the user; its form is good in this browser, for this sign-on."""
    service = call.service
    browser = name_browser(cookie, is_https=service.settings.is_https)
    details = {
        "browser": browser.digest,
        "realm": logout.realm,
        "client": logout.client.client_id if logout.client else "",
        "uri": logout.target.uri if logout.target else "",
        "state": logout.state or "",
    }
    sign_on = user.ref_name if user else _NOBODY
    field = service.tokens.mint_purpose(LOGOUT_PURPOSE, sign_on, LOGOUT_SECONDS, details)
    return logout_page(
        call,
        client=logout.client,
        user_id=user.user_id if user else None,
        hidden_field=field,
        cookie=browser.cookie,
    )


async def _read_field(
    call: Call, field: str, cookie: str | None, body: Parameters[Any]
) -> tuple[Logout, str]:
    """Read the signed request of the page, and which sign-on it is about. Raises ``PageRefused``."""
    service = call.service
    browsers = find_browsers(cookie, is_https=service.settings.is_https)
    try:
        claims = service.tokens.verify_purpose(LOGOUT_PURPOSE, field)
    except Unauthenticated:
        raise _build_expired() from None
    says = claims.details
    if says["browser"] not in [one.digest for one in browsers] or body.repeated:
        raise _build_expired()
    realm = _choose_realm(call, says["realm"], says["client"], cookie)
    client = await _find_client(call, realm, says["client"])
    target = _find_target(client, says["uri"] or None)
    return Logout(realm, client, target, says["state"] or None), claims.subject


async def _end(call: Call, logout: Logout, subject: str, sign_on: str) -> Json[None]:
    client_id = logout.client.client_id if logout.client else None
    await end_sign_on(call.service, logout.realm, subject, sign_on, client_id)
    return _finish(call, logout, call.service.sign_ons.render_removal())


async def _answer_stranger(call: Call, logout: Logout, cookie: str | None) -> Json[None]:
    """Answer a browser without a sign-on in the realm of the logout.

    A sign-on in another realm goes on: a client ends those of its own realm, whose users alone sign in to it.
    """
    sign_ons = call.service.sign_ons
    realm = sign_ons.read_realm(cookie)
    if logout.target is None and realm not in (None, logout.realm):
        other = await sign_ons.find(realm, cookie) or await sign_ons.find_dormant(realm, cookie)
        return logged_out_page(call, is_signed_in=other is not None)
    return _finish(call, logout)


def _finish(call: Call, logout: Logout, cookie: str | None = None) -> Json[None]:
    """Send the browser to where the application wants it, or show that the user is signed out."""
    if logout.target is None:
        return logged_out_page(call, cookie=cookie)
    answer = redirect_to(logout.target, {} if logout.state is None else {"state": logout.state})
    return answer if cookie is None else replace(answer, headers={**answer.headers, "Set-Cookie": cookie})


def _build_refusal(text: str) -> PageRefused:
    return PageRefused("You were not signed out", f"{text} Go back to the application.")


def _build_expired() -> PageRefused:
    return PageRefused(
        "This page has expired", "Go back to the application and try again. Your browser must accept cookies."
    )
