"""GET and POST /oauth/authorize: authorization requests, and the forms of the pages that they lead to."""

from collections.abc import Awaitable

from runtime.call import Call
from runtime.client import Client
from runtime.contract.forms import Parameters
from runtime.errors import ServiceError
from runtime.logs import log, log_unexpected
from runtime.oauth.authorize.forms import answer_form
from runtime.oauth.authorize.pushed import REQUEST_URI, store_request, take_pushed
from runtime.oauth.authorize.redirect_uris import RedirectTarget
from runtime.oauth.authorize.request import (
    Asked,
    check_request,
    find_offer,
    find_state,
    read_client_id,
    require_target,
)
from runtime.oauth.authorize.responses import ReturnPath, redirect_to_request
from runtime.oauth.authorize.visit import Visit, take_next_step
from runtime.oauth.browser import find_browsers
from runtime.oauth.known_client import find_client
from runtime.oauth.refusals import OAuthRefused, PageRefused
from runtime.oauth.signed_request import Journey, read_journey
from runtime.storage.wire import Json
from runtime.system.models.authorization_form import AuthorizationForm
from runtime.system.models.authorization_request import AuthorizationRequest
from runtime.tracebacks import drop_tracebacks


async def answer_request(
    call: Call, body: Parameters[AuthorizationRequest], *, cookie: str | None = None, is_sent: bool = False
) -> Json[None]:
    """Answer an authorization request with a page, or send the browser back to the client.

    ``is_sent``: as a form, with which browsers send no cookie when it is on a page of the application.

    Raises ``PageRefused`` where the client or its redirect URI are unknown.
    """
    client, target, asked = await _identify(call, body)
    path = _find_path(call, target, asked, client.is_vouched)

    async def work() -> Json[None]:
        visit = _open(call, cookie, client, asked, path)
        if is_sent and call.service.sign_ons.read_realm(cookie) is None:
            return await _ask_again(call, client, asked)
        return await take_next_step(visit, await visit.find_user())

    return await _report_to_client(path, client, work())


async def answer_post(
    call: Call,
    body: Parameters[AuthorizationForm],
    *,
    cookie: str | None = None,
    user_agent: str | None = None,
) -> Json[None]:
    """Answer the form of a page, or an authorization request that is sent as a form.

    Raises ``PageRefused`` also for the form of another browser, or one that has expired.
    """
    field = body.get("request")
    if field is None or body.get("client_id") is not None:
        return await answer_request(call, body.narrow(AuthorizationRequest), cookie=cookie, is_sent=True)
    journey = _read_journey(call, field, cookie, body)
    client, target, asked = await _identify(call, Parameters.read(AuthorizationRequest, journey.pairs))
    path = _find_path(call, target, asked)

    async def work() -> Json[None]:
        visit = _open(call, cookie, client, asked, path)
        return await answer_form(visit, journey, body, user_agent or "")

    return await _report_to_client(path, client, work())


async def _identify(call: Call, asked: Asked) -> tuple[Client, RedirectTarget, Asked]:
    """Find the client, where it wants an answer, and what it asks for. Raises ``PageRefused``."""
    realm = asked.get("realm") or call.service.settings.default_realm
    client = await find_client(call, realm, read_client_id(asked))
    if "request_uri" in asked.repeated:
        raise PageRefused("Unknown request", "The request has more than one request_uri.")
    request_uri = asked.get("request_uri")
    if client is not None and request_uri is not None and request_uri.startswith(REQUEST_URI):
        asked = await take_pushed(call.service, client, request_uri)
    return *require_target(client, asked), asked


def _find_path(call: Call, target: RedirectTarget, asked: Asked, reports_errors: bool = True) -> ReturnPath:
    return ReturnPath(target, find_state(asked), call.service.tokens.issuer, reports_errors)


async def _ask_again(call: Call, client: Client, asked: Asked) -> Json[None]:
    """Have the browser send the request by GET, which it sends its cookies with.

    Raises ``TooLarge`` and ``Throttled``.
    """
    await call.service.clients.count_pushed(call.address)
    request_uri = await store_request(call.service, client, asked)
    return redirect_to_request(call.service.settings, client, request_uri)


def _read_journey(call: Call, field: str, cookie: str | None, body: Parameters[AuthorizationForm]) -> Journey:
    browsers = find_browsers(cookie, is_https=call.service.settings.is_https)
    journey = read_journey(call.service.tokens, field, browsers)
    if journey is None or body.repeated:
        raise PageRefused(
            "This page has expired",
            "Go back to the application and start again. Your browser must accept cookies.",
        )
    return journey


def _open(call: Call, cookie: str | None, client: Client, asked: Asked, path: ReturnPath) -> Visit:
    request = check_request(client, path.target, asked, find_offer(call.service))
    return Visit(call, cookie, asked, request, path)


async def _report_to_client(path: ReturnPath, client: Client, work: Awaitable[Json[None]]) -> Json[None]:
    """Await the answer; send the browser back with the error where there is none."""
    try:
        return await work
    except PageRefused:
        raise
    except OAuthRefused as refused:
        error, description = refused.error, refused.description
    except ServiceError as fault:
        if fault.status < 500:
            raise
        log.error("fault", code=fault.code, message=fault.message, cause=repr(fault.cause))
        error = "temporarily_unavailable" if fault.status == 503 else "server_error"
        description = fault.title
        drop_tracebacks(fault)
    except Exception as fault:
        error = "server_error"
        description = log_unexpected(fault, path="/oauth/authorize").message
    log.info("oauth.refused", error=error, reason=description, client=client.client_id, realm=client.realm)
    return path.redirect_with_error(error, description)
