"""``render``: the flat list of what stands under ``generated/``.

Templates loop and print; every choice is made here or in the context modules of this package.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from generator.cache import TextCache, hash_parts
from generator.folders import DOCUMENT_FILE
from generator.known_types import KnownTypes
from generator.model import Endpoint, Field, Kind, Model, Record, Structure, list_targets
from generator.openapi import Describer
from generator.pydantic_models import Annotations
from generator.render.app import build_app_module, endpoints_module
from generator.render.document import begin_document
from generator.render.documents import build_answers_module, build_documents_module
from generator.render.models import build_record_module, build_structure_module, collect_types
from generator.render.module import HEADER, SYSTEM_PACKAGE, Module, docstring, package_of
from generator.render.parts import Part, write_parts
from generator.render.readme import readme
from generator.render.record_types import build_record_types_module
from generator.render.routers import build_endpoint_router, build_record_router, collect_parameters
from generator.render.rules import build_rules_module
from generator.render.seeds import build_seeds_module
from generator.render.settings import FILE_NAME, render_settings
from generator.render.shapes import FILE_NAME as SHAPES
from generator.render.shapes import render_shapes
from generator.render.tools import build_tools_module
from generator.runtime_names import RUNTIME

PartT = TypeVar("PartT", Record, Structure)


def render(
    model: Model, package: str = "generated", cache: TextCache | None = None, last: Path | None = None
) -> dict[str, str | bytes]:
    """Path below ``generated/`` → text, for a model. ``package`` is the name the code is imported by.

    ``last``: where the output of the last run is, which ``cache`` describes.
    """
    with begin_rendering(model, package, cache, last) as finish:
        return finish()


@contextmanager
def begin_rendering(
    model: Model, package: str, cache: TextCache | None = None, last: Path | None = None
) -> Iterator[Callable[[], dict[str, str | bytes]]]:
    """Begin to render, and go on while the block works; yield what waits for the texts as of ``render``."""
    cache = cache or TextCache()
    renderer = _Render(model, package, KnownTypes.read(cache))
    with (
        begin_document(renderer.describer, cache, last and last / DOCUMENT_FILE) as finish_document,
        write_parts(renderer.python(), _first_party(model, package), cache) as finish_modules,
    ):
        texts = {"README.md": fill_template("readme", page=readme(model)), SHAPES: render_shapes(model)}
        if model.settings:
            texts[FILE_NAME] = render_settings(model.settings)
        yield lambda: {DOCUMENT_FILE: finish_document(), **finish_modules(), **texts}


def render_system(model: Model, cache: TextCache | None = None) -> dict[str, str]:
    """Path below ``runtime/system/`` → text: the classes and types of the service's own records."""
    cache = cache or TextCache()
    renderer = _Render(model, SYSTEM_PACKAGE, KnownTypes.read(cache))
    with write_parts(renderer.system(), {RUNTIME}, cache) as finish:
        return finish()


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent.parent / "templates"),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=select_autoescape(),
)


def fill_template(template: str, **context: Any) -> str:
    """Fill a template. A name that the context lacks is an error, never an empty text."""
    return _TEMPLATES.get_template(f"{template}.jinja").render(context)


