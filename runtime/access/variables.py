"""The variables a filter may name, as typed values for the compiler.

``p…`` describe the principal, ``r…`` the resource: inside the caller's scope its tenant and account
are the caller's own. ``resourceId`` is the id of the record in question, in a list that of each.
"""

from typing import Any, Final

from runtime.call import Call
from runtime.filter import OWN_ID, OwnId, Predicate, RelationResolver, compile_filter
from runtime.model.record_type import RecordType
from runtime.principal import Principal
from runtime.storage.access import Action

Variables = dict[str, str | tuple[str, ...] | OwnId | None]

_ANY_VALUE: Final = "0" * 24  # a text, a number and an id


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


def check_filter(
    call: Call,
    text: str,
    kind: RecordType[Any],
    *,
    hidden: frozenset[str],
    relations: RelationResolver | None = None,
) -> Predicate:
    """Check a filter that is to be stored and decided on one record at a time; compile it without values.

    A variable may have no value for the author, since it may have one for others. One that is unknown is
    refused. Raises what ``compile_filter`` does.
    """
    match = compile_filter(text, kind, for_rule=True, hidden=hidden, relations=relations)
    values = {
        name: _ANY_VALUE if value in (None, "") else value
        for name, value in filter_variables(call, kind).items()
    }
    compile_filter(text, kind, values, relations=relations)
    return match
