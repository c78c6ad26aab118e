"""Supplier, from specs/logistics/supplier.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import EntityReference, Record, RecordInput, Strict


class SupplierFields(Strict):
    """The fields that are both sent and read."""

    name: Annotated[str, Field(max_length=200, min_length=1)]
    port: Annotated[EntityReference | None, Field(description="Where its goods are loaded.")] = None
    suppliers: Annotated[
        list[EntityReference] | None, Field(max_length=100, description="The companies that it buys from.")
    ] = None


class SupplierInput(SupplierFields, RecordInput):
    """A company whose goods are shipped, with the companies that it buys from (as sent)."""


class Supplier(SupplierFields, Record):
    """A company whose goods are shipped, with the companies that it buys from."""
