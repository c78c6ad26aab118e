"""Names that one part of a specification declares and another uses."""

from typing import NamedTuple

from generator.problems import Problem


class Unknown(NamedTuple):
    """A name that is unknown, with the problem that it is; of a functional domain in lower case."""

    kind: str
    name: str
    problem: Problem


OPERATIONS_ELSEWHERE = {
    "create": "save", "insert": "save", "add": "save", "replace": "save", "get": "id", "read": "id",
    "update": "patch", "edit": "patch", "remove": "delete", "search": "find", "query": "find",
}  # fmt: skip
"""What other services call the standard operations."""

NAMING_TYPES = ("reference", "structure", "states")
"""The words that give a field a type by the name of something declared."""

UNKNOWN = {
    "record": ("SPEC031", "record type"),
    "structure": ("SPEC032", "structure"),
    "stateGraph": ("SPEC033", "state graph"),
    "ontology": ("SPEC035", "predicate"),
    "role": ("SPEC036", "role"),
    "area": ("SPEC037", "functional area"),
    "operation": ("SPEC038", "standard operation"),
    "endpoints": ("SPEC038", "operation id"),
}
"""Kind of a name → the rule that such a name exists, and what it is called in words."""

REMARKS = {
    "endpoints": " (a call takes an endpoint that you declare; for records write query, count, save or "
    "transition)",
}
"""Kind of a name → what else there may be to say about one that does not exist."""
