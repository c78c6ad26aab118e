"""Access tokens of signed-in callers that an application got for them, with fewer scopes."""

from __future__ import annotations

from functools import partial
from secrets import token_hex
from typing import Any

import jwt
from bson import ObjectId

from runtime.errors import Duplicate
from runtime.identity.users.users import NewUser
from runtime.oauth.management import create_client
from tests.http.world import World


def narrow_token(
    world: World, caller: str, scope: str, *, client: str = "narrow-app", registered: list[str] | None = None
) -> str:
    """A token that the client got for the caller. ``registered``: the scopes that the client may request."""
    assert world.client.portal is not None
    service = world.app.state.service
    try:
        new = NewUser(client, "", "acme", frozenset({"user"}))
        world.client.portal.call(partial(create_client, service, new))
    except Duplicate:
        pass
    if registered is not None:
        named = {"clientId": client}
        world.documents["oauth_clients"].update_one(named, {"$set": {"allowedScopes": registered}})
    says: dict[str, Any] = jwt.decode(world.tokens[caller], options={"verify_signature": False})
    find = service.provider.own.credentials.find_standing
    standing = world.client.portal.call(find, says["realm"], says["sub"])
    session = _begin_session(world, says["sid"], client)
    token: str = service.tokens.mint_access(
        standing.identity, epoch=standing.epoch, client_id=client, scope=scope, session=session
    )
    return token


def _begin_session(world: World, login: str, client: str) -> str:
    """Store a session of the client, as long as that of a login; its name."""
    families = world.documents["refreshFamilies"]
    stored = world.documents["oauth_clients"].find_one({"clientId": client})
    family = families.find_one({"refName": login})
    assert stored is not None
    assert family is not None
    name = token_hex(16)
    own = {"_id": ObjectId(), "refName": name, "clientId": client, "clientRecord": str(stored["_id"])}
    families.insert_one(family | own)
    return name
