"""Erasure, from runtime/system/specs/system/erasure.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class Erasure(RecordInput):
    """That everything of a tenant was erased. It holds nothing of the tenant, whose id is known by a digest only."""

    tenant_digest: Annotated[
        str, Field(description="SHA-256 of the id of this record, a colon and the tenant.")
    ]
    started_at: Moment
    finished_at: Annotated[
        Moment | None, Field(description="When nothing was left; absent while the erasure is unfinished.")
    ] = None
    removed: Annotated[dict[str, int], Field(description="Number of documents erased, by collection.")]
