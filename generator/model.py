"""The resolved model: what the specifications mean. Frozen, every name given, every link followed.

``resolve.py`` makes it (and is the only place that can fail); ``openapi.py``, ``pydantic_models.py``
and ``render.py`` only read it. Tuples are in a stable order: records, graphs, structures and endpoints
by name, fields and states as written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from generator.naming import ClassName, Constant, FileName, PythonName
from generator.operations import StandardOperation
from generator.spec import OAuthKind
from runtime.model.record_type import Constraint, Index
from runtime.model.state_graph import State


class Kind(StrEnum):
    """The field types of the specification language."""

    STRING = "string"
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"
    OBJECT_ID = "objectId"
    JSON = "json"
    ENUM = "enum"
    LIST = "list"
    MAP = "map"
    OBJECT = "object"
    STRUCTURE = "structure"
    REFERENCE = "reference"
    STATES = "states"


@dataclass(frozen=True, slots=True)
class Type:
    """A field's type. Which members are set follows from ``kind``."""

    kind: Kind
    item: Type | None = None  # LIST, MAP
    fields: tuple[Field, ...] = ()  # OBJECT
    class_name: ClassName | None = None  # OBJECT: the class made for it; STRUCTURE: its class
    values: tuple[str, ...] = ()  # ENUM, STATES
    target: str | None = None  # REFERENCE: record name; STATES: graph name; STRUCTURE: its name
    constraints: Mapping[str, object] = field(default_factory=dict)  # JSON Schema words, checked


@dataclass(frozen=True, slots=True)
class Field:
    """One field. ``name`` is the wire name."""

    name: str
    python_name: PythonName
    type: Type
    description: str | None = None
    required: bool = False
    default: object = None  # None: no default (null defaults are not allowed)
    example: object = None
    hidden: bool = False
    read_only: bool = False
    set_by_server: bool = False
    immutable: bool = False
    unique: bool = False
    indexed: bool = False
    deprecated: bool = False
    calculated: str | None = None
    renamed_from: str | None = None
    track: bool = False
    predicate: str | None = None

    @property
    def is_made_by_server(self) -> bool:
        """Whether the server sets the field and ignores what a caller sends."""
        return self.set_by_server or self.read_only or self.calculated is not None


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


@dataclass(frozen=True, slots=True)
class Structure:
    """A shared nested object."""

    name: ClassName
    file_name: FileName
    area: str
    description: str
    fields: tuple[Field, ...]
    source: str
    snake_case: bool = False
    is_system: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """A typed argument of a tool or a hand-written endpoint."""

    name: str
    python_name: PythonName
    type: Type
    required: bool
    description: str | None = None
    default: object = None  # None: no default


@dataclass(frozen=True, slots=True)
class Parameter(Argument):
    """A parameter of a hand-written endpoint; ``location`` is query, path or header."""

    location: str = "query"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A hand-written route. ``request`` and ``response`` name structures; ``None``: no body."""

    operation_id: str
    function: PythonName
    method: str  # lower case
    path: str
    area: str
    domain: str
    action: str
    summary: str
    handler_module: str
    handler_function: str
    source: str
    description: str | None = None
    public: bool = False  # no token needed
    oauth: OAuthKind | None = None  # what it takes, and how it answers errors
    roles: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    request: Structure | None = None
    response: Structure | None = None
    status: int = 200
    errors: tuple[int, ...] = ()
    records_decide: bool = False  # no permission of its own: those on records decide
    takes_key: bool = False
    large_body: bool = False
    streams: str | None = None  # the media type
    events: str | None = None  # the pattern of their data
    answers: str | None = None  # json or list
    is_system: bool = False

    @property
    def takes_form(self) -> bool:
        """Whether its body is a form."""
        return self.oauth == "form" or (self.oauth == "page" and not self.takes_query)

    @property
    def takes_query(self) -> bool:
        """Whether its request is a query."""
        return self.oauth == "page" and self.method == "get"


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
    source: str
    answer: Structure | None = None
    endpoint: Endpoint | None = None
    read_only: bool = False
    destructive: bool = False

    @property
    def runs(self) -> bool:
        """Whether it is one of the service's own, a function with structures of its own."""
        return self.does == "run"


@dataclass(frozen=True, slots=True)
class Rule:
    """A permission rule as a seed of ``permissionRule``: its members as they are stored."""

    name: str
    values: Mapping[str, object]
    source: str


@dataclass(frozen=True, slots=True)
class ImportProfile:
    """A checked seed of the ImportProfile record."""

    ref_name: str
    target: str
    values: Mapping[str, object]
    source: str
    version: int = 1
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Seed:
    """Records to insert once per realm, keyed by refName."""

    record: str
    version: int
    rows: tuple[Mapping[str, object], ...]
    source: str
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Predicate:
    """A relationship type of the ontology."""

    name: str
    domain: str
    range: str
    inverse: str | None = None
    transitive: bool = False
    symmetric: bool = False
    sub_property_of: str | None = None
    chain: tuple[str, ...] = ()
    description: str | None = None


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
    """Everything the specifications say."""

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
    rules: tuple[Rule, ...] = ()
    import_profiles: tuple[ImportProfile, ...] = ()
    seeds: tuple[Seed, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    breaking: tuple[Declaration, ...] = ()

    @property
    def stored_names(self) -> dict[str, str]:
        """What each record type is called in the store, by name."""
        return {str(one.name): one.stored_name for one in self.records}

    def list_records(self, *, of_service: bool) -> tuple[Record, ...]:
        """List the records whose code is the project's, or those of the service as it has them itself."""
        if of_service:
            return tuple(one.extends or one for one in self.records if one.is_system or one.extends)
        return tuple(one for one in self.records if not one.is_system)
