"""How records are connected: edges that fields state, those that follow, and questions about them."""

from runtime.ontology.lists import list_connected, list_edges, read_edge_page, require_ontology
from runtime.ontology.opening import open_ontology, select_tools
from runtime.ontology.upkeep import EdgeTally, Upkeep

__all__ = [
    "EdgeTally",
    "Upkeep",
    "list_connected",
    "list_edges",
    "open_ontology",
    "read_edge_page",
    "require_ontology",
    "select_tools",
]
