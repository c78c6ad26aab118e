"""``render``: the flat list of what stands under ``generated/``.

Templates loop and print; every choice is made here or in the context modules of this package.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from generator.model import Model
from generator.openapi import render_document
from generator.pydantic_models import Annotations
from generator.render.app import build_app_module, endpoints_module
from generator.render.documents import build_answers_module, build_documents_module
from generator.render.formatting import format_code
from generator.render.models import build_record_module, build_structure_module, collect_types
from generator.render.module import HEADER, SYSTEM_PACKAGE, package_of
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

_TEMPLATES = Path(__file__).parent.parent / "templates"


def render(model: Model, package: str = "generated") -> dict[str, str]:
    """Path below ``generated/`` → text, for a model. ``package`` is the name the code is imported by."""
    pages = Pages()
    python = dict(_Render(model, package, pages).python())
    texts = {"openapi.json": render_document(model), "README.md": pages.page("readme", page=readme(model))}
    texts[SHAPES] = render_shapes(model)
    if model.settings:
        texts[FILE_NAME] = render_settings(model.settings)
    return {**format_code(python, _first_party(model, package)), **texts}


def render_system(model: Model) -> dict[str, str]:
    """Path below ``runtime/system/`` → text: the classes and types of the service's own records."""
    return format_code(dict(_Render(model, SYSTEM_PACKAGE, Pages()).system()), {RUNTIME})


class Pages:
    """The templates. A name that a context lacks is an error, never an empty text."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(_TEMPLATES),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=select_autoescape(),
        )

    def page(self, template: str, **context: Any) -> str:
        """Render a template."""
        return self._environment.get_template(f"{template}.jinja").render(context)


@dataclass
class _Render:
    """The Python modules of one model."""

    model: Model
    package: str
    pages: Pages

    def python(self) -> Iterator[tuple[str, str]]:
        """Path → text, unformatted."""
        model, package = self.model, self.package
        annotations = self._collect_annotations()
        yield "__init__.py", self._package(f"What {model.title} is made of, from its specifications.")
        yield "routers/__init__.py", self._package("The routes, one module a record, one an area.")
        yield from self._render_models(annotations, is_system=False)
        for record in model.records:
            if record.operations:
                yield (
                    f"routers/{record.file_name}.py",
                    self._page("router", build_record_router(record, package)),
                )
        for area in sorted({one.area for one in model.endpoints}):
            own = [one for one in model.endpoints if one.area == area]
            router = build_endpoint_router(area, own, annotations, package)
            yield f"routers/{endpoints_module(area)}.py", self._page("router", router)
        yield "record_types.py", self._page("record_types", build_record_types_module(model, package))
        yield "tools.py", self._page("tools", build_tools_module(model, package))
        yield "rules.py", self._page("rules", build_rules_module(model))
        yield "seeds.py", self._page("seeds", build_seeds_module(model, package))
        yield "app.py", self._page("app", build_app_module(model, package))

    def system(self) -> Iterator[tuple[str, str]]:
        """Path → text of what the runtime itself uses, unformatted."""
        records = self.model.list_records(of_service=True)
        structures, endpoints = self.model.structures, [one for one in self.model.endpoints if one.is_system]
        yield (
            "__init__.py",
            self._package("The service's own records, from the specifications in ``specs/``."),
        )
        yield from self._render_models(self._collect_annotations(), is_system=True)
        yield "documents.py", self._page("model", build_documents_module(records, structures))
        yield "answers.py", self._page("model", build_answers_module(endpoints, structures))
        yield (
            "record_types.py",
            self._page("record_types", build_record_types_module(self.model, self.package)),
        )

    def _render_models(self, annotations: Annotations, *, is_system: bool) -> Iterator[tuple[str, str]]:
        """Path → text of the classes, unformatted."""
        yield "models/__init__.py", self._package("The Pydantic classes, one module a record or structure.")
        of_tools = [tool.arguments for tool in self.model.tools if not tool.runs]
        for structure in (*self.model.structures, *of_tools):
            if structure.is_system is is_system:
                module = build_structure_module(structure, annotations)
                yield f"models/{structure.file_name}.py", self._page("model", module)
        for record in self.model.list_records(of_service=is_system):
            module = build_record_module(record, annotations)
            yield f"models/{record.file_name}.py", self._page("model", module)

    def _collect_annotations(self) -> Annotations:
        """Collect the annotations of all types of the model before the first one is used."""
        homes = {
            str(one.name): f"{package_of(one, self.package)}.models.{one.file_name}"
            for one in self.model.structures
        }
        annotations = Annotations(homes)
        for record in self.model.records:
            collect_types(annotations, record.fields)
        for structure in self.model.structures:
            collect_types(annotations, structure.fields)
        for tool in self.model.tools:
            collect_types(annotations, tool.arguments.fields)
        collect_parameters(annotations, self.model.endpoints)
        return annotations

    def _page(self, template: str, module: object) -> str:
        return self.pages.page(template, module=module)

    def _package(self, text: str) -> str:
        return self.pages.page("package", doc=f'"""{text} {HEADER}"""')


def _first_party(model: Model, package: str) -> set[str]:
    """List the first-party packages: the generated one, the runtime, the modules of handlers."""
    modules = {package, RUNTIME, *(one.handler_module for one in model.endpoints)}
    return {module.partition(".")[0] for module in modules}
