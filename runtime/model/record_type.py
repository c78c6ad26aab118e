"""The one description of a kind of record.

Generated code makes one ``RecordType`` a record: facts only. Field types are read from the Pydantic
classes, so nothing is written twice. Later stages hold the resolved thing, never a name.
"""

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Literal, cast

from pydantic import BaseModel
from typing_extensions import TypeVar

from runtime.errors import UnknownField
from runtime.model.attribute_names import may_be_marked, show_path
from runtime.model.field_type import FieldType, ValueKind, find_field, inside, model_fields
from runtime.model.later import LateClass
from runtime.model.named_fields import check_hidden_fields
from runtime.model.nearest import called_now, did_you_mean, name_all, nearest
from runtime.model.operation_names import EVERY_OPERATION
from runtime.model.paths import top_of
from runtime.model.record import ADDED_ON_READING, RecordInput
from runtime.model.state_graph import StateGraph

MAX_STEPS = 64  # of a dotted path; stored JSON is nested at most 32 deep
RecordT_co = TypeVar("RecordT_co", covariant=True)
DocumentT_co = TypeVar("DocumentT_co", covariant=True, default=Any)


@dataclass(frozen=True, slots=True)
class Reference:
    """A field that points to another record. ``path`` is dotted; ``[]`` marks a list on the way.

    ``predicate``: the relationship of the ontology that it states. ``top``: the top-level member of the
    record that holds it.
    """

    path: str
    target: str
    track: bool = False
    required: bool = False
    predicate: str | None = None
    top: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "top", top_of(self.path).removesuffix("[]"))

    @property
    def stored(self) -> str:
        """The path by which the store finds it: the store steps through lists by itself."""
        return self.path.replace("[]", "")

    @property
    def key(self) -> str:
        """The path by which the store finds the id it points to."""
        return f"{self.stored}.entityId"

    @property
    def copies(self) -> Mapping[str, str]:
        """The stored paths of copied names of the target, each with the field it is a copy of."""
        return {f"{self.stored}.entityRefName": "refName", f"{self.stored}.entityDisplayName": "displayName"}


@dataclass(frozen=True, slots=True)
class Constraint:
    """A filter every saved record must match, and what to say when it does not."""

    when: str
    message: str


@dataclass(frozen=True, slots=True)
class Index:
    """An index behind the tenant, if not ``per_realm``; ``language``: of its texts, without case."""

    keys: tuple[tuple[str, int], ...]
    unique: bool = False
    per_realm: bool = False
    expire_after_seconds: int | None = None
    language: str | None = None

    @property
    def tops(self) -> frozenset[str]:
        """The members of the record that the keys are, or are inside of."""
        return frozenset(top_of(path) for path, _direction in self.keys)


