"""GreetArguments, from specs/shop/tools.yaml. Written by the generator; do not edit."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from runtime.model.record import ExactDecimal, LocalDate, ObjectIdText, Strict


class GreetArguments(Strict):
    """The arguments of the tool greet."""

    id: ObjectIdText
    times: Annotated[int | None, Field(ge=1, le=9, description="How often.")] = 1
    since: LocalDate | None = None
    name: Annotated[str, Field(min_length=1)]
    weight: Annotated[Decimal | None, ExactDecimal()] = None
