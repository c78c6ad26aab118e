"""A stored ``PermissionRule`` as a ``Rule``. What cannot be read denies, whatever it meant to say.

A stored rule speaks only of callers inside its own data domain (``Rule.holds_in``), so an administrator
rules no further than the domain it writes in. Data segment 0 is the one of everybody, hence binds nothing.
"""

from collections.abc import Mapping
from typing import Any

from runtime.logs import log
from runtime.permissions import Rule
from runtime.permissions.rule import BODY_PATTERNS, HEADER_PATTERNS
from runtime.principal import DomainScope
from runtime.system.documents import PermissionRuleDocument

LEAST_PRIORITY = -900
"""Of stored rules. Those of specifications may lie below; the built-in ones lie at -1000 and less."""

_UNREADABLE_PRIORITY = -999
"""Walked, as final rules, before any stored rule and after the built-in ones."""

MEMBERS = (
    *("refName", "name", "description", "dataDomain", "securityURI", "effect", "priority", "finalRule"),
    *("filter", "hiddenFields"),
)
"""What is read of a stored rule."""


class _Unreadable(Exception):
    """A member that cannot be part of a rule; the text names it."""


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
        tenant_id, bound.get("orgRefName"), bound.get("accountId"), bound.get("dataSegment") or None
    )
