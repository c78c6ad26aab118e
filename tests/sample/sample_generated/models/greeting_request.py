"""GreetingRequest, from specs/shop/greeting_request.yaml. Written by the generator; do not edit."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from runtime.model.record import ExactDecimal, Strict


class GreetingRequest(Strict):
    """A greeting request."""

    name: Annotated[str, Field(min_length=1)]
    weight: Annotated[Decimal | None, ExactDecimal()] = None
