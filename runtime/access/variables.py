"""The variables a filter may name, as typed values for the compiler.

``p…`` describe the principal, ``r…`` the resource: inside the caller's scope its tenant and account
are the caller's own. ``resourceId`` is the id of the record in question, in a list that of each.
"""

from typing import Any

from runtime.call import Call
from runtime.filter import OWN_ID, OwnId
from runtime.model.record_type import RecordType
from runtime.principal import Principal
from runtime.storage.access import Action

Variables = dict[str, str | tuple[str, ...] | OwnId | None]


def filter_variables(call: Call, kind: RecordType[Any], action: Action = Action.VIEW) -> Variables:
    """Return every variable; None or ``""`` for one that has no value in this call."""
    return variables_of(call.principal, call.realm, kind, action)


def variables_of(principal: Principal, realm: str, kind: RecordType[Any], action: Action) -> Variables:
    """Return the same for a caller in a realm, before there is a call."""
    domain = principal.domain
    return {
        "ownerId": principal.user_id,
        "principalId": principal.user_id,
        "resourceId": OWN_ID,
        "action": str(action),
        "functionalDomain": kind.domain,
        "area": kind.area,
        "realm": realm,
        "pTenantId": domain.tenant_id,
        "pAccountId": domain.account_id,
        "rTenantId": domain.tenant_id,
        "rAccountId": domain.account_id,
        "roles": tuple(sorted(principal.roles)),
    }
