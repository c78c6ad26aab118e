"""The user that a request of ``/security/users`` names, and how it is changed by who may."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypedDict, TypeVar
from urllib.parse import quote

from runtime.call import Call
from runtime.errors import VersionConflict
from runtime.identity.users.user_rights import require_manageable, require_not_own
from runtime.principal import Granter
from runtime.rights import Rights
from runtime.seams import User, UserKey, UserManagement, Within

T = TypeVar("T")

_MOST_RACES = 20


class Named(TypedDict, total=False):
    """How a path names its user: by one of the two."""

    user_id: str
    subject: str


@dataclass(frozen=True, slots=True)
class Target:
    """A user to be changed: who does it, in which bounds, and with which rights the caller asks for it."""

    manager: UserManagement
    key: UserKey
    within: Within
    rights: Rights


def users_within(call: Call) -> Within:
    """Return the users that a caller reaches."""
    caller = call.principal
    return Within(call.realm, caller.scope, caller.audit, address=call.address)


async def read_rights(call: Call) -> Rights:
    """Return the rights of the caller."""
    return await call.service.impersonation.read_rights_of_caller(call.principal, call.realm)


async def find_reach(call: Call, user: User) -> Rights | None:
    """Return the rights that bound as whom a user may act; None for nobody."""
    if user.impersonation_enabled or user.impersonate_filter_script is not None:
        return await call.service.impersonation.find_reach(user.impersonation_granter, call.realm)
    return None


async def find_manager(call: Call, named: Named) -> tuple[UserManagement, UserKey]:
    """Find what manages the user that a request names."""
    key = UserKey(**named)
    return await call.service.provider.find_manager(key, users_within(call)), key


async def change_user(call: Call, named: Named, work: Callable[[Target], Awaitable[T]]) -> T:
    """Change a user as it was when that was decided; decide again when others change it at the same moment.

    Otherwise a user that is given more between the decision and the write would be changed all the same.
    """
    for _ in range(_MOST_RACES):
        target = await _find_target(call, named)
        try:
            return await work(target)
        except VersionConflict as error:
            conflict = error
    raise conflict


async def _find_target(call: Call, named: Named) -> Target:
    """Find the user that a request names.

    Raises ``NotFound``, ``OwnAccount``, and ``Denied`` for a user who may do more than the caller.
    """
    manager, key = await find_manager(call, named)
    within = users_within(call)
    user = await manager.find_user(key, within)
    require_not_own(call.principal, user)
    rights = await read_rights(call)
    require_manageable(rights, user, await find_reach(call, user))
    within = replace(within, granter=_granter(call, rights), version=user.version)
    return Target(manager, UserKey(subject=user.subject), within, rights)


def _granter(call: Call, rights: Rights) -> Granter:
    principal = call.principal
    return Granter(principal.subject, principal.domain.default_realm, rights.roles, rights.is_operator)


def locate_user(call: Call, subject: str) -> str:
    """Return where a user is read, for ``Location``."""
    return f"{call.service.settings.root_path}/security/users/subject/{quote(subject, safe='')}"
