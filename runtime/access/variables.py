"""The variables that a filter may name in a call, and checks of filters that are to be stored."""

from typing import Any

from runtime.call import Call
from runtime.filter import Predicate, RelationResolver
from runtime.model.record_type import RecordType
from runtime.permissions import Variables, check_stored_filter, variables_of
from runtime.storage.access import Action


def filter_variables(call: Call, kind: RecordType[Any], action: Action = Action.VIEW) -> Variables:
    """Return every variable; None or ``""`` for one that has no value in this call."""
    return variables_of(call.principal, call.realm, kind, action)


def check_filter(
    call: Call,
    text: str,
    kind: RecordType[Any],
    *,
    hidden: frozenset[str],
    relations: RelationResolver | None = None,
) -> Predicate:
    """Check a filter that the caller stores. Raises what ``compile_filter`` does."""
    return check_stored_filter(text, kind, filter_variables(call, kind), hidden=hidden, relations=relations)
