"""Every name of the runtime that generated code may write, by module. A test imports each one.

To use another name in a template or a render context, add it here; ``render`` refuses any other.
"""

from collections.abc import Mapping
from typing import Final

from runtime import errors

RUNTIME: Final = errors.__name__.removesuffix(".errors")
"""The name by which the runtime is imported: the wheel has it within a package."""

RUNTIME_NAMES: Mapping[str, frozenset[str]] = {
    RUNTIME: frozenset({"events", "ontology", "records", "transfer"}),
    "runtime.app": frozenset({"create_app"}),
    "runtime.handler_loading": frozenset({"Handler"}),
    "runtime.http": frozenset(
        {
            "AgentCalling",
            *("Anonymous", "Bulk", "BulkAnswer", "BulkSet", "BulkTerms", "Calling", "CommitResult"),
            *(
                "ChangesQuery",
                "ConnectedQuery",
                "Count",
                "CountQuery",
                "EdgePage",
                "EdgeQuery",
                "EntityReference",
                "Expand",
                "ExportQuery",
                "FindBody",
            ),
            *("HistoryQuery", "IfNoneMatch", "ImportAnswer", "ImportQuery", "ImportResult", "ImportRows"),
            *("ImportRowsQuery", "Json", "JsonSchema", "KeyTerms", "ListQuery", "MergePatch", "Page"),
            *("LastEventId", "LaterRouter", "Parameters", "ProfileQuery", "RecordHistory", "RecordId"),
            "RecordRouter",
            *("RecordStates", "RecordTransitions", "RefName", "ReferenceQuery", "SessionId"),
            *("SetQuery", "Stream", "Upload", "WriteTerms", "admit", "answer", "nothing"),
            "share_key",
        }
    ),
    "runtime.gateway": frozenset(
        {"call_endpoint", "call_remote", "count_matching", "move_state", "query_records", "save_arguments"}
    ),
    "runtime.permissions": frozenset({"Rule"}),
    "runtime.model.record": frozenset(
        {
            *("DynamicAttribute", "EntityReference", "ExactDecimal", "LocalDate", "Moment", "ObjectIdText"),
            *("PersistentEvent", "Record", "RecordInput", "SnakeCase", "Strict", "UniqueItems", "Violation"),
        }
    ),
    "runtime.model.later": frozenset({"Later"}),
    "runtime.model.documents": frozenset({"RecordDocument"}),
    "runtime.model.catalog": frozenset({"Catalog"}),
    "runtime.model.record_type": frozenset({"Constraint", "Index", "RecordType", "Reference"}),
    "runtime.model.seed": frozenset({"Seed"}),
    "runtime.model.ontology": frozenset({"Relationship"}),
    "runtime.seams": frozenset({"Seams"}),
    "runtime.settings": frozenset({"Settings"}),
    "runtime.model.state_graph": frozenset({"State", "StateGraph"}),
}

SHARED_SCHEMAS: Final = frozenset(
    {
        *("ActiveStatus", "AnalysedRow", "AuditInfo", "AuditInfoInput", "BulkAnswer", "BulkDelete"),
        *("BulkResult", "BulkSet", "CommitResult", "Count", "DataDomain", "DataDomainInRow"),
        *("DataDomainInput", "DynamicAttribute", "DynamicAttributeInRow", "EdgeEnd", "EdgePage", "EdgeRow"),
        *("EntityReference", "EntityReferenceInRow", "EntityReferenceInput", "FieldStates"),
        *("FieldTransitions", "FindBody", "ImportAnswer", "ImportProgress", "ImportResult", "ImportRows"),
        *("OAuthError", "PersistentEvent", "PersistentEventInRow", "Problem", "Provenance"),
        *("RecordChange", "RecordHistory", "RecordRevision", "RecordStates", "RecordTransitions"),
        *("ReferenceEntry", "RowCode", "RowFinding", "Violation", "ViolationInRow"),
    }
)
"""The schemas that the document has of the runtime itself, which no specification may replace."""

OPTIONAL_ARGUMENTS = frozenset({"Expand", "IfNoneMatch", "LastEventId"})
"""Argument types that default to None."""
