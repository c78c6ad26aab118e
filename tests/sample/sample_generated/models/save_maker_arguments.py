"""SaveMakerArguments, from specs/shop/tools.yaml. Written by the generator; do not edit."""

from runtime.model.record import EntityReference, Strict


class SaveMakerArgumentsDataDomain(Strict):
    """Part of SaveMakerArguments."""

    owner_id: str


class SaveMakerArguments(Strict):
    """The arguments of the tool save_maker."""

    name: str | None = "Nobody"
    owner: EntityReference | None = None
    data_domain: SaveMakerArgumentsDataDomain | None = None
