"""The fields that a record type names besides declaring them must be fields that allow it."""

from collections.abc import Mapping, Set
from typing import Protocol

from runtime.errors import Misconfigured
from runtime.model.field_type import FieldType


class Naming(Protocol):
    """What a record type says of its fields by name; ``unique_tops``: what unique indexes are about."""

    @property
    def name(self) -> str: ...
    @property
    def hidden(self) -> Set[str]: ...
    @property
    def immutable(self) -> Set[str]: ...
    @property
    def renamed(self) -> Mapping[str, str]: ...
    @property
    def unique_tops(self) -> Set[str]: ...


def check_named_fields(kind: Naming, fields: Mapping[str, FieldType]) -> None:
    """Check hidden, immutable and renamed fields; raises ``Misconfigured``.

    A replace preserves hidden values by their path, and members of a list or map have no stable one.
    """
    for path in sorted(kind.hidden):
        known = fields
        for step in path.split("."):
            if step not in known:
                raise Misconfigured(f"{kind.name}: {path} cannot be hidden: only fields of objects can")
            known = known[step].fields
    for path in sorted(kind.immutable):
        if path not in fields or path in kind.hidden:
            raise Misconfigured(f"{kind.name}: {path} cannot be immutable: only visible top fields can")
    for name, former in kind.renamed.items():
        if name not in fields:
            raise Misconfigured(f"{kind.name}: {name} is renamed from {former}, but not declared")
        if former in fields:
            raise Misconfigured(f"{kind.name}: {name} cannot be renamed from {former}: it still exists")
        if name in kind.unique_tops:
            raise Misconfigured(f"{kind.name}: {name} may be stored as {former}: it cannot be unique")
