"""The ontology: how records are connected."""

from typing import Annotated

from pydantic import Field

from runtime.settings.row import Rows, row


class OntologySettings(Rows):
    """The ontology: how records are connected."""

    ontology_enabled: bool = row(
        "ontology.enabled", False, "Whether edges are stored for fields with a predicate, and can be queried"
    )
    ontology_max_edges: Annotated[int, Field(ge=100, le=100_000)] = row(
        "ontology.max-edges",
        10_000,
        "Most edges that one transaction changes, with all that follows, and that one answer looks at",
    )
    ontology_list_expands: bool = row(
        "feature.ontologyList.aggregation.enabled",
        False,
        "Whether the lists of ontology routes embed records with `expand`",
    )
