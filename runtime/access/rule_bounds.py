"""Bounds of all stored rules of a tenant together: how many there are, and how many conditions they have.

They are checked in the transaction of each write of rules, so that all rules of one request count. Requests
at the same time do not see each other's rules, and may end somewhat above.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final, Protocol

from runtime.access.rule_load import count_conditions, is_within, weigh
from runtime.access.stored_rules import find_rules_in_force, is_in_force, read_rule
from runtime.call import Call
from runtime.errors import ValidationFailed
from runtime.event_loop import Pace
from runtime.model.documents import tenant_of
from runtime.model.record_type import RecordType
from runtime.permissions import Rule
from runtime.storage.store import Transaction
from runtime.system.documents import PermissionRuleDocument
from runtime.system.record_types import PERMISSION_RULE

MOST_RULES: Final = 2_000
"""Rules in force of one tenant; those of the specifications do not count."""

MOST_CONDITIONS: Final = 2_000
"""Conditions and groups in the filters of stored rules that can apply to one request."""


class _Written(Protocol):
    """A rule as it was, None for a new one, and as it is now, None for one that is gone."""

    @property
    def before(self) -> PermissionRuleDocument | None: ...
    @property
    def after(self) -> PermissionRuleDocument | None: ...


class RuleBounds:
    """A ``Companion`` of permission rules."""

    is_joint = False

    async def want(self, _call: Call, kind: RecordType[Any], /) -> bool:
        """Return whether it is a permission rule."""
        return kind is PERMISSION_RULE

    async def follow(self, call: Call, transaction: Transaction, changes: Sequence[_Written], /) -> None:
        """Check all rules of the tenants whose rules have just been written. Raises ``ValidationFailed``."""
        written: dict[str, list[tuple[Rule | None, Rule]]] = {}
        for change in changes:
            if (after := _read_in_force(change.after)) is not None and change.after is not None:
                written.setdefault(tenant_of(change.after), []).append((_read_in_force(change.before), after))
        for tenant, pairs in written.items():
            new = [after for before, after in pairs if before is None]
            heavier = [after for before, after in pairs if _is_heavier(before, after)]
            if new or heavier:
                stored = await find_rules_in_force(transaction, call.database, tenant)
                _require_few(new, stored)
                await _require_light(heavier, stored)


def _read_in_force(document: PermissionRuleDocument | None) -> Rule | None:
    """Read a rule; None for one that is absent, disabled or archived."""
    if document is None or not is_in_force(document):
        return None
    return read_rule(document, tenant_of(document))


def _is_heavier(before: Rule | None, after: Rule) -> bool:
    """Return whether more requests, or a request with more conditions, have to be decided by a rule."""
    if not after.is_per_record or before is None or not before.is_per_record:
        return after.is_per_record
    return weigh(after) > weigh(before) or not is_within(after, before)


def _require_few(new: Collection[Rule], stored: Collection[Rule]) -> None:
    if new and len(stored) > MOST_RULES:
        raise _refuse("name", f"there are {MOST_RULES} rules already: remove some first")


async def _require_light(heavier: Sequence[Rule], stored: Sequence[Rule]) -> None:
    if sum(map(weigh, stored)) <= MOST_CONDITIONS:
        return
    pace = Pace()
    for rule in heavier:
        await pace.step()
        total = count_conditions(rule, stored)
        if total > MOST_CONDITIONS:
            message = (
                f"the rules that can apply to one request would have {total} conditions, of at most"
                f" {MOST_CONDITIONS}: shorten filters, or name single actions, record types or users (user:…)"
            )
            raise _refuse("filter" if rule.filter else "securityURI.body.resourceId", message)


def _refuse(path: str, message: str) -> ValidationFailed:
    return ValidationFailed(f"{path}: {message}", violations=[{"path": path, "message": message}])