@dataclass
class _Render:
    """The Python modules of one model. Each names what it depends on, unless that is the model as a whole."""

    model: Model
    package: str
    types: KnownTypes

    def python(self) -> Iterator[Part]:
        """List the modules of a project."""
        model, package = self.model, self.package
        yield self._empty("", f"What {model.title} is made of, from its specifications.")
        yield self._empty("routers/", "The routes, one module a record, one an area.")
        yield from self._list_models(is_system=False)
        for record in model.records:
            if record.operations:
                build = partial(build_record_router, record, package)
                known = model.digests.get(record.name)
                routes = known.bare if known else _describe_routes(record)
                yield self._part(f"routers/{record.file_name}", "router", build, routes)
        for area in sorted({one.area for one in model.endpoints}):
            own = [one for one in model.endpoints if one.area == area]
            written = partial(self._build_endpoints, area, own)
            yield self._part(f"routers/{endpoints_module(area)}", "router", written, own)
        yield self._part("record_types", "assignments", partial(build_record_types_module, model, package))
        shown = self.describer.model
        tools = partial(build_tools_module, shown, package, self.describer)
        yield self._part("tools", "assignments", tools, shown.tools, shown.structures, shown.endpoints)
        yield self._part("rules", "assignments", partial(build_rules_module, model))
        yield self._part("seeds", "assignments", partial(build_seeds_module, model, package))
        yield self._part("app", "app", partial(build_app_module, model, package))

    def system(self) -> Iterator[Part]:
        """List the modules that the runtime itself uses."""
        records = self.model.list_records(of_service=True)
        structures, endpoints = self.model.structures, [one for one in self.model.endpoints if one.is_system]
        types = partial(build_record_types_module, self.model, self.package)
        documents = partial(build_documents_module, records, structures)
        answers = partial(build_answers_module, endpoints, structures)
        yield self._empty("", "The service's own records, from the specifications in ``specs/``.")
        yield from self._list_models(is_system=True)
        yield self._part("documents", "model", documents, [*map(self._describe, records)], structures)
        yield self._part("answers", "model", answers, endpoints, structures)
        yield self._part("record_types", "assignments", types)

    def _list_models(self, *, is_system: bool) -> Iterator[Part]:
        """List the modules of classes."""
        yield self._empty("models/", "The Pydantic classes, one module a record or structure.")
        of_tools = [tool.arguments for tool in self.model.tools if not tool.runs]
        for structure in (*self.model.structures, *of_tools):
            if structure.is_system is is_system and str(structure.name) not in self._of_tools_alone:
                is_described = not is_system or str(structure.name) in self._held_structures
                module = partial(build_structure_module, is_described=is_described)
                build = partial(self._build, module, structure)
                yield self._part(f"models/{structure.file_name}", "model", build, structure, is_described)
        for record in self.model.list_records(of_service=is_system):
            build = partial(self._build, build_record_module, record)
            yield self._part(f"models/{record.file_name}", "model", build, self._describe(record))

    def _build(self, build: Callable[[PartT, Annotations], Module], part: PartT) -> Module:
        return build(part, self.annotations)

    def _build_endpoints(self, area: str, endpoints: list[Endpoint]) -> Module:
        return build_endpoint_router(area, endpoints, self.annotations, self.package)

    @cached_property
    def annotations(self) -> Annotations:
        """The annotations of types; those of the model are collected when one is used that is not known."""
        return Annotations(self._homes, self.types, self._collect_types)

    def _collect_types(self, annotations: Annotations) -> None:
        for record in self.model.records:
            collect_types(annotations, record.fields)
        for structure in self.model.structures:
            collect_types(annotations, structure.fields)
        for tool in self.model.tools:
            collect_types(annotations, tool.arguments.fields)
        collect_parameters(annotations, self.model.endpoints)

    @cached_property
    def describer(self) -> Describer:
        """What describes the parts of the model, for the document and the tools."""
        return Describer(self.model)

    @cached_property
    def _homes(self) -> dict[str, str]:
        return {
            str(one.name): f"{package_of(one, self.package)}.models.{one.file_name}"
            for one in self.model.structures
        }

    @cached_property
    def _of_tools_alone(self) -> frozenset[str]:
        """The answers of the service's own tools that no route has: they are built of other classes."""
        of_tools = {str(one.answer.name) for one in self.model.tools if one.runs and one.answer}
        return frozenset(of_tools - {str(one.response.name) for one in self.model.endpoints if one.response})

    @cached_property
    def _held_structures(self) -> frozenset[str]:
        """The structures in records of the service: schemas of record types say what their fields mean."""
        structures = {str(one.name): one for one in self.model.structures}
        records = self.model.list_records(of_service=True)
        return frozenset(name for one in records for name in _list_structures(one.fields, structures))

    @cached_property
    def _around(self) -> str:
        """The hash of what every module depends on."""
        return hash_parts(self.package, self._homes)

    def _describe(self, record: Record) -> object:
        """Return what the classes of a record depend on, or the hash of it."""
        known = self.model.digests.get(record.name)
        return known.whole if known else _describe(record)

    def _part(self, path: str, template: str, build: Callable[[], Module], *depends: object) -> Part:
        """Return a module; every one depends on where the classes of structures are."""
        is_stored = depends and self.types.cache.is_lasting
        key = hash_parts(template, self._around, *depends) if is_stored else None
        return Part(f"{path}.py", lambda: fill_template(template, module=build()), key)

    def _empty(self, folder: str, text: str) -> Part:
        doc = docstring(f"{text} {HEADER}")
        return Part(f"{folder}__init__.py", lambda: fill_template("package", doc=doc))


def _list_structures(fields: Iterable[Field], structures: Mapping[str, Structure]) -> Iterator[str]:
    for name in list_targets(fields, Kind.STRUCTURE):
        yield name
        yield from _list_structures(structures[name].fields, structures)


def _describe(record: Record) -> tuple[Record, bool]:
    """Return what the classes of a record depend on: not which operations it has, nor what it extends."""
    return replace(record, operations=(), extends=None), record.is_internal


def _describe_routes(record: Record) -> tuple[Record, list[str]]:
    """Return what the routes of a record depend on: not its fields."""
    bare = replace(record, operations=(), extends=None, fields=(), indexes=())
    return bare, [row.key for row in record.operations]


def _first_party(model: Model, package: str) -> set[str]:
    """List the first-party packages: the generated one, the runtime, the modules of handlers."""
    modules = {package, RUNTIME, *(one.handler_module for one in model.endpoints)}
    return {module.partition(".")[0] for module in modules}
