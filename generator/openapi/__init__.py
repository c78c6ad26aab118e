"""Model → OpenAPI 3.1 document. Total: a model that could be resolved can be described."""

from generator.openapi.document import build_document, document, render_document, render_head, render_pieces
from generator.openapi.fields import is_required, nested_objects, visible_fields
from generator.openapi.operation_texts import phrases
from generator.openapi.operations import operation_id
from generator.openapi.parts import Describer, Part
from generator.openapi.shared import View
from generator.openapi.tools import ToolSchemas, describe_tools, tool_schemas

__all__ = [
    "Describer",
    "Part",
    "ToolSchemas",
    "View",
    "build_document",
    "describe_tools",
    "document",
    "is_required",
    "nested_objects",
    "operation_id",
    "phrases",
    "render_document",
    "render_head",
    "render_pieces",
    "tool_schemas",
    "visible_fields",
]
