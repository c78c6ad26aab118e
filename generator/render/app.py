"""The context of ``app.py``."""

from dataclasses import dataclass

from generator.model import Model
from generator.render.module import HEADER, Imports, Module, call, code, code_tuple


@dataclass(frozen=True, slots=True)
class AppModule(Module):
    """The application module; ``target`` is its import path for a server."""

    routers: str
    handlers: str
    target: str
    title: str


def router_names(model: Model) -> list[str]:
    """Build the modules of ``routers/``: one for each record with operations and each area with endpoints."""
    records = {str(record.file_name) for record in model.records if record.operations}
    return sorted(records | {endpoints_module(endpoint.area) for endpoint in model.endpoints})


def endpoints_module(area: str) -> str:
    """Return the module of an area's endpoints: ``goods-in`` → ``goods_in_endpoints``."""
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
        ("runtime.handler_loading", "Handler"),
        ("runtime.http", "LaterRouter"),
        ("runtime.seams", "Seams"),
        ("runtime.settings", "Settings"),
    ):
        imports.name(module, name)
    prefixes = {str(record.file_name): record.path for record in model.records}
    routers = [
        call("LaterRouter", code(prefixes.get(name, "")), code(f"{package}.routers.{name}"))
        for name in router_names(model)
    ]
    doc = f'"""The application: every router, the catalogue, the document. {HEADER}"""'
    return AppModule(
        doc,
        imports.lines,
        code_tuple(routers),
        _list_handlers(model),
        f"{package}.app:create",
        code(model.title),
    )


def _list_handlers(model: Model) -> str:
    """Return the handlers of the application as code: those of the service itself are part of the runtime."""
    return code_tuple(
        [
            call(
                "Handler",
                code(one.operation_id),
                code(f"{one.handler_module}:{one.handler_function}"),
                code(one.source),
            )
            for one in model.endpoints
            if not one.is_system
        ]
    )
