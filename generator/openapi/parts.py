"""The parts of which a document consists: one for each record type, and one for all that they share.

No part depends on another, so a run describes only those whose specifications differ (``pieces.py``).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from generator.model import Model, Record
from generator.openapi.answer_examples import record_examples, shared_examples
from generator.openapi.answers import record_responses, shared_responses
from generator.openapi.bodies import answer_schemas, bulk_schemas, page_schema
from generator.openapi.csv_files import LINE_STATUSES
from generator.openapi.endpoints import endpoint_operation
from generator.openapi.examples import Examples
from generator.openapi.oauth import oauth_responses, oauth_schema, page_responses
from generator.openapi.operations import record_operation, shared_bodies
from generator.openapi.parameters import shared_parameters
from generator.openapi.patches import patch_schema
from generator.openapi.problems import HEADERS, line_responses, problem_responses, problem_schema
from generator.openapi.project_examples import show_project_records
from generator.openapi.protection import Protection
from generator.openapi.shared import Schema, shared_components
from runtime.contract.components import Sections

_STATUSES = frozenset({400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 429, 501, 503})

SECURITY_SCHEMES = "securitySchemes"
"""The section of components that operations name without a reference."""

Route = tuple[str, str, Schema]
"""Path, method and operation."""


@dataclass(frozen=True, slots=True)
class Part:
    """The operations of a part, and the components that it brings along."""

    routes: list[Route]
    components: Sections


@dataclass
class Describer:
    """Describes the parts of a model. What several need is built once, when the first one needs it."""

    model: Model

    def __post_init__(self) -> None:
        """Show record types of the project in the examples of the gateway."""
        self.model = show_project_records(self.model)

    @cached_property
    def examples(self) -> Examples:
        return Examples.of(self.model)

    @cached_property
    def protection(self) -> Protection:
        """The security schemes."""
        return Protection.of(self.model)

    @cached_property
    def shared(self) -> Part:
        """The part that is not of one record type: endpoints, structures, answers and problems."""
        routes = [
            (one.path, one.method, endpoint_operation(one, self.examples) | self.protection.of_endpoint(one))
            for one in self.model.endpoints
        ]
        return Part(routes, self._build_components())

    def describe_record(self, record: Record) -> Part:
        examples = self.examples
        routes = [
            (
                record.path + row.path,
                row.method,
                record_operation(record, row, examples) | self.protection.of_record(record, row),
            )
            for row in record.operations
        ]
        schemas = dict(examples.schemas.record(record))
        schemas[f"{record.name}Patch"] = patch_schema(record, schemas[f"{record.name}Input"])
        components = {
            "examples": record_examples(record, examples),
            "responses": record_responses(record, examples),
            "schemas": {**schemas, f"{record.name}Page": page_schema(record), **bulk_schemas(record)},
        }
        return Part(routes, components)

    def list_parts(self) -> Iterator[Part]:
        yield self.shared
        for record in self.model.records:
            yield self.describe_record(record)

    def _build_components(self) -> Sections:
        model, structures = self.model, self.examples.schemas
        schemas: dict[str, Schema] = {"Problem": problem_schema(), **answer_schemas(), **shared_components()}
        schemas |= oauth_schema()
        for structure in (*(tool.arguments for tool in model.tools), *model.structures):
            schemas |= structures.structure(structure)
        statuses = {*_STATUSES.union(*(one.errors for one in model.endpoints))}
        return {
            "examples": shared_examples(),
            "headers": HEADERS,
            "parameters": shared_parameters(),
            "requestBodies": shared_bodies(),
            "responses": {
                **shared_responses(model.records, self.examples),
                **line_responses(LINE_STATUSES),
                **problem_responses(statuses),
                **oauth_responses(statuses),
                **page_responses(statuses),
            },
            "schemas": schemas,
            SECURITY_SCHEMES: self.protection.schemes,
        }
