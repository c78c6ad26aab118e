"""OntologyLock, from runtime/system/specs/system/ontology_lock.yaml. Written by the generator; do not edit."""

from runtime.model.record import RecordInput


class OntologyLock(RecordInput):
    """What writers of edges that can be joined write to, so that no two of a tenant pass each other."""

    group: str
