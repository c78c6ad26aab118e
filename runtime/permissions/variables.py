"""The variables a filter may name, as typed values for the compiler.

``p…`` describe the principal, ``r…`` the resource: inside the caller's scope its tenant and account
are the caller's own. ``resourceId`` is the id of the record in question, in a list that of each.
"""

from typing import Any, Final

from runtime.filter import OWN_ID, OwnId, Predicate, RelationResolver, compile_filter
from runtime.model.record_type import RecordType
from runtime.principal import DomainContext, Principal

Variables = dict[str, str | tuple[str, ...] | OwnId | None]

_ANY: Final = "0" * 24  # a text, a number and an id
_ANYBODY: Final = Principal(_ANY, _ANY, frozenset({_ANY}), DomainContext(_ANY, _ANY, account_id=_ANY))


def variables_of(principal: Principal, realm: str, kind: RecordType[Any], action: str) -> Variables:
    """Return every variable for a caller in a realm; None or ``""`` for one that has no value."""
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


def check_stored_filter(
    text: str,
    kind: RecordType[Any],
    variables: Variables | None = None,
    *,
    hidden: frozenset[str] = frozenset(),
    relations: RelationResolver | None = None,
) -> Predicate:
    """Check a filter that is to be stored and decided on one record at a time; compile it without values.

    ``variables``: those of its author, where the author is known. A variable may lack a value for them, since
    it may have one for others; an unknown variable is refused. Raises what ``compile_filter`` does.
    """
    match = compile_filter(text, kind, for_rule=True, hidden=hidden, relations=relations)
    known = variables_of(_ANYBODY, _ANY, kind, _ANY) if variables is None else variables
    values = {name: _ANY if value in (None, "") else value for name, value in known.items()}
    compile_filter(text, kind, values, relations=relations)
    return match
