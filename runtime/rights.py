"""How much a user may do, and whether that covers all that another user may do. Pure.

Administrators grant, manage and act as users; each of these gives them what the other user has. So one
comparison decides all three. It compares conservatively: rights in other realms are covered by the operator
alone, since patterns of realm names cannot be compared and roles elsewhere are not at hand.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from runtime.principal import SYSTEM, DomainScope, Identity, domain_members
from runtime.seams import User

_INCLUDED = {"admin": frozenset({"user"})}
"""Roles that the holders of a role have without being given them."""


@dataclass(frozen=True, slots=True)
class Rights:
    """What a user may do in one realm, without acting as others.

    ``is_operator``: has the role ``system`` in the default realm of the service, or works at its command
    line; bound by nothing. ``system`` in another realm is bound to that realm.
    """

    realm: str
    roles: frozenset[str]
    scope: DomainScope
    is_operator: bool = False

    @property
    def is_system(self) -> bool:
        """Whether nothing in this realm is out of reach."""
        return self.is_operator or SYSTEM in self.roles

    def bounded_by(self, roles: frozenset[str], *, is_operator: bool) -> Rights:
        """Restrict these rights to those that a user with ``roles`` has too."""
        other = replace(self, roles=roles, is_operator=is_operator)
        everything = self.roles | roles | frozenset().union(*_INCLUDED.values())
        common = everything.difference(self.beyond(everything), other.beyond(everything))
        return replace(self, roles=common, is_operator=self.is_operator and is_operator)

    def beyond(self, roles: Collection[str]) -> list[str]:
        """Return the roles that the user does not have, sorted."""
        return [] if self.is_system else list_beyond(self.roles, roles)

    def covers(self, user: Identity | User, reach: Rights | None) -> bool:
        """Whether a user whose credential is in this realm may do nothing that these rights do not allow.

        ``reach``: the rights that bound as whom ``user`` may act; None for nobody. A user acts only as users
        inside their own domain, so the domain of ``reach`` adds nothing to that of ``user``.
        """
        if self.is_operator:
            return True
        if reach is not None and (reach.is_operator or self.beyond(reach.roles)):
            return False
        if user.realms or user.realm_reg_ex or user.area_realms or any(user.realm_roles.values()):
            return False
        is_home = user.domain.default_realm == self.realm
        return is_home and not self.beyond(user.roles) and self.scope.admits(domain_members(user.domain))


def list_beyond(own: frozenset[str], roles: Collection[str]) -> list[str]:
    """Return the roles that a user with the roles ``own`` does not have, sorted."""
    included = own.union(*(_INCLUDED.get(role, frozenset()) for role in own))
    return [] if SYSTEM in own else sorted(set(roles) - included)


def find_common(first: frozenset[str], second: frozenset[str]) -> frozenset[str]:
    """Return the roles that users with either roles have."""
    everything = first | second | frozenset().union(*_INCLUDED.values())
    return everything.difference(list_beyond(first, everything), list_beyond(second, everything))
