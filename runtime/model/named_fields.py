"""The fields that a record type hides must be fields that can be hidden."""

from collections.abc import Mapping, Set

from runtime.errors import Misconfigured
from runtime.model.field_type import FieldType


def check_hidden_fields(kind: str, hidden: Set[str], fields: Mapping[str, FieldType]) -> None:
    """Check the hidden fields of the record type that is called ``kind``; raises ``Misconfigured``.

    A replace preserves hidden values by their path, and members of a list or map have no stable one.
    """
    for path in sorted(hidden):
        known = fields
        for step in path.split("."):
            if step not in known:
                raise Misconfigured(f"{kind}: {path} cannot be hidden: only fields of objects can")
            known = known[step].fields
