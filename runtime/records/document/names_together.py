"""Names copied into references, and what is built from them, belong to one moment. Pure."""

from copy import deepcopy
from typing import Any

from runtime.model.record_type import RecordType

Document = dict[str, Any]


def keep_names_together(kind: RecordType[Any], document: Document, stored: Document) -> frozenset[str]:
    """Store what is built from names together with all these names, or neither.

    Another writer may copy newer names in between, which would then be stored with values built from the old
    ones. References that are sent as they were read stay as they are stored. Returns the built members to
    send although they did not change.
    """
    if not kind.references or not (kind.display or kind.calculated):
        return frozenset()
    tops = {reference.top for reference in kind.references} & document.keys()
    for top in tops:
        if document[top] == stored.get(top):
            document[top] = stored[top]
    built = ("displayName", *kind.calculated)
    has_new_names = any(document[top] is not stored.get(top) for top in tops)
    if not has_new_names and all(document.get(name) == stored.get(name) for name in built):
        return frozenset()
    for top in tops:
        if document[top] is stored.get(top):
            document[top] = deepcopy(document[top])  # another object, hence sent with what differs
    return frozenset(built) & document.keys()
