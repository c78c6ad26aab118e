"""The OpenAPI document of the service.

Paths, statuses and components are sorted; properties, parameters and methods keep their order.
Components that no path reaches are left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from generator.lines import dump, render_lines
from generator.model import Model
from generator.openapi.answer_examples import answer_examples
from generator.openapi.answers import answer_responses
from generator.openapi.bodies import answer_schemas, bulk_schemas
from generator.openapi.csv_files import LINE_STATUSES
from generator.openapi.endpoints import endpoint_operation
from generator.openapi.examples import Examples
from generator.openapi.oauth import oauth_responses, oauth_schema, page_responses
from generator.openapi.operations import record_operation, shared_bodies
from generator.openapi.parameters import PARAMETERS
from generator.openapi.patches import patch_schema
from generator.openapi.problems import HEADERS, line_responses, problem_responses, problem_schema
from generator.openapi.protection import Protection
from generator.openapi.shared import Schema, shared_components
from runtime.contract.components import Sections, reached

Document = dict[str, Any]

_DEPTHS = {"paths": 3, "components": 4}
"""How deep what is in them has lines of its own: parts of operations, properties of schemas."""

_METHODS = ("get", "post", "put", "patch", "delete")
_STATUSES = frozenset({400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 429, 501, 503})


@dataclass(frozen=True, slots=True)
class _Route:
    """One operation and the area it belongs to."""

    area: str
    path: str
    method: str
    operation: Schema


def document(model: Model) -> Document:
    """Build the OpenAPI 3.1.0 document of the service, as plain JSON values."""
    plain: Document = orjson.loads(render_document(model))
    return plain


@dataclass(frozen=True, slots=True)
class Described:
    """What describes a model: examples, and everything that may be referred to."""

    examples: Examples
    components: Sections

    @classmethod
    def of(cls, model: Model) -> "Described":
        """Describe a model."""
        examples = Examples.of(model)
        return cls(examples, _build_components(model, examples))


def render_document(model: Model, described: Described | None = None) -> str:
    """Render ``openapi.json``. The service derives the documents of areas from it."""
    whole = build_document(model, described)
    members = (f"{dump(name)}:{render_lines(part, _DEPTHS.get(name, 0))}" for name, part in whole.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def build_document(model: Model, described: Described | None = None, *, with_all: bool = False) -> Document:
    """Build the document of parts that it may hold several times: to be read, never changed.

    ``with_all``: with components that no path reaches, as is enough to compare it, and faster.
    """
    protection, described = Protection.of(model), described or Described.of(model)
    components, routes = described.components, _routes(model, protection, described.examples)
    paths: dict[str, Schema] = {}
    for route in sorted(routes, key=lambda one: (one.path, _METHODS.index(one.method))):
        paths.setdefault(route.path, {})[route.method] = route.operation
    return {
        "openapi": "3.1.0",
        "info": {"title": model.title, "version": model.version, "description": model.description},
        "servers": [{"url": "/", "description": "The server of this document."}],
        "security": protection.usual,
        "tags": list(_list_tags(model, routes)),
        "x-tagGroups": _tag_groups(routes),
        "paths": paths,
        "components": {
            **(components if with_all else reached(components, paths)),
            "securitySchemes": protection.schemes,
        },
    }


def _routes(model: Model, protection: Protection, examples: Examples) -> list[_Route]:
    routes = [
        _Route(
            record.area,
            record.path + row.path,
            row.method,
            record_operation(record, row, examples) | protection.of_record(record, row),
        )
        for record in model.records
        for row in record.operations
    ]
    return routes + [
        _Route(
            one.area,
            one.path,
            one.method,
            endpoint_operation(one, examples) | protection.of_endpoint(one),
        )
        for one in model.endpoints
    ]


def _list_tags(model: Model, routes: Iterable[_Route]) -> Iterator[Schema]:
    """List the tags that are used, sorted: records, and areas with endpoints of their own."""
    used = {tag for route in routes for tag in route.operation["tags"]}
    described = {one.name: one.description for one in model.records} | {
        one.name: one.description for one in model.areas
    }
    for name in sorted(used):
        yield {"name": name, "description": described.get(name, name)}


def _tag_groups(routes: Iterable[_Route]) -> list[Schema]:
    """One group an area, as Redoc and others show it."""
    groups: dict[str, set[str]] = {}
    for route in routes:
        groups.setdefault(route.area, set()).update(route.operation["tags"])
    return [{"name": area, "tags": sorted(groups[area])} for area in sorted(groups)]


def _build_components(model: Model, examples: Examples) -> Sections:
    schemas: dict[str, Schema] = {"Problem": problem_schema(), **answer_schemas(), **shared_components()}
    schemas |= oauth_schema()
    for tool in model.tools:
        schemas |= examples.schemas.structure(tool.arguments)
    for record in model.records:
        schemas |= examples.schemas.record(record)
        schemas[f"{record.name}Patch"] = patch_schema(record, schemas[f"{record.name}Input"])
        schemas |= bulk_schemas(record)
    for structure in model.structures:
        schemas |= examples.schemas.structure(structure)
    statuses = _STATUSES.union(*(one.errors for one in model.endpoints))
    return {
        "examples": answer_examples(model, examples),
        "headers": HEADERS,
        "parameters": PARAMETERS,
        "requestBodies": shared_bodies(),
        "responses": {
            **answer_responses(model.records, examples),
            **line_responses(LINE_STATUSES),
            **problem_responses(set(statuses)),
            **oauth_responses(set(statuses)),
            **page_responses(set(statuses)),
        },
        "schemas": schemas,
    }
