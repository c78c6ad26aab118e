"""The parts of a service that have to do with its ontology."""

from collections.abc import Iterable

from runtime.model.catalog import Catalog
from runtime.model.ontology import ONTOLOGY_TOOLS
from runtime.model.tool import Tool
from runtime.ontology.answers import EdgeAnswers
from runtime.ontology.following import EdgeKeeper
from runtime.settings import Settings


def open_ontology(catalog: Catalog, settings: Settings) -> tuple[tuple[EdgeKeeper, ...], EdgeAnswers | None]:
    """Return what keeps the edges and what finds them; nothing where the ontology is off."""
    if not (settings.ontology_enabled and catalog.relationships):
        return (), None
    most = settings.ontology_max_edges
    return (EdgeKeeper(catalog, most),), EdgeAnswers(catalog, most)


def select_tools(tools: Iterable[Tool], edges: EdgeAnswers | None) -> dict[str, Tool]:
    """Return the tools of a service by name, those of the ontology only where it is on."""
    return {tool.name: tool for tool in tools if edges is not None or tool.name not in ONTOLOGY_TOOLS}
