"""Every name of the runtime that generated code may write, by module. A test imports each one.

To use another name in a template or a render context, add it here; ``render`` refuses any other.
"""

from __future__ import annotations

from collections.abc import Mapping

RUNTIME_NAMES: Mapping[str, frozenset[str]] = {
    "runtime": frozenset({"records"}),
    "runtime.app": frozenset({"create_app"}),
    "runtime.http": frozenset(
        {
            *("Anonymous", "Bulk", "BulkAnswer", "Calling", "Count", "CountQuery", "IfMatch", "IfNoneMatch"),
            *("EntityReference", "FindBody", "Json", "JsonSchema", "ListQuery", "Page", "RecordId"),
            *("RecordRouter", "RefName", "ReferenceQuery", "admit", "answer", "nothing"),
        }
    ),
    "runtime.record": frozenset(
        {
            *("DynamicAttribute", "EntityReference", "ExactDecimal", "LocalDate", "Moment", "ObjectIdText"),
            *("PersistentEvent", "Record", "RecordInput", "Strict", "UniqueItems", "Violation"),
        }
    ),
    "runtime.record_type": frozenset({"Catalog", "Constraint", "Index", "RecordType", "Reference", "Seed"}),
    "runtime.seams": frozenset({"Seams"}),
    "runtime.settings": frozenset({"Settings"}),
    "runtime.state_graph": frozenset({"State", "StateGraph"}),
    "runtime.system_records": frozenset({"SystemRecords"}),
}

OPTIONAL_ARGUMENTS = frozenset({"IfMatch", "IfNoneMatch"})
"""Argument types that default to None."""

SYSTEM_RECORDS: Mapping[str, str] = {
    "credential": "Credential",
    "refresh_family": "RefreshFamily",
    "login_attempt": "LoginAttempt",
}
"""Members of ``SystemRecords`` → the record types of the specifications that they take."""
