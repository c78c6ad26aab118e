"""ServiceWorker, from runtime/system/specs/system/service_worker.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class ServiceWorker(RecordInput):
    """A process that uses the store: the shapes it knows, and the phases of migrations it has seen."""

    shapes: Annotated[list[str], Field(description="Record types and the fingerprints of their shapes.")]
    seen: Annotated[list[str] | None, Field(description="Migrations in force and their phases.")] = None
    alive_until: Moment
