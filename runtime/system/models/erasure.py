"""Erasure, from runtime/system/specs/system/erasure.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class Erasure(RecordInput):
    """That everything of a tenant was erased. It holds nothing of the tenant, whose id is known by a digest only."""

    tenant_digest: str
    started_at: Moment
    finished_at: Moment | None = None
    removed: dict[str, int]
