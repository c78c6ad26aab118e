"""Arguments and answers of tools as self-contained JSON Schemas."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from generator.model import Model, Structure
from generator.openapi.parts import Describer
from generator.openapi.schemas import Schemas
from generator.openapi.shared import REF, Schema, View
from runtime.contract.components import Sections, reached


class ToolSchemas(NamedTuple):
    """Of one tool. ``answer`` is None for tools without a structure of what they answer."""

    arguments: Schema
    answer: Schema | None


def tool_schemas(model: Model, describer: Describer | None = None) -> Mapping[str, ToolSchemas]:
    """Tool name → its schemas; shared classes are below ``$defs``."""
    schemas, components = Schemas.of(model), (describer or Describer(model)).shared.components
    return {
        tool.name: ToolSchemas(
            _whole(tool.arguments, View.SENT, schemas, components),
            None if tool.answer is None else _whole(tool.answer, View.READ, schemas, components),
        )
        for tool in model.tools
    }


def _whole(structure: Structure, view: View, schemas: Schemas, components: Sections) -> Schema:
    name = schemas.reference_to(structure, view)["$ref"].removeprefix(REF)
    schema = components["schemas"][name]
    below = reached(components, schema).get("schemas")
    whole = schema | ({"$defs": below} if below else {})
    found: Schema = json.loads(json.dumps(whole).replace(f'"{REF}', '"#/$defs/'))
    return found
