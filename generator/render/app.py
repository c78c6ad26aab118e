"""The context of ``app.py``."""

from dataclasses import dataclass

from generator.model import Model
from generator.render.module import HEADER, Imports, Module, call, code
from generator.render.record_types import code_tuple


@dataclass(frozen=True, slots=True)
class AppModule(Module):
    """The application module; ``target`` is its import path for a server."""

    routers: str
    target: str
    title: str


def router_names(model: Model) -> list[str]:
    """Build the modules of ``routers/``: one for each record with operations and each area with endpoints."""
    records = {str(record.file_name) for record in model.records if record.operations}
    return sorted(records | {endpoints_module(endpoint.area) for endpoint in model.endpoints})


def endpoints_module(area: str) -> str:
    """``goods-in`` → ``goods_in_endpoints``."""
    return f"{area.replace('-', '_')}_endpoints"


def build_app_module(model: Model, package: str) -> AppModule:
    """Build the application module of a model."""
    imports = Imports()
    for module, name in (
        ("pathlib", "Path"),
        ("fastapi", "FastAPI"),
        (f"{package}.record_types", "CATALOG"),
        (f"{package}.rules", "RULES"),
        (f"{package}.rules", "SUBJECTS"),
        (f"{package}.seeds", "SEEDS"),
        (f"{package}.tools", "TOOLS"),
        ("runtime.app", "create_app"),
        ("runtime.seams", "Seams"),
        ("runtime.settings", "Settings"),
    ):
        imports.name(module, name)
    prefixes = {str(record.file_name): record.path for record in model.records}
    routers = []
    for name in router_names(model):
        module = f"{package}.routers.{name}"
        if name in prefixes:
            routers.append(
                call(imports.name("runtime.http", "LaterRouter"), code(prefixes[name]), code(module))
            )
        else:
            imports.name(module, f"router as {name}_router")
            routers.append(f"{name}_router")
    doc = f'"""The application: every router, the catalogue, the document. {HEADER}"""'
    return AppModule(doc, imports.lines, code_tuple(routers), f"{package}.app:create", code(model.title))