def default_domain(name: str) -> str:
    """Return what permission rules call a record type, unless it says otherwise: ``airport`` of Airport."""
    return name[:1].lower() + name[1:]


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordType(Generic[RecordT_co, DocumentT_co]):
    """Everything about one kind of record; ``DocumentT_co`` is its stored form. Compared by identity.

    ``name`` is what stored records, rules and other services know it by, ``title`` what callers call it since
    it was renamed, ``domain`` what rules call it. ``model`` is what a caller reads, ``input`` what a caller
    sends; ``stored`` (where it differs) adds fields that only the server sets and nobody sees. ``model`` may
    be given by name (``Later``), to be imported when it is needed. The others are found next to it, as
    ``AirportInput`` and ``AirportStored``; a record type without the first is read and sent as one class.
    ``renamed``: top-level field → its former name, which records may still use; ``renamed_inside``: the same
    by dotted path, of fields of objects, with ``{}`` for the key of a map. ``operations`` are offered to
    callers, at every door; none are without a ``base_path``. ``changes``: callers can follow writes.
    """

    name: str
    area: str
    domain: str = ""
    model: LateClass[type[RecordT_co]] = LateClass()
    input: LateClass[type[RecordInput]] = LateClass("Input", otherwise="model")
    stored: LateClass[type[RecordInput] | None] = LateClass("Stored")
    collection: str
    base_path: str = ""
    roles: frozenset[str] = frozenset({"user", "admin"})
    operations: frozenset[str] = EVERY_OPERATION
    display: str | None = None
    on_delete: Literal["remove", "archive"] = "remove"
    audited: bool = False
    persistent_events: bool = False
    changes: bool = False
    lenient: bool = False
    hidden: frozenset[str] = frozenset()
    server_set: frozenset[str] = frozenset()
    immutable: frozenset[str] = frozenset()
    text: tuple[str, ...] = ()
    calculated: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    renamed_inside: Mapping[str, str] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()
    states: Mapping[str, StateGraph] = field(default_factory=dict)
    constraints: tuple[Constraint, ...] = ()
    indexes: tuple[Index, ...] = ()
    title: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", self.domain or default_domain(self.name))
        if not self.base_path:
            object.__setattr__(self, "operations", frozenset())

    @property
    def shown_name(self) -> str:
        """What callers call it."""
        return self.title or self.name

    @property
    def qualified_name(self) -> str:
        """What callers call it, with its area: ``logistics.Airport``."""
        return f"{self.area}.{self.shown_name}"

    @cached_property
    def fields(self) -> Mapping[str, FieldType]:
        """Top-level fields by wire name, hidden and server-kept ones included.

        Objects are typed as a caller sends them: what a caller reads lacks the hidden fields inside. Raises
        ``Misconfigured`` for a field that is hidden and cannot be.
        """
        own, sent = model_fields(cast(type[BaseModel], self.model)), model_fields(self.stored or self.input)
        found = {**own, **sent}
        check_hidden_fields(self.name, self.hidden, found)
        return found

    @cached_property
    def visible(self) -> Mapping[str, FieldType]:
        """Top-level fields a caller may name in sort, projection, filter and columns."""
        return {name: kind for name, kind in self.fields.items() if name not in self.hidden}

    def name_as_today(self, path: str) -> str:
        """Return a path with the names of today for former ones."""
        now: list[str] = []
        place = ""  # as ``renamed_inside`` names it
        for step in path.split("."):
            formers = self.renamed_inside if now else self.renamed
            fits = [new for new, name in formers.items() if (new.rpartition(".")[0], name) == (place, step)]
            if any(new.startswith(f"{place}.{{}}.") for new in formers):
                fits = [f"{place}.{{}}"]
            place = fits[0] if fits else f"{place}.{step}".removeprefix(".")
            now.append(step if place.endswith("{}") else place.rpartition(".")[2])
        return ".".join(now)

    def advise_name(
        self, path: str, step: str, known: Collection[str], what: str = "field", where: str = ""
    ) -> tuple[list[str], str]:
        """Return which of the ``known`` names may be meant by an unknown step, and how to say so.

        ``path`` ends with the step. That is the name of today of a former one, else the nearest, else inside
        of an object all of a few; ``what`` these are called, ``where`` whose they are (``" of lines"``).
        """
        now = self.name_as_today(path)
        name = now.rpartition(".")[2]
        if now != path and name in known:
            return [name], called_now(now)
        near = nearest(step, known)
        return near, did_you_mean(near) or (name_all(known, what, where) if "." in path else "")

    @cached_property
    def copied(self) -> frozenset[str]:
        """The paths of names that are copied into references."""
        return frozenset(path for reference in self.references for path in reference.copies)

    @cached_property
    def required(self) -> frozenset[str]:
        """The top-level fields that every stored record has, by wire name."""
        own = {info.alias or name for name, info in self.input.model_fields.items() if info.is_required()}
        return frozenset(own | {"refName", "displayName", "activeStatus", "version"})

    def field_at(self, path: str, hidden: Set[str] = frozenset()) -> FieldType:
        """Return the type at a dotted path; steps through lists and maps as MongoDB does.

        Raises ``UnknownField`` (400, with the nearest names) for a path that is unknown, or hidden by
        the record type or by ``hidden`` (what permission rules take away).
        """
        if path.count(".") >= MAX_STEPS:
            raise self.unknown_field(path, path, [])
        if top_of(path) in ADDED_ON_READING:
            message = f"{path[:200]} is added to a record that is read, not stored: no filter, order,"
            raise UnknownField(f"{message} projection or column can name it", field=path[:200], nearest=[])
        if not may_be_marked(path):
            why = "only names of attributes have dots, or begin with $"
            message = f"{self.shown_name} has no field {show_path(path)[:200]}: {why}"
            raise UnknownField(message, field=show_path(path)[:200], nearest=[])
        unseen = self.hidden | hidden
        here = FieldType(ValueKind.OBJECT, fields=self.fields)
        done = ""
        for step in path.split("."):
            here = here.innermost
            before = f"{done}." if done else ""
            done = before + step
            found = inside(here, step)
            if found is None or done in unseen:
                shown = [name for name in here.fields if before + name not in unseen]
                raise self.unknown_field(path, step, shown, before)
            here = found
        return here

    def find(self, path: str) -> FieldType | None:
        """Find the type at a dotted path, hidden or not; None for one that is not declared."""
        return find_field(self.fields, path)

    def unknown_field(self, path: str, step: str, known: list[str], before: str = "") -> UnknownField:
        """Build the refusal of a path whose ``step`` is not among the ``known`` names, with what it may mean.

        ``before``: the path up to the step, with its dot.
        """
        where = f" of {show_path(before[:-1])[:200]}" if before else ""
        near, advice = self.advise_name(before + step, step, known, where=where)
        shown = show_path(path)[:200]
        return UnknownField(f"{self.shown_name} has no field {shown}{advice}", field=shown, nearest=near)
