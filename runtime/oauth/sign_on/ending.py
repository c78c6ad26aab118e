"""The end of a sign-on, and of what came of it: by a logout, or from the list of a user's own sessions."""

from runtime.call import Service
from runtime.filter import equals
from runtime.logs import log
from runtime.oauth.client_sessions import end_sessions


async def end_sign_on(
    service: Service, realm: str, subject: str, ref_name: str, client_id: str | None = None
) -> bool:
    """End a sign-on of a user with the tokens that came of it; False if the user has none of that name.

    ``client_id``: only the tokens of this client end with it. The sign-on ends first, so that no tokens come
    of it in the meantime; where the store failed in between, asking again ends the tokens.
    """
    is_ended = await service.sign_ons.revoke(realm, subject, ref_name)
    own = {} if client_id is None else {"clientId": client_id}
    ended = await end_sessions(service, realm, equals(signOn=ref_name, subject=subject, **own), "signed_off")
    if not (is_ended or ended):
        return False
    log.info(
        "oauth.signed_off",
        subject=subject, realm=realm, sign_on=ref_name, client=client_id, families=ended,
    )  # fmt: skip
    return True
