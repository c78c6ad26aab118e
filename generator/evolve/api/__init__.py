"""Two OpenAPI documents → what changed for the clients of the service."""

from generator.evolve.api.compare import compare_documents
from generator.evolve.api.documents import Document, UnreadableDocumentError
from generator.evolve.api.tools import compare_tools

__all__ = ["Document", "UnreadableDocumentError", "compare_documents", "compare_tools"]
