"""How a stored record is spelled while its record type changes: the steps between two shapes. Pure."""

from runtime.spelling.expressions import MARK, move_values, values_by_name
from runtime.spelling.removed import forget_removed, keep_removed, list_removed, list_removed_states
from runtime.spelling.shapes import Shape, derive_steps, fingerprint, return_to_former
from runtime.spelling.spelling import Spelling
from runtime.spelling.steps import Step, parse_path
from runtime.spelling.texts import Replace
from runtime.spelling.values import Coerce, Confine, Enlist, Fill, Widen

__all__ = [
    "MARK",
    "Coerce",
    "Confine",
    "Enlist",
    "Fill",
    "Replace",
    "Shape",
    "Spelling",
    "Step",
    "Widen",
    "derive_steps",
    "fingerprint",
    "forget_removed",
    "keep_removed",
    "list_removed",
    "list_removed_states",
    "move_values",
    "parse_path",
    "return_to_former",
    "values_by_name",
]
