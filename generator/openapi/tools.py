"""The arguments of tools as self-contained JSON Schemas."""

import json
from collections.abc import Mapping

from generator.model import Model, Tool
from generator.openapi.document import all_components
from generator.openapi.schemas import Schemas
from generator.openapi.shared import REF, Schema, View
from runtime.contract.components import reached
from runtime.model.mappings import without_nones


def tool_schemas(model: Model) -> Mapping[str, Schema]:
    """Tool name → the schema of its arguments; shared classes below ``$defs``."""
    schemas = Schemas.of(model)
    components = all_components(model)
    found = {}
    for tool in model.tools:
        schema = _arguments(tool, schemas)
        defs = reached(components, schema).get("schemas")
        whole = schema | ({"$defs": defs} if defs else {})
        found[tool.name] = json.loads(json.dumps(whole).replace(f'"{REF}', '"#/$defs/'))
    return found


def _arguments(tool: Tool, schemas: Schemas) -> Schema:
    properties = {}
    for one in tool.arguments:
        said = {"description": one.description, "default": one.default}
        words = without_nones(said)
        properties[one.name] = {**schemas.type(one.type, View.SENT), **words}
    required = [one.name for one in tool.arguments if one.required]
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return schema | ({"required": required} if required else {})
