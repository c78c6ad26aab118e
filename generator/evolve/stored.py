"""What specifications say about stored data, as plain values: the input of the comparison of two versions.

Structures are written out where they are used, since they cannot contain themselves. A release keeps these
values as ``specs/released/stored.json``, so that a later generator compares with what was released, whatever
the specification language was then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from generator.model import Field, Graph, Model, Record, Structure, Type


class UnreadableReleaseError(Exception):
    """A file of a release that was not written by ``recordsmith release``, or that was changed since."""


@dataclass(frozen=True, slots=True)
class StoredType:
    """The type of a value: ``kind`` is a word of the specification language, ``structure`` is ``object``."""

    kind: str
    item: StoredType | None = None
    fields: tuple[StoredField, ...] = ()
    values: tuple[str, ...] = ()  # of an enum, the states of a graph
    target: str | None = None  # the record type of a reference, the graph of a state
    limits: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Spell the type as a specification does."""
        if self.item is not None:
            return f"{self.kind} of {self.item}"
        if self.target is not None:
            return f"{self.kind} {self.target}"
        return f"{self.kind} {', '.join(self.values)}" if self.values else self.kind


@dataclass(frozen=True, slots=True)
class StoredField:
    """One field of a record, or of an object inside it."""

    name: str
    type: StoredType
    required: bool = False
    default: Any = None
    renamed_from: str | None = None


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index that refuses or removes records: a unique one, or one with an expiry."""

    keys: tuple[str, ...]
    unique: bool = False
    per_realm: bool = False
    language: str | None = None
    expire_after_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One record type."""

    name: str
    area: str
    collection: str
    fields: tuple[StoredField, ...] = ()
    indexes: tuple[StoredIndex, ...] = ()
    constraints: tuple[str, ...] = ()
    on_delete: str = "remove"
    lenient: bool = False
    audited: bool = False
    dynamic_attributes: bool = False
    renamed_from: str | None = None

    @property
    def stored_name(self) -> str:
        """What its collection and other records know it by."""
        return self.renamed_from or self.name


@dataclass(frozen=True, slots=True)
class StoredState:
    """One state of a graph."""

    name: str
    next: tuple[str, ...] = ()
    initial: bool = False
    final: bool = False
    renamed_from: str | None = None


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """A state graph."""

    name: str
    states: tuple[StoredState, ...]
    default: str | None = None

    @property
    def start(self) -> str | None:
        """The state of a new record that names none; None where it has to name one."""
        initial = [one.name for one in self.states if one.initial]
        return initial[0] if len(initial) == 1 else self.default


@dataclass(frozen=True, slots=True)
class StoredSpecs:
    """All record types and state graphs of a service, by name."""

    version: str = ""
    records: tuple[StoredRecord, ...] = ()
    graphs: tuple[StoredGraph, ...] = ()


_ADAPTER = TypeAdapter(StoredSpecs)


def describe_stored(model: Model) -> StoredSpecs:
    """Describe what a model says about stored data."""
    structures = {str(one.name): one for one in model.structures}
    return StoredSpecs(
        version=model.version,
        records=tuple(_describe_record(one, structures) for one in model.records),
        graphs=tuple(_describe_graph(one) for one in model.graphs),
    )


def render_stored(specs: StoredSpecs) -> str:
    """Render ``stored.json``: what differs from the defaults, a newline at the end."""
    return _ADAPTER.dump_json(specs, indent=1, exclude_defaults=True).decode() + "\n"


def read_stored(text: bytes, name: str) -> StoredSpecs:
    """Read ``stored.json``. Raises ``UnreadableReleaseError``."""
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UnreadableReleaseError(f"{name}: {place + ': ' if place else ''}{first['msg']}") from None


Structures = Mapping[str, Structure]


def _describe_record(record: Record, structures: Structures) -> StoredRecord:
    indexes = (
        StoredIndex(
            tuple(path for path, _direction in one.keys),
            one.unique,
            one.per_realm,
            one.language,
            one.expire_after_seconds,
        )
        for one in record.indexes
        if one.unique or one.expire_after_seconds is not None
    )
    return StoredRecord(
        name=str(record.name),
        area=record.area,
        collection=record.collection,
        fields=_describe_fields(record.fields, structures),
        indexes=tuple(indexes),
        constraints=tuple(one.when for one in record.constraints),
        on_delete=record.on_delete,
        lenient=record.lenient,
        audited=record.audited,
        dynamic_attributes=record.dynamic_attributes,
        renamed_from=record.renamed_from,
    )


def _describe_fields(fields: tuple[Field, ...], structures: Structures) -> tuple[StoredField, ...]:
    return tuple(
        StoredField(
            one.name, _describe_type(one.type, structures), one.required, one.default, one.renamed_from
        )
        for one in fields
    )


def _describe_type(kind: Type, structures: Structures) -> StoredType:
    inner = structures[kind.target].fields if kind.kind == "structure" and kind.target else kind.fields
    has_target = kind.kind in ("reference", "states")
    return StoredType(
        kind="object" if kind.kind == "structure" else str(kind.kind),
        item=_describe_type(kind.item, structures) if kind.item else None,
        fields=_describe_fields(inner, structures),
        values=kind.values,
        target=kind.target if has_target else None,
        limits=dict(kind.constraints),
    )


def _describe_graph(graph: Graph) -> StoredGraph:
    states = (
        StoredState(name, one.next, one.initial, one.final, graph.renamed.get(name))
        for name, one in graph.states.items()
    )
    return StoredGraph(graph.name, tuple(states), graph.default)
