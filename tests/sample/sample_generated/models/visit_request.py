"""VisitRequest, from specs/shop/visit_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class VisitRequest(SnakeCase):
    """A visit request."""

    visitor_name: Annotated[str | None, Field(max_length=40, min_length=1, description="Who visits.")] = None
    guest: Annotated[
        list[Annotated[str, Field(max_length=40, min_length=1)]] | None,
        Field(max_length=5, description="Who comes along; may be repeated."),
    ] = None
