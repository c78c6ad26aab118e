"""An authorization request in the browser of a user: from the request to the next page, or to the code."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from runtime.call import Call
from runtime.logs import log
from runtime.oauth.authorize.consents import find_consent, is_beyond_writers, remembers_consent
from runtime.oauth.authorize.request import Asked, CheckedRequest
from runtime.oauth.authorize.responses import ReturnPath
from runtime.oauth.authorize.steps import Refusal, Situation, Step, choose_step, wanted
from runtime.oauth.browser import name_browser
from runtime.oauth.codes import Granted, issue_code
from runtime.oauth.pages import consent_page, login_page
from runtime.oauth.refusals import OAuthRefused
from runtime.oauth.signed_request import Journey, SignedRequest, sign_journey
from runtime.signed_on import SignedOn
from runtime.storage.wire import Json
from runtime.tokens import read_id_token_hint


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of a browser that is about an authorization request; ``cookie`` is its Cookie header."""

    call: Call
    cookie: str | None
    asked: Asked
    request: CheckedRequest
    path: ReturnPath

    async def find_user(self) -> SignedOn | None:
        """Return the user who is signed on in the browser."""
        return await self.call.service.sign_ons.find(self.request.client.realm, self.cookie)

    def sign(self, journey: Journey | None = None, cookie: str | None = None) -> SignedRequest:
        """Prepare the request for a page; ``cookie``: a Set-Cookie header that the page must have."""
        service, request = self.call.service, self.request
        browser = name_browser(self.cookie, is_https=service.settings.is_https)
        return SignedRequest(
            client=request.client,
            redirect_uri=request.target.uri,
            scope=request.scope,
            resources=request.resources,
            hidden_field=sign_journey(service.tokens, journey or Journey(self.asked.pairs), browser),
            cookie=cookie or browser.cookie,
            user_id=request.login_hint or "",
        )

    def refuse(self, error: str, description: str) -> Json[None]:
        """Report an error to the client."""
        client = self.request.client
        log.info(
            "oauth.refused", error=error, reason=description, client=client.client_id, realm=client.realm
        )
        return self.path.redirect_with_error(error, description)


async def take_next_step(
    visit: Visit,
    user: SignedOn | None,
    *,
    is_fresh: bool = False,
    has_decided: bool = False,
    cookie: str | None = None,
) -> Json[None]:
    """Answer with what comes next.

    ``is_fresh``: the user has entered a password for this request. ``has_decided``: they have granted what it
    asks for. ``cookie``: the Set-Cookie header of a sign-on that has just begun. Raises ``OAuthRefused``.
    """
    request = visit.request
    situation = Situation(
        now=visit.call.service.tokens.clock(),
        subject=user.subject if user else None,
        auth_time=user.auth_time if user else 0,
        is_fresh=is_fresh,
        expected=_read_hint(visit),
        consented=await _find_consented(visit, user),
        has_decided=has_decided,
        is_admitted=user is None or request.client.admits(user.place),
        is_beyond_tenant=user is not None and user.is_beyond_tenant,
        is_beyond_writers=user is not None and is_beyond_writers(request.client, user),
    )
    step = choose_step(request, situation)
    if isinstance(step, Refusal):
        answer = visit.refuse(step.error, step.description)
    elif user is None or step is Step.LOGIN:
        answer = login_page(visit.call, visit.sign())
    elif step is Step.CONSENT:
        journey = Journey(visit.asked.pairs, user.ref_name, is_fresh, tuple(sorted(wanted(request))))
        answer = consent_page(visit.call, visit.sign(journey, cookie), user_id=user.user_id)
    else:
        answer = visit.path.redirect_with_code(await _issue(visit, user))
    return answer if cookie is None else replace(answer, headers={**answer.headers, "Set-Cookie": cookie})


def _read_hint(visit: Visit) -> str | None:
    """Return the subject of the ID token hint. Raises ``OAuthRefused``."""
    hint, client = visit.request.hint, visit.request.client
    if hint is None:
        return None
    claims = read_id_token_hint(visit.call.service.tokens, hint)
    if claims is None or (claims.client_id, claims.realm) != (client.client_id, client.realm):
        raise OAuthRefused("invalid_request", "id_token_hint is not an ID token that the client got here")
    return claims.subject


async def _find_consented(visit: Visit, user: SignedOn | None) -> Mapping[str, frozenset[str]] | None:
    client = visit.request.client
    if user is None or not remembers_consent(client, user):
        return None
    return await find_consent(visit.call.service, client, user)


async def _issue(visit: Visit, user: SignedOn) -> str:
    request = visit.request
    granted = Granted(
        client=request.client,
        redirect_uri=request.target.uri,
        subject=user.subject,
        epoch=user.epoch,
        scope=request.scope,
        resources=request.resources,
        challenge=request.challenge,
        nonce=request.nonce,
        auth_time=user.auth_time,
        shows_auth_time=request.shows_auth_time,
        sign_on=user.ref_name,
        domain=user.domain,
    )
    code = await issue_code(visit.call.service, granted)
    log.info(
        "oauth.authorized",
        client=request.client.client_id, subject=user.subject, realm=user.realm,
        address=visit.call.address or None,
    )  # fmt: skip
    return code
