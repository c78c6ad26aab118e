"""SendInvoiceArguments, from specs/shop/tools.yaml. Written by the generator; do not edit."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from runtime.model.record import ExactDecimal, Strict


class SendInvoiceArguments(Strict):
    """The arguments of the tool send_invoice."""

    order: Annotated[str, Field(description="The number of the order.")]
    amount: Annotated[Decimal | None, ExactDecimal(), Field(description="The amount.")] = None
