"""The context of ``record_types.py``: state graphs, record types, the catalogue."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from generator.model import Field, Graph, Kind, Model, Record, Structure, walk_fields
from generator.operations import STANDARD_OPERATIONS
from generator.render.documents import document_name
from generator.render.module import SYSTEM_PACKAGE, Assignments, Imports, call, code, code_tuple, package_of
from generator.render.shapes import FILE_NAME as SHAPES
from runtime.model.ontology import Relationship
from runtime.model.record_type import Index, default_domain
from runtime.model.state_graph import State

_KIND = "runtime.model.record_type"
_DEFAULT_ROLES = frozenset({"user", "admin"})
_STANDARD = frozenset(row.key for row in STANDARD_OPERATIONS if not row.only_with)


def build_record_types_module(model: Model, package: str) -> Assignments:
    """Build the module of a model; that of the system's own records when they are this package's."""
    imports = Imports()
    is_system = package == SYSTEM_PACKAGE
    structures = {str(one.name): one for one in model.structures}
    graphs = [] if is_system else [f"{graph.constant} = {_graph(graph, imports)}" for graph in model.graphs]
    constants = {graph.name: str(graph.constant) for graph in model.graphs}
    names = model.stored_names
    kinds = [
        _RecordType(record, structures, constants, names, imports, package).text
        for record in model.list_records(of_service=is_system)
    ]
    catalog = "" if is_system else f"CATALOG = {_render_catalog(model, imports, package)}"
    return Assignments.of("Every record type and state graph.", imports, *graphs, "", *kinds, "", catalog)


def _render_catalog(model: Model, imports: Imports, package: str) -> str:
    """Render the catalogue of all record types, with those of the system."""
    for record in model.records:
        if record.is_system:
            imports.name(f"{package_of(record, package)}.record_types", record.constant)
    constants = code_tuple([str(record.constant) for record in model.records])
    names = model.stored_names
    found = [
        _render_relationship(replace(one, domain=names[one.domain], range=names[one.range]), imports)
        for one in sorted(model.predicates, key=lambda one: one.name)
    ]
    return call(
        imports.name("runtime.model.catalog", "Catalog"),
        constants,
        roles=code(frozenset(model.roles)),
        relationships=code_tuple(found) if found else None,
        shapes=f"{imports.name('pathlib', 'Path')}(__file__).with_name({code(SHAPES)})",
    )


def _render_relationship(one: Relationship, imports: Imports) -> str:
    return call(
        imports.name("runtime.model.ontology", "Relationship"),
        code(one.name),
        domain=code(one.domain),
        range=code(one.range),
        inverse=code(one.inverse) if one.inverse else None,
        transitive="True" if one.transitive else None,
        symmetric="True" if one.symmetric else None,
        sub_property_of=code(one.sub_property_of) if one.sub_property_of else None,
        chain=code(one.chain) if one.chain else None,
        description=code(one.description) if one.description else None,
    )


def references_of(
    fields: tuple[Field, ...], structures: Mapping[str, Structure]
) -> Iterator[tuple[str, Field, str]]:
    """Yield (path, field, target) of every reference; ``[]`` marks a list on the way."""
    for path, field, kind in walk_fields(fields, structures):
        if kind.kind is Kind.REFERENCE and kind.target:
            yield path, field, kind.target


@dataclass
class _RecordType:
    """One ``RecordType(…)``: what every record says, then only what differs from the defaults."""

    record: Record
    structures: dict[str, Structure]
    graphs: dict[str, str]
    stored_names: dict[str, str]
    imports: Imports
    package: str

    @property
    def text(self) -> str:
        return f"{self.record.constant}: {self._annotation()} = {self._call()}"

    def _class_name(self) -> str:
        """Render the class of the record, which is imported when it is needed."""
        module = f"{self.package}.models.{self.record.file_name}"
        return call(self.imports.name("runtime.model.later", "Later"), code(module), code(self.record.name))

    def _annotation(self) -> str:
        """Render the type; of a record of the system it says how its documents look."""
        anything = self.imports.name("typing", "Any")
        if not self.record.is_system:
            return f"RecordType[{anything}]"
        documents = self.imports.name(SYSTEM_PACKAGE, "documents")
        return f"RecordType[{anything}, {documents}.{document_name(self.record)}]"

    def _call(self) -> str:
        record = self.record
        return call(
            self.imports.name(_KIND, "RecordType"),
            name=code(record.stored_name),
            title=code(str(record.name)) if record.renamed_from else None,
            area=code(record.area),
            domain=None if record.domain == default_domain(record.stored_name) else code(record.domain),
            model=self._class_name(),
            collection=code(record.collection),
            base_path=None if record.is_internal else code(record.path),
            roles=None if frozenset(record.roles) == _DEFAULT_ROLES else code(frozenset(record.roles)),
            operations=None if record.is_internal else self._operations(),
            display=code(record.display) if record.display else None,
            on_delete=None if record.on_delete == "remove" else code(record.on_delete),
            **self._marks(),
            **self._names(),
            references=self._references(),
            states=self._states(),
            constraints=self._constraints(),
            indexes=self._indexes(),
        )

    def _operations(self) -> str | None:
        """Render the keys of the operations, unless those that every record type can have are all there."""
        keys = frozenset(row.key for row in self.record.operations)
        return None if keys >= _STANDARD else code(keys)

    def _marks(self) -> dict[str, str | None]:
        said = ("audited", "persistent_events", "changes", "lenient")
        return {word: "True" if getattr(self.record, word) else None for word in said}

    def _names(self) -> dict[str, str | None]:
        fields = self.record.fields
        text = tuple(field.name for field in fields if field.type.kind is Kind.TEXT and not field.hidden)
        renamed = {field.name: field.renamed_from for field in fields if field.renamed_from}
        inside = {
            path.replace("[]", "").replace("{}", ".{}"): field.renamed_from
            for path, field, _kind in walk_fields(fields, self.structures)
            if "." in path and field.renamed_from
        }
        calculated = {field.name: field.calculated for field in fields if field.calculated}
        return {
            "hidden": _set(field.name for field in fields if field.hidden),
            "server_set": _set(field.name for field in fields if field.is_made_by_server),
            "immutable": _set(field.name for field in fields if field.immutable),
            "text": code(text) if text else None,
            "calculated": code(calculated) if calculated else None,
            "renamed": code(renamed) if renamed else None,
            "renamed_inside": code(inside) if inside else None,
        }

    def _references(self) -> str | None:
        found = [
            call(
                self.imports.name(_KIND, "Reference"),
                code(path),
                code(self.stored_names.get(target, target)),
                track="True" if field.track else None,
                required="True" if field.required else None,
                predicate=code(field.predicate) if field.predicate else None,
            )
            for path, field, target in references_of(self.record.fields, self.structures)
        ]
        return code_tuple(found) if found else None

    def _states(self) -> str | None:
        fields = [field for field in self.record.fields if field.type.kind is Kind.STATES]
        found = [f"{code(field.name)}: {self.graphs[str(field.type.target)]}" for field in fields]
        return f"{{{', '.join(found)}}}" if found else None

    def _constraints(self) -> str | None:
        found = [
            call(self.imports.name(_KIND, "Constraint"), code(one.when), code(one.message))
            for one in self.record.constraints
        ]
        return code_tuple(found) if found else None

    def _indexes(self) -> str | None:
        found = [self._index(one) for one in self.record.indexes]
        return code_tuple(found) if found else None

    def _index(self, index: Index) -> str:
        expires = index.expire_after_seconds
        return call(
            self.imports.name(_KIND, "Index"),
            code(index.keys),
            unique="True" if index.unique else None,
            per_realm="True" if index.per_realm else None,
            expire_after_seconds=None if expires is None else str(expires),
            language=code(index.language) if index.language else None,
        )


def _set(names: Iterator[str]) -> str | None:
    found = frozenset(names)
    return code(found) if found else None


def _graph(graph: Graph, imports: Imports) -> str:
    states = [f"{code(name)}: {_state(state, imports)}" for name, state in graph.states.items()]
    name = imports.name("runtime.model.state_graph", "StateGraph")
    default = code(graph.default) if graph.default else None
    return call(name, code(graph.name), f"{{{', '.join(states)},}}", default=default)


def _state(state: State, imports: Imports) -> str:
    return call(
        imports.name("runtime.model.state_graph", "State"),
        initial="True" if state.initial else None,
        final="True" if state.final else None,
        next=code(state.next) if state.next else None,
    )
