"""FindArticlesArguments, from specs/shop/tools.yaml. Written by the generator; do not edit."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from runtime.model.record import ExactDecimal, Strict


class FindArticlesArguments(Strict):
    """The arguments of the tool find_articles."""

    most: Annotated[Decimal, ExactDecimal(), Field(description="The highest price.")]
