"""Erasure, from runtime/system/specs/system/erasure.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class ErasureFields(Strict):
    """The fields that are both sent and read."""

    tenant_digest: Annotated[
        str, Field(description="SHA-256 of the id of this record, a colon and the tenant.")
    ]
    started_at: Moment
    finished_at: Annotated[
        Moment | None, Field(description="When nothing was left; absent while the erasure is unfinished.")
    ] = None
    removed: Annotated[dict[str, int], Field(description="Number of documents erased, by collection.")]


class ErasureInput(ErasureFields, RecordInput):
    """That everything of a tenant was erased. It holds nothing of the tenant, whose id is known by a digest only (as sent)."""


class Erasure(ErasureFields, Record):
    """That everything of a tenant was erased. It holds nothing of the tenant, whose id is known by a digest only."""
