"""ReportShipmentLostArguments, from specs/logistics/tools.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class ReportShipmentLostArguments(Strict):
    """The arguments of the tool report_shipment_lost."""

    id: Annotated[ObjectIdText, Field(description="The id of the shipment.")]
    notes: Annotated[
        str, Field(max_length=2000, description="What is known; it replaces the notes of the shipment.")
    ]
