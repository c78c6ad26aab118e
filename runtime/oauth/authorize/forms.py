"""The forms of the pages: a login, a new password, and the answer to whether a client may have access."""

from dataclasses import replace
from typing import Final

from runtime.contract.forms import Parameters
from runtime.errors import (
    LoginFailed,
    NotOffered,
    Overloaded,
    PasswordChangeRequired,
    ServiceError,
    Throttled,
    ValidationFailed,
)
from runtime.oauth.authorize.consents import remembers_consent, store_consent
from runtime.oauth.authorize.steps import wanted, wanted_resources, wanted_scopes
from runtime.oauth.authorize.visit import Visit, take_next_step
from runtime.oauth.pages import change_page, login_page
from runtime.oauth.signed_request import Journey
from runtime.storage.wire import Json
from runtime.system.documents import CredentialDocument
from runtime.system.models.authorization_form import AuthorizationForm

Form = Parameters[AuthorizationForm]

_WRONG: Final = "The user id or the password is wrong."
_INCOMPLETE: Final = "Enter your user id and your password."
_NOT_HERE: Final = "This account cannot sign in to applications."
_TOO_LATE: Final = "Sign in again to choose a new password."
_TOO_MANY: Final = "There were too many attempts. Try again later."
_BUSY: Final = "The service is busy. Try again in a moment."


async def answer_form(visit: Visit, journey: Journey, form: Form, browser: str) -> Json[None]:
    """Answer the form of a page; ``browser`` is what the browser calls itself. Raises ``OAuthRefused``."""
    if form.get("decision") is not None:
        return await _decide(visit, journey, form)
    if form.get("change_token") is not None:
        return await _change_password(visit, form, browser)
    return await _log_in(visit, form, browser)


async def _log_in(visit: Visit, form: Form, browser: str) -> Json[None]:
    user_id, password = form.get("username") or "", form.get("password") or ""
    if not user_id or not password:
        return login_page(visit.call, visit.sign(), fault=_INCOMPLETE, user_id=user_id)
    call, realm = visit.call, visit.request.client.realm
    try:
        async with call.turn.pause():  # logins have a queue of their own
            credential = await call.service.provider.authenticate(user_id, password, realm, call.address)
    except PasswordChangeRequired as error:
        token = str(error.details["changeToken"])
        return change_page(call, visit.sign(), user_id=user_id, change_token=token)
    except (LoginFailed, NotOffered, Throttled, Overloaded) as error:
        return _show_login(visit, user_id, error)
    return await _begin(visit, credential, browser)


async def _change_password(visit: Visit, form: Form, browser: str) -> Json[None]:
    call, realm = visit.call, visit.request.client.realm
    user_id, token = form.get("username") or "", form.get("change_token") or ""
    new = form.get("new_password") or ""
    try:
        async with call.turn.pause():
            credential = await call.service.provider.finish_change(token, new, realm, call.address)
    except ValidationFailed as error:
        fault = f"The new password {error.details['violations'][0]['message']}."
        return change_page(call, visit.sign(), user_id=user_id, change_token=token, fault=fault)
    except LoginFailed:
        return login_page(call, visit.sign(), fault=_TOO_LATE, user_id=user_id)
    return await _begin(visit, credential, browser)


async def _begin(visit: Visit, credential: CredentialDocument, browser: str) -> Json[None]:
    """Sign the user on, and continue."""
    sign_ons, realm = visit.call.service.sign_ons, visit.request.client.realm
    user, cookie = await sign_ons.begin(realm, credential, browser, visit.cookie)
    return await take_next_step(visit, user, is_fresh=True, cookie=cookie)


async def _decide(visit: Visit, journey: Journey, form: Form) -> Json[None]:
    """Continue after the user was asked, unless somebody else was, or about less than this."""
    if form.get("decision") != "allow":
        return visit.refuse("access_denied", "the user has refused")
    request, user = visit.request, await visit.find_user()
    is_same = user is not None and user.ref_name == journey.sign_on
    has_decided = is_same and wanted(request) <= {*journey.wanted}
    if user is not None and has_decided and remembers_consent(request.client, user):
        scopes, resources = wanted_scopes(request), wanted_resources(request)
        await store_consent(visit.call.service, request.client, user, scopes, resources)
    return await take_next_step(visit, user, is_fresh=is_same and journey.is_fresh, has_decided=has_decided)


def _show_login(visit: Visit, user_id: str, error: ServiceError) -> Json[None]:
    """Show the login page again, with the reason and when to try again."""
    fault = {NotOffered: _NOT_HERE, Throttled: _TOO_MANY, Overloaded: _BUSY}.get(type(error), _WRONG)
    status = error.status if isinstance(error, Throttled | Overloaded) else 200
    page = login_page(visit.call, visit.sign(), fault=fault, user_id=user_id, status=status)
    after = {name: value for name, value in error.headers.items() if name == "Retry-After"}
    return replace(page, headers={**page.headers, **after})
