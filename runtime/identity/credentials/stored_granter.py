"""Who granted an impersonation, as a credential stores it (``impersonationGranter``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.principal import Granter

_MEMBER = "impersonationGranter"


def granter_of(credential: Mapping[str, Any]) -> Granter | None:
    """Read the granter. None where there is none or it cannot be read: such a grant carries nothing."""
    stored = credential.get(_MEMBER)
    if not isinstance(stored, Mapping):
        return None
    subject, realm, roles = (stored.get(name) for name in ("subject", "realm", "roles"))
    is_operator = stored.get("operator") is True
    if subject is None and is_operator:
        return Granter.operator()
    if not (isinstance(subject, str) and isinstance(realm, str) and isinstance(roles, list)):
        return None
    return Granter(subject, realm, frozenset(map(str, roles)), is_operator)


def granted_by(granter: Granter | None) -> dict[str, Any]:
    """Build the member of a credential that names its granter; None grants nothing."""
    if granter is None or granter.subject is None:
        return {_MEMBER: {"operator": granter is not None and granter.is_operator}}
    place = {"subject": granter.subject, "realm": granter.realm}
    return {_MEMBER: {**place, "roles": sorted(granter.roles), "operator": granter.is_operator}}
