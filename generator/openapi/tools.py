"""Arguments and answers of tools as self-contained JSON Schemas."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from generator.model import Model, Structure, Tool
from generator.openapi.parts import Describer
from generator.openapi.schemas import Schemas
from generator.openapi.shared import REF, Schema, View, shared_components
from runtime.contract.components import Sections, reached
from runtime.model.mappings import without_nones


class ToolSchemas(NamedTuple):
    """The schemas of one tool. ``answer`` is None where it calls an endpoint that describes no answer."""

    arguments: Schema
    answer: Schema | None


def tool_schemas(model: Model, describer: Describer | None = None) -> Mapping[str, ToolSchemas]:
    """Tool name → its schemas; shared classes are below ``$defs``."""
    describer = describer or Describer(model)
    model, components = describer.model, describer.shared.components
    schemas = Schemas.of(model)
    return {
        tool.name: ToolSchemas(
            _whole(tool.arguments, View.SENT, schemas, components),
            _describe_answer(tool, schemas, components),
        )
        for tool in model.tools
    }


def describe_tools(model: Model) -> Schema:
    """Describe all tools as they are called, with the components that their schemas refer to.

    ``does`` names what a query, a count or a save is about as it is stored, and has the words of the tool.
    """
    schemas = Schemas.of(model)
    components: dict[str, Schema] = dict(shared_components())
    for structure in (*(tool.arguments for tool in model.tools), *model.structures):
        components |= schemas.structure(structure)
    tools = {
        tool.name: without_nones(
            {
                "does": _describe_deed(tool, model.stored_names.get(tool.target, tool.target)),
                "arguments": components[
                    schemas.reference_to(tool.arguments, View.SENT)["$ref"].removeprefix(REF)
                ],
                "answer": schemas.reference_to(tool.answer, View.READ) if tool.answer else None,
            }
        )
        for tool in model.tools
    }
    return {"openapi": "3.1.0", "tools": tools, "components": reached({"schemas": components}, tools)}


def _describe_deed(tool: Tool, target: str) -> str:
    if tool.runs:  # a function of the service itself, whose name matters to no caller
        return tool.does
    return ", ".join([f"{tool.does} {target}", *(f"{word} {value}" for word, value in tool.settings.items())])


_RECORD: Schema = {
    "type": "object",
    "description": "The record as it is stored now, with the fields that you may see.",
}
"""Not the schema of the record type: rules may withhold any field of it from a caller."""


def _describe_answer(tool: Tool, schemas: Schemas, components: Sections) -> Schema | None:
    if tool.answer is not None:
        one = _whole(tool.answer, View.READ, schemas, components)
        return _list_of(one) if tool.endpoint and tool.endpoint.answers == "list" else one
    return _RECORD if tool.does == "transition" else None


def _list_of(schema: Schema) -> Schema:
    """Return the schema of a list; what references lead to stays below the root."""
    items = {name: value for name, value in schema.items() if name != "$defs"}
    below = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {"type": "array", "items": items, **below}


def _whole(structure: Structure, view: View, schemas: Schemas, components: Sections) -> Schema:
    name = schemas.reference_to(structure, view)["$ref"].removeprefix(REF)
    schema = components["schemas"][name]
    below = reached(components, schema).get("schemas")
    whole = schema | ({"$defs": below} if below else {})
    found: Schema = json.loads(json.dumps(whole).replace(f'"{REF}', '"#/$defs/'))
    return found
