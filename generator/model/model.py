"""The whole model, and all that specifications describe besides fields and hand-written routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from generator.model.endpoints import Endpoint
from generator.model.fields import Field, Structure
from generator.naming import ClassName, Constant, FileName
from generator.operations import StandardOperation
from generator.problems import Problem
from runtime.model.ontology import Relationship
from runtime.model.record_type import Constraint, Index
from runtime.model.state_graph import State


@dataclass(frozen=True, slots=True)
class Graph:
    """A state graph; ``constant`` is its name in generated code."""

    name: str
    constant: Constant
    area: str
    states: Mapping[str, State]
    source: str
    description: str | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)  # state → its former name
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One record type. ``source`` is the YAML file, relative to the specs folder's parent.

    ``is_system``: one of the service's own, whose classes are part of the runtime. ``extends``: the one of
    the service, where this has the fields that the project adds as well.
    """

    name: ClassName
    constant: Constant
    file_name: FileName  # module below generated/models and generated/routers
    area: str
    domain: str  # functional domain: the stored name in camelCase
    plural: str  # words for summaries: "airports", "shipment lines"
    description: str
    path: str
    collection: str
    source: str
    fields: tuple[Field, ...]
    operations: tuple[StandardOperation, ...]
    roles: tuple[str, ...]
    display: str | None = None
    audited: bool = False
    persistent_events: bool = False
    changes: bool = False
    lenient: bool = False
    on_delete: str = "remove"
    dynamic_attributes: bool = False
    ontology: bool = False
    constraints: tuple[Constraint, ...] = ()
    indexes: tuple[Index, ...] = ()
    renamed_from: str | None = None
    is_system: bool = False
    extends: Record | None = None

    @property
    def stored_name(self) -> str:
        """What stored records, rules and other services know the type by, whatever it is called now."""
        return self.renamed_from or str(self.name)

    @property
    def is_internal(self) -> bool:
        """Whether the service alone reads and writes such records: they have no routes."""
        return self.is_system and not self.operations


class Digests(NamedTuple):
    """Hashes of a record type as a whole, and without its fields and indexes."""

    whole: str
    bare: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A named tool. ``does``: query, count, save, transition, call, remote, run; ``settings``: its own words.

    ``arguments``: its arguments as a structure, which is made for the tool unless it ``runs`` a function.
    ``endpoint``: what is called.
    """

    name: str
    area: str
    description: str
    does: str
    target: str
    settings: Mapping[str, object]
    arguments: Structure
    answer: Structure | None = None
    endpoint: Endpoint | None = None
    read_only: bool = False
    destructive: bool = False

    @property
    def runs(self) -> bool:
        """Whether it is one of the service's own, a function with structures of its own."""
        return self.does == "run"


@dataclass(frozen=True, slots=True)
class Seed:
    """Records to insert once per realm, keyed by refName."""

    record: str
    version: int
    rows: tuple[Mapping[str, object], ...]
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Declaration:
    """A breaking change that is meant; ``*`` in the rule and the place stands for any letters."""

    rule: str
    at: str
    date: str
    reason: str
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class Area:
    """A functional area: a folder of ``specs/`` and a tag group of the document."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Model:
    """Everything the specifications say.

    ``rules``: each as it is stored, as a seed of ``permissionRule``. ``import_profiles``: a seed for each.
    ``more_info``: contact, license and termsOfService, as the document has them.
    ``digests``: of record types by name, as far as they are known. ``warnings``: what looks like a mistake.
    """

    title: str
    version: str
    description: str
    roles: tuple[str, ...]
    areas: tuple[Area, ...]
    records: tuple[Record, ...]
    graphs: tuple[Graph, ...]
    structures: tuple[Structure, ...]
    endpoints: tuple[Endpoint, ...]
    tools: tuple[Tool, ...] = ()
    rules: tuple[Mapping[str, object], ...] = ()
    import_profiles: tuple[Seed, ...] = ()
    seeds: tuple[Seed, ...] = ()
    predicates: tuple[Relationship, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    breaking: tuple[Declaration, ...] = ()
    more_info: Mapping[str, object] = field(default_factory=dict)
    digests: Mapping[str, Digests] = field(default_factory=dict, compare=False, repr=False)
    warnings: tuple[Problem, ...] = field(default=(), compare=False, repr=False)

    @property
    def stored_names(self) -> dict[str, str]:
        """What each record type is called in the store, by name."""
        return {str(one.name): one.stored_name for one in self.records}

    def list_records(self, *, of_service: bool) -> tuple[Record, ...]:
        """List the records whose code is the project's, or those of the service as it has them itself."""
        if of_service:
            return tuple(one.extends or one for one in self.records if one.is_system or one.extends)
        return tuple(one for one in self.records if not one.is_system)
