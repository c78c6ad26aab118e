"""The standard operations of record types, by the words of ``endpoints:`` in a specification."""

from typing import Final

EVERY_OPERATION: Final = frozenset(
    {
        *(
            "list",
            "find",
            "entityref",
            "count",
            "changes",
            "schema",
            "id",
            "refName",
            "history",
            "states",
            "transitions",
            "ontology",
            "ontologyOf",
        ),
        *("save", "set", "patch", "bulk", "bulkSet", "restore", "delete", "export", "import"),
        *("importSession", "importProfileSession", "importRows", "importErrors", "importProgress"),
        *("importCommit", "importDiscard"),
    }
)
"""Those that a record type has unless its specification names some of them."""
