"""What a grant issues: the answer to the client, and what the log has of it."""

from dataclasses import dataclass, field

from runtime.call import Call
from runtime.client import Client
from runtime.identity.credentials.families import Link
from runtime.model.clock import to_seconds
from runtime.oauth.client_sessions import REFRESH_GRANT
from runtime.permissions.token_scopes import parse
from runtime.standing import Standing
from runtime.system.answers import TokenAnswerBody
from runtime.tokens import mint_id_token, user_claims


@dataclass(frozen=True, slots=True)
class Issued:
    """``subject``: whose rights the tokens have. ``family``: the session they end with, if any."""

    answer: TokenAnswerBody = field(repr=False)
    subject: str
    family: str | None = None


@dataclass(frozen=True, slots=True)
class UserTokens:
    """Tokens to be issued to a client for a user; ``audience`` is empty for the usual one."""

    client: Client
    user: Standing
    link: Link
    scope: str
    audience: tuple[str, ...]


def issue_user_tokens(call: Call, new: UserTokens, *, nonce: str | None = None) -> Issued:
    """Issue an access token, a refresh token if the client may use it, and an ID token for ``openid``."""
    tokens, link = call.service.tokens, new.link
    seconds = min(tokens.access_seconds, link.ends_at - int(tokens.clock()))
    identity = new.user.identity
    access_token = tokens.mint_access(
        identity,
        epoch=new.user.epoch,
        email=new.user.email,
        client_id=new.client.client_id,
        scope=new.scope,
        audience=new.audience,
        session=link.family,
        seconds=seconds,
    )
    answer: TokenAnswerBody = {"access_token": access_token, "token_type": "Bearer", "expires_in": seconds}
    if new.scope:
        answer["scope"] = new.scope
    if REFRESH_GRANT in new.client.grant_types:
        answer["refresh_token"] = tokens.mint_refresh(
            identity.subject,
            realm=new.client.realm,
            family=link.family,
            token_id=link.token_id,
            epoch=new.user.epoch,
            ends_at=link.ends_at,
        )
    if "openid" in parse(new.scope):
        answer["id_token"] = _mint_id_token(call, new, access_token, nonce)
    return Issued(answer, identity.subject, link.family)


def _mint_id_token(call: Call, new: UserTokens, access_token: str, nonce: str | None) -> str:
    identity, family = new.user.identity, new.link.record
    auth_time = int(to_seconds(family["authTime"])) if family.get("showAuthTime") else None
    return mint_id_token(
        call.service.tokens,
        subject=identity.subject,
        realm=new.client.realm,
        client_id=new.client.client_id,
        session=new.link.family,
        access_token=access_token,
        nonce=nonce,
        auth_time=auth_time,
        user=user_claims(parse(new.scope), identity.user_id, new.user.email),
    )
