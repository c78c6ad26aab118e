"""What a caller sent, as the one path for writing takes it: a complete document in stored form.

A full save, a merge patch and a set of values all become a ``Sent``, so what follows (references, states,
immutable fields, calculated fields, constraints) is the same for each.
"""

from collections.abc import Mapping, Sequence, Set
from copy import deepcopy
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import BaseModel

from runtime.model.problems import Violation
from runtime.model.record import members
from runtime.model.record_type import RecordType
from runtime.records.document.dynamic import read_attributes
from runtime.records.document.lenient import missing_in, violations_in
from runtime.records.document.template import tops
from runtime.storage.codec import encode_document

Document = dict[str, Any]


class Sent(NamedTuple):
    """What a caller sent, as a whole document in stored form.

    ``document``: the whole record, without what the store keeps hidden; ``version`` and ``_id`` only when the
    caller named them. ``emptied``: hidden paths to be cleared. ``violations``: what a lenient record type
    lets through; ``constraints.require_sound`` takes them. ``missing``: required fields that the caller does
    not see and did not send; a new record cannot do without them. ``cleared_states``: state fields sent as
    null. ``stamps``: fields ``setBy: server`` that the service writes with it, whatever the caller sent.
    ``new_id``: the id of a new record, where the service has chosen it. ``named``: the references that a
    display name is made of, with the names that came with them.
    """

    document: Document
    emptied: frozenset[str] = frozenset()
    violations: Sequence[Violation] = ()
    missing: Sequence[Violation] = ()
    cleared_states: Sequence[str] = ()
    stamps: Mapping[str, Any] = MappingProxyType({})
    new_id: Any = None
    named: Mapping[str, Any] = MappingProxyType({})

    @property
    def record_id(self) -> str | None:
        """The id that the caller named."""
        named = self.document.get("_id")
        return None if named is None else str(named)

    @property
    def version(self) -> int | None:
        """The version that the caller named."""
        return self.document.get("version")


def read_sent(kind: RecordType[Any], body: BaseModel, *, only: Set[str] | None = None) -> Sent:
    """Convert checked input to stored form; ``only``: of these members, as far as they were sent.

    Raises ``ValidationFailed`` for what the store cannot keep and for wrong dynamic attributes.
    """
    document = encode_document(kind, body, None if only is None else _find_named(type(body), frozenset(only)))
    if "dynamicAttributes" in document:
        document["dynamicAttributes"] = read_attributes(document["dynamicAttributes"])
    states = [field for field in kind.states if _is_null(body, field)]
    cleared = frozenset(path for path in kind.hidden if _is_null(body, path))
    found = violations_in(body), missing_in(body)
    return Sent(document, cleared, *found, states, named=_copy_named(kind, document))


def _copy_named(kind: RecordType[Any], document: Document) -> Document:
    """Copy the references that the display name is made of, before others names are filled in."""
    if kind.display is None or "displayName" not in document:
        return {}
    named = tops(kind.display) & {reference.top for reference in kind.references} & document.keys()
    return {top: deepcopy(document[top]) for top in named}


def _is_null(here: Any, path: str) -> bool:
    """Return whether a field was sent as null, or is inside an object that was."""
    for step in path.split("."):
        if not isinstance(here, BaseModel):
            return False
        name, _info = members(type(here)).get(step, ("", None))
        if name not in here.model_fields_set:
            return False
        here = getattr(here, name)
        if here is None:
            return True
    return False


@lru_cache(maxsize=4096)
def _find_named(model: type[BaseModel], only: frozenset[str]) -> frozenset[str]:
    return frozenset(own_name for name, (own_name, _info) in members(model).items() if name in only)
