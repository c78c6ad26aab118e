"""Model → OpenAPI 3.1 document. Total: a model that could be resolved can be described."""

from generator.openapi.document import area_document, document, json_text
from generator.openapi.formats import FORMAT_PATTERNS, example_text

__all__ = ["FORMAT_PATTERNS", "area_document", "document", "example_text", "json_text"]
