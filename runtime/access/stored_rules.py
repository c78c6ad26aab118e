"""A stored ``PermissionRule`` as a ``Rule``. What cannot be read denies, whatever it meant to say.

A stored rule speaks only of callers inside its own data domain (``Rule.holds_in``), so an administrator
rules no further than the domain it writes in. Data segment 0 is the one of everybody, hence binds nothing.
"""

from collections.abc import Mapping
from typing import Any

from runtime.errors import Misconfigured
from runtime.filter import Projection, differs
from runtime.logs import log
from runtime.permissions import Rule
from runtime.permissions.rule import BODY_PATTERNS, HEADER_PATTERNS
from runtime.principal import DomainScope, find_organisation
from runtime.storage.as_service import as_service
from runtime.storage.store import AnyStore
from runtime.system.documents import PermissionRuleDocument
from runtime.system.record_types import PERMISSION_RULE

LEAST_PRIORITY = -900
"""Of stored rules. Those of specifications may lie below; the built-in ones lie at -1000 and less."""

_UNREADABLE_PRIORITY = -999
"""Walked, as final rules, before any stored rule and after the built-in ones."""

MOST_READ = 10_000
"""Stored rules of one tenant. Beyond, none of its callers gets an answer: some rule would be left out."""

MEMBERS = (
    *("refName", "name", "description", "dataDomain", "securityURI", "effect", "priority", "finalRule"),
    *("filter", "hiddenFields"),
)
"""What is read of a stored rule."""

_IN_FORCE = differs(enabled=False) & differs(activeStatus="ARCHIVED")


class _Unreadable(Exception):
    """A member that cannot be part of a rule; the text names it."""


async def find_rules_in_force(store: AnyStore, database: str, tenant_id: str) -> tuple[Rule, ...]:
    """Read the stored rules of a tenant. Raises ``Misconfigured`` when they are too many."""
    access = as_service(PERMISSION_RULE, database, domain=DomainScope(tenant_id))
    found = await store.find(access, _IN_FORCE, projection=Projection(include=MEMBERS), limit=MOST_READ + 1)
    if len(found) > MOST_READ:
        log.error("rules.too_many", database=database, tenant=tenant_id, most=MOST_READ)
        raise Misconfigured("your tenant has more permission rules than can be applied: remove some")
    return tuple(read_rule(document, tenant_id) for document in found)


def is_in_force(document: PermissionRuleDocument) -> bool:
    """Return whether a stored rule is neither disabled nor archived."""
    return document.get("enabled") is not False and document.get("activeStatus") != "ARCHIVED"


def read_rule(document: PermissionRuleDocument, tenant_id: str) -> Rule:
    """Build the rule of a document found in a tenant's domain.

    One that cannot be read, in whole or in part, is a final DENY for what its readable patterns match.
    """
    faults: list[str] = []
    patterns = _read_patterns(document.get("securityURI"), faults)
    holds_in = _read_domain(document.get("dataDomain"), tenant_id, faults)
    try:
        rule = _read_rule(document, patterns, holds_in)
    except _Unreadable as fault:
        faults.append(str(fault))
    else:
        if not faults:
            return rule
    name = str(document.get("refName", document["_id"]))[:200]
    log.error("rules.unreadable", rule=name, tenant=tenant_id, faults=faults)
    return Rule(
        name=name,
        description=f"This rule cannot be read, hence denies: {', '.join(faults)}",
        allows=False,
        priority=_UNREADABLE_PRIORITY,
        is_final=True,
        source="record",
        holds_in=holds_in,
        **patterns,
    )


def _read_rule(document: PermissionRuleDocument, patterns: Mapping[str, Any], holds_in: DomainScope) -> Rule:
    priority = _read_member(document.get("priority"), "priority", int, 10)
    if priority < LEAST_PRIORITY:
        raise _Unreadable("priority")
    hidden = _read_member(document.get("hiddenFields"), "hiddenFields", list, [])
    if not all(isinstance(path, str) for path in hidden):
        raise _Unreadable("hiddenFields")
    return Rule(
        name=_read_member(document.get("name"), "name", str),
        description=_read_member(document.get("description"), "description", str, ""),
        allows=_read_member(document.get("effect"), "effect", str) == "ALLOW",
        priority=priority,
        is_final=_read_member(document.get("finalRule"), "finalRule", bool, False),
        filter=_read_member(document.get("filter"), "filter", str, "") or None,
        hidden=frozenset(hidden),
        source="record",
        holds_in=holds_in,
        **patterns,
    )


def _read_member(value: object, member: str, kind: type, default: Any = None) -> Any:
    """Return the value of a member, or the default of one that is absent."""
    if value is None and default is not None:
        return default
    if not _is_a(value, kind):
        raise _Unreadable(member)
    return value


def _is_a(value: Any, kind: type) -> bool:
    """Return whether a value is of a type. Int64 of the store is an integer; a bool is not."""
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _read_patterns(uri: Any, faults: list[str]) -> dict[str, Any]:
    """Return the readable patterns; a missing or unreadable one is ``*``, the latter with a fault."""
    if not isinstance(uri, Mapping):
        faults.append("securityURI")
        return {}
    found: dict[str, Any] = {}
    for half, members in (("header", HEADER_PATTERNS), ("body", BODY_PATTERNS)):
        part = uri.get(half)
        if not isinstance(part, Mapping | None):
            faults.append(f"securityURI.{half}")
            continue
        for member, name in members.items():
            value = (part or {}).get(member)
            if isinstance(value, str) and value:
                found[name] = value
            elif value is not None:
                faults.append(f"securityURI.{half}.{member}")
    return found


def _read_domain(domain: Any, tenant_id: str, faults: list[str]) -> DomainScope:
    """Return the data domain; an unreadable part of it restricts nothing."""
    if not isinstance(domain, Mapping):
        faults.append("dataDomain")
        return DomainScope(tenant_id)
    bound: dict[str, Any] = {}
    for member, kind in (("orgRefName", str), ("accountId", str), ("dataSegment", int)):
        value = domain.get(member)
        if value is not None and not _is_a(value, kind):
            faults.append(f"dataDomain.{member}")
        else:
            bound[member] = value
    return DomainScope(
        tenant_id, find_organisation(bound), bound.get("accountId"), bound.get("dataSegment") or None
    )
