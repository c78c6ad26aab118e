"""The edges that the reference fields of a record state. Pure.

They follow from the stored record alone: an archived record states none, and a reference states its edge
whether the record that it points to is there or not, as an untracked reference outlasts its target.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from runtime.model.record_type import RecordType
from runtime.ontology.rules import STATED, Edge, Reason
from runtime.records.references import entries


def list_statements(kind: RecordType[Any], document: Mapping[str, Any] | None) -> dict[Edge, Reason]:
    """List the edges that a stored record states, with the fields that do."""
    if document is None or document.get("activeStatus") == "ARCHIVED":
        return {}
    own = str(document["_id"])
    fields: dict[Edge, set[str]] = defaultdict(set)
    for reference in kind.references:
        if reference.predicate:
            for _path, entry in entries(reference, dict(document)):
                fields[Edge(reference.predicate, own, str(entry["entityId"]))].add(reference.stored)
    return {edge: Reason(STATED, tuple(sorted(names))) for edge, names in fields.items()}
