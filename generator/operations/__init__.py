"""The standard operations of a record resource, one row each.

Routes, the OpenAPI document and the key in a record's ``endpoints`` are derived from the row. The README of
the generator lists what else belongs to a new operation.
"""

from generator.operations.operation import EVENTS_ANSWER, FILE_ANSWER, NEEDED, StandardOperation
from generator.operations.table import BY_KEY, STANDARD_OPERATIONS

__all__ = [
    "BY_KEY",
    "EVENTS_ANSWER",
    "FILE_ANSWER",
    "NEEDED",
    "STANDARD_OPERATIONS",
    "StandardOperation",
]
