"""Checks of what a credential grants about acting as others and in other realms, before it is stored.

What it admits is decided at each call (``impersonation.py``, ``realm.py``).
"""

from typing import Any

from runtime.errors import FilterSyntax, FilterType, UnknownField, ValidationFailed
from runtime.identity.realms.realm import fault_of_pattern
from runtime.model.record_type import RecordType
from runtime.permissions import check_stored_filter

_MOST_FILTER_CHARACTERS = 2000


def check_impersonation(filter_script: str, kind: RecordType[Any]) -> None:
    """Check a filter of credentials. Raises ``ValidationFailed`` saying what is wrong, and where."""
    fault = None
    if not 0 < len(filter_script) <= _MOST_FILTER_CHARACTERS:
        fault = f"must be 1 to {_MOST_FILTER_CHARACTERS} characters"
    else:
        try:
            check_stored_filter(filter_script, kind)
        except (FilterSyntax, FilterType, UnknownField) as error:
            fault = f"is not a filter of credentials: {error.message}"
    if fault:
        raise ValidationFailed.at("filterScript", fault, "the filter of impersonation")


def check_realm_pattern(pattern: str) -> None:
    """Check a pattern of whole realm names. Raises ``ValidationFailed``."""
    fault = fault_of_pattern(pattern)
    if fault:
        raise ValidationFailed.at("realmRegEx", fault)
