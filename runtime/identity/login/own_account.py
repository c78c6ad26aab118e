"""What every signed-in user may do with their own account: change the password, log out.

It is refused while acting as another user: it would change the target's account.
"""

from runtime.call import Call
from runtime.contract.headers import read_bearer
from runtime.errors import Denied, Unauthenticated, ValidationFailed
from runtime.identity.login.routes import logged_in_answer
from runtime.system.answers import LoginAnswerBody
from runtime.system.models.logout_request import LogoutRequest
from runtime.system.models.password_change import PasswordChange


async def change_password(
    call: Call,
    body: PasswordChange,
    *,
    authorization: str | None = None,
    x_impersonate_subject: str | None = None,
    x_impersonate_user_id: str | None = None,
) -> LoginAnswerBody:
    """POST /security/password: new tokens, as a login answers; all from before are void.

    The route is public, since a forced change comes without an access token; so it reads its headers itself.
    """
    if x_impersonate_subject is not None or x_impersonate_user_id is not None:
        raise _not_for_others()
    call.turn.give_back()  # as a login
    provider = call.service.provider
    if body.change_token is not None:
        if body.old_password is not None:
            raise ValidationFailed.at("oldPassword", "is not needed with a changeToken: omit one of the two")
        changed = await provider.complete_change(body.change_token, body.new_password, call.address)
        return logged_in_answer(call, changed)
    if (token := read_bearer(authorization)) is None:
        raise Unauthenticated("send an access token (Authorization: Bearer …), or a changeToken in the body")
    if body.old_password is None:
        raise ValidationFailed.at("oldPassword", "is missing: send it, or a changeToken")
    changed = await provider.change_password(token, body.old_password, body.new_password, call.address)
    return logged_in_answer(call, changed)


async def log_out(call: Call, body: LogoutRequest) -> None:
    """POST /security/logout: the session of a refresh token, or all; with ``everywhere`` all tokens."""
    principal = call.principal
    if principal.impersonator is not None:
        raise _not_for_others()
    await call.service.provider.end_sessions(
        principal.subject, principal.domain.default_realm, body.refresh_token, bool(body.everywhere)
    )


def _not_for_others() -> Denied:
    return Denied("this is for one's own account: it cannot be done while acting as somebody else")
