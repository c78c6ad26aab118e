"""Impersonation: who may act as another user, as whom, and with which rights.

The caller's credential says whether it may (``impersonationEnabled``) and as whom: its
``impersonateFilterScript`` is a filter over the target's credential, evaluated in the store, where hidden
fields are unknown as everywhere. In addition, the target and all that it may see must be inside the caller's
own hard scope; it must live in the realm where the caller's credential lives, and be usable. A user with the
role ``system`` is impersonated by ``system`` only: else a tenant's script would open all tenants.

The script decides whom a grant admits; how far the grant reaches is decided here, each time, by what its
granter may do now (``Granter``): the target, with all as whom it may act in turn, must not have more.
It costs one read of the store for the granter, and one more for a target that may act as others itself.

What comes of it is the identity of the target alone; the caller's rights are gone for this call.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial

from runtime.access.granters import Granters
from runtime.call import RealmSource
from runtime.errors import Denied, FilterSyntax, FilterType, UnknownField
from runtime.filter import NOTHING, Predicate, compile_filter, equals
from runtime.identity.credentials.credentials import identity_of, is_usable, login_name_of
from runtime.identity.memory import Freshness, ShortMemory
from runtime.identity.realms.realm import roles_in
from runtime.logs import log
from runtime.permissions import variables_of
from runtime.principal import SYSTEM, Granter, Identity, Principal, domain_members
from runtime.seams import UserKey
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.store import Store
from runtime.system.record_types import CREDENTIAL

_MOST_REMEMBERED = 1000


class Impersonation:
    """Answers as old as ``freshness`` allows, each from one read; refusals are not remembered."""

    def __init__(self, store: Store, realms: RealmSource, granters: Granters, freshness: Freshness) -> None:
        self._store = store
        self._realms = realms
        self._granters = granters
        self.find_reach = granters.find_reach
        self.read_rights_of_caller = granters.read_rights_of_caller
        self._found: ShortMemory[Hashable, Identity] = ShortMemory(freshness, _MOST_REMEMBERED)

    async def find_identity(self, caller: Identity, target: UserKey) -> Identity:
        """Return the identity of ``target``, as which ``caller`` may act.

        Raises the same ``Denied`` for every reason against it, an unknown target included.
        """
        actor = _Actor.of(caller, self._granters.is_operator(caller))
        found = await self._found.get((actor, target), partial(self._look_up, actor, target))
        if found is None:
            log.warning(
                "impersonation.refused",
                by=caller.user_id, by_subject=caller.subject, user=target.user_id, subject=target.subject,
                realm=caller.realm,
            )  # fmt: skip
            raise Denied("you may not act as this user")
        return found

    def forget(self, database: str | None = None, record_id: str | None = None) -> None:
        """Ask the store again; ``runtime.storage.watching`` reports a changed credential."""
        self._found.forget()

    async def _look_up(self, actor: _Actor, target: UserKey) -> Identity | None:
        permitted, named = self._compile_script(actor), _match_target(target)
        database = await self._realms.find_database(actor.realm)
        if NOTHING in (permitted, named) or database is None:
            return None
        access = as_service(CREDENTIAL, database, domain=actor.principal.scope)
        credential = await self._store.find_one(access, named & permitted)
        if credential is None or not is_usable(credential):
            return None
        identity = identity_of(credential, actor.realm)
        return identity if actor.may_hold(identity) and await self._check_granter(actor, identity) else None

    async def _check_granter(self, actor: _Actor, target: Identity) -> bool:
        """Return whether the granter of the actor's impersonation now has all that the target has."""
        granted = await self._granters.read_rights(actor.granter, actor.realm)
        if granted is None:
            log.warning("impersonation.granter", subject=actor.principal.subject)
            return False
        beyond = None
        if target.impersonation_script is not None:
            beyond = await self._granters.find_reach(target.impersonation_granter, actor.realm)
        return granted.covers(target, beyond)

    def _compile_script(self, actor: _Actor) -> Predicate:
        """Compile the caller's script. One that cannot be parsed admits nobody."""
        if actor.script is None:
            return NOTHING
        variables = variables_of(actor.principal, actor.realm, CREDENTIAL, Action.VIEW)
        try:
            return compile_filter(actor.script, CREDENTIAL, variables, for_rule=True)
        except (FilterSyntax, FilterType, UnknownField) as error:
            log.warning("impersonation.script", subject=actor.principal.subject, reason=error.message)
            return NOTHING


@dataclass(frozen=True, slots=True)
class _Actor:
    """All attributes of the caller that the answer depends on; a changed caller is a different key."""

    realm: str
    script: str | None
    granter: Granter | None
    principal: Principal
    is_operator: bool

    @classmethod
    def of(cls, caller: Identity, is_operator: bool) -> _Actor:
        roles = roles_in(caller, caller.realm)
        principal = Principal(caller.user_id, caller.subject, roles, caller.domain)
        script, granter = caller.impersonation_script, caller.impersonation_granter
        return cls(caller.realm, script, granter, principal, is_operator)

    def may_hold(self, target: Identity) -> bool:
        """Return whether the target sees nothing outside the caller's scope.

        The scope of a credential's record is not enough: a user without a data segment sees all of them,
        and its record is in segment 0.
        """
        if self.is_operator:
            return True
        if any(SYSTEM in roles for roles in target.realm_roles.values()):
            return False
        if SYSTEM in self.principal.roles:  # in this realm alone
            return True
        return SYSTEM not in target.roles and self.principal.scope.admits(domain_members(target.domain))


def _match_target(target: UserKey) -> Predicate:
    if target.subject is not None:
        return equals(subject=target.subject)
    login_name = login_name_of(target.user_id or "")
    return NOTHING if login_name is None else equals(loginName=login_name)
