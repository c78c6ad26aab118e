"""RootType, from runtime/system/specs/gateway/root_type.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class RootType(Strict):
    """A record type that can be queried, and what its records are called."""

    class_name: str
    simple_name: str
    collection_name: str
    path: str
