"""How a stored record is spelled while its record type changes: the steps between two shapes. Pure."""

from runtime.spelling.convert import widen_numbers
from runtime.spelling.expressions import MARK, move_values, values_by_name
from runtime.spelling.removed import forget_removed, keep_removed, list_removed, list_removed_states
from runtime.spelling.shapes import Shape, derive_steps, fingerprint, return_to_former
from runtime.spelling.spelling import Spelling
from runtime.spelling.steps import Step

__all__ = [
    "MARK",
    "Shape",
    "Spelling",
    "Step",
    "derive_steps",
    "fingerprint",
    "forget_removed",
    "keep_removed",
    "list_removed",
    "list_removed_states",
    "move_values",
    "return_to_former",
    "values_by_name",
    "widen_numbers",
]
