"""ServiceWorker, from runtime/system/specs/system/service_worker.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class ServiceWorker(RecordInput):
    """A process that uses the store: the shapes it knows, and the phases of migrations it has seen."""

    shapes: list[str]
    seen: list[str] | None = None
    alive_until: Moment
