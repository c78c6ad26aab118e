"""CountOpenOrdersArguments, from specs/logistics/tools.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Strict


class CountOpenOrdersArguments(Strict):
    """The arguments of the tool count_open_orders."""

    customer: Annotated[str, Field(max_length=200, description="The reference name of the customer.")]
    status: Annotated[
        Literal["PENDING", "PROCESSING", "SHIPPED", "DELIVERED", "CANCELLED"] | None,
        Field(description="The state."),
    ] = "PENDING"
