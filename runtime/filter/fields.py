"""The place of a named field in the stored document, found once per record type and path."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final

from runtime.errors import UnknownField
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.nearest import did_you_mean, nearest
from runtime.model.paths import around
from runtime.model.record_type import RecordType, Reference

KEPT_PATH: Final = 200  # characters


@dataclass(frozen=True, slots=True)
class Field:
    """A field as the store knows it.

    ``path`` is the stored path (``_id`` for ``id``); ``type`` the type there; ``lists`` the paths of the
    lists around a value, outermost first, the field's own path included when it is one.
    """

    path: str
    type: FieldType
    lists: tuple[str, ...]

    @property
    def has_typed_elements(self) -> bool:
        """Whether it is a list of plain values, objects or maps."""
        kinds = (ValueKind.LIST, ValueKind.JSON)
        return self.type.kind is ValueKind.LIST and self.element.kind not in kinds

    @property
    def element(self) -> FieldType:
        """The type of one value: that of the items when the field is a list."""
        return self.type.item if self.type.kind is ValueKind.LIST and self.type.item else self.type


@dataclass(frozen=True, eq=False)
class Columns:
    """The typed columns of rows that are worked out, such as groups of records: name → place.

    A filter and a sort may be about them as about the fields of a record type.
    """

    shown_name: str
    places: Mapping[str, Field]
    text: ClassVar[tuple[str, ...]] = ()
    references: ClassVar[tuple[Reference, ...]] = ()
    hidden: ClassVar[frozenset[str]] = frozenset()

    @property
    def fields(self) -> Mapping[str, FieldType]:
        return {name: found.type for name, found in self.places.items()}

    def at(self, name: str) -> Field:
        """Return the place of a column. Raises ``UnknownField``, with the nearest names."""
        if (found := self.places.get(name)) is not None:
            return found
        near, shown = nearest(name, self.places), name[:200]
        advice = did_you_mean(near) or f"; the columns are {', '.join(self.places)}"
        message = f"{self.shown_name} have no column {shown}{advice}"
        raise UnknownField(message, field=shown, nearest=near)


def locate(kind: RecordType[Any] | Columns, path: str, hidden: frozenset[str] = frozenset()) -> Field:
    """Find the field at a dotted wire path. Raises ``UnknownField`` when unknown or hidden.

    ``dynamicAttributes.<set>.<name>`` is the value of that attribute. Names of attributes are a caller's
    own, hence the cache is bounded in number and length.
    """
    if isinstance(kind, Columns):
        return kind.at(path)
    return (_kept if len(path) <= KEPT_PATH else _locate)(kind, path, hidden)


def shows_ref_name(kind: RecordType[Any] | Columns, path: str, hidden: frozenset[str]) -> bool:
    """Return whether the reference at a path has a name that is not hidden."""
    try:
        locate(kind, f"{path}.entityRefName", hidden)
    except UnknownField:
        return False
    return True


def _locate(kind: RecordType[Any], path: str, hidden: frozenset[str]) -> Field:
    found = kind.field_at(path, hidden)
    if path == "id":
        return Field("_id", found, ())
    if path.count(".") == 2 and path.startswith("dynamicAttributes.") and "value" in found.fields:
        path += ".value"
        found = kind.field_at(path, hidden)
    lists = tuple(p for p in (*around(path), path) if kind.field_at(p, hidden).kind is ValueKind.LIST)
    return Field(path, found, lists)


_kept = lru_cache(maxsize=4096)(_locate)
