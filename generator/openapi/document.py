"""The OpenAPI document of the service.

Paths, statuses and components are sorted; properties, parameters and methods keep their order.
Components that no path reaches are left out.
"""

from typing import Any

import orjson

from generator.lines import render_lines
from generator.model import Model
from generator.openapi.parts import SECURITY_SCHEMES, Describer, Part
from generator.openapi.shared import Schema
from generator.pieces import METHODS, Component, Operation, Pieces, find_names, join_pieces

Document = dict[str, Any]


def document(model: Model) -> Document:
    """Build the OpenAPI 3.1.0 document of the service, as plain JSON values."""
    plain: Document = orjson.loads(render_document(model))
    return plain


def render_document(model: Model, describer: Describer | None = None) -> bytes:
    """Render ``openapi.json``. The service derives the documents of areas from it."""
    describer = describer or Describer(model)
    parts = [render_pieces(part) for part in describer.list_parts()]
    return join_pieces(render_head(model, describer.protection.usual), parts).content


def build_document(model: Model) -> Document:
    """Build the document of parts that it may hold several times: to be read, never changed.

    It has components that no path reaches: that is enough to compare it, and faster.
    """
    describer = Describer(model)
    parts = list(describer.list_parts())
    paths: dict[str, Schema] = {}
    routes = (one for part in parts for one in part.routes)
    for path, method, operation in sorted(routes, key=lambda one: (one[0], METHODS.index(one[1]))):
        paths.setdefault(path, {})[method] = operation
    components: dict[str, dict[str, Any]] = {}
    for part in parts:
        for section, members in part.components.items():
            components.setdefault(section, {}).update(members)
    return {**_build_head(model, describer.protection.usual), "paths": paths, "components": components}


def render_head(model: Model, security: list[Schema]) -> dict[str, bytes]:
    """Render the members of the document in front of its paths; ``security``: what is usually required."""
    return {name: orjson.dumps(member) for name, member in _build_head(model, security).items()}


def render_pieces(part: Part) -> Pieces:
    """Render the pieces of a part: a line for each member of an operation and each property of a schema."""
    operations = [Operation(path, method, render_lines(one, 1)) for path, method, one in part.routes]
    components = []
    for section, members in part.components.items():
        for name, one in members.items():
            text = render_lines(one, 2)
            components.append(Component(section, name, text, find_names((text,))))
    always = [f"{section}/{name}" for section, name, *_rest in components if section == SECURITY_SCHEMES]
    return Pieces(operations, components, [*find_names(one.text for one in operations), *always])


def _build_head(model: Model, security: list[Schema]) -> Document:
    groups: dict[str, set[str]] = {}
    for record in (one for one in model.records if one.operations):
        groups.setdefault(record.area, set()).add(record.name)
    for endpoint in model.endpoints:
        groups.setdefault(endpoint.area, set()).add(endpoint.area)
    used = set().union(*groups.values())
    described = {str(one.name): one.description for one in model.records}
    described |= {one.name: one.description for one in model.areas}
    info = {"title": model.title, "version": model.version, "description": model.description}
    return {
        "openapi": "3.1.0",
        "info": {**info, **model.more_info},
        "servers": [{"url": "/", "description": "The server of this document."}],
        "security": security,
        "tags": [{"name": name, "description": described.get(name, name)} for name in sorted(used)],
        "x-tagGroups": [{"name": area, "tags": sorted(groups[area])} for area in sorted(groups)],
    }
