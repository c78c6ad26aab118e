"""RootType, from runtime/system/specs/gateway/root_type.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class RootType(Strict):
    """A record type that can be queried, and what its records are called."""

    class_name: Annotated[str, Field(description="Area and name, for `rootType`.")]
    simple_name: Annotated[str, Field(description="The name, also for `rootType`.")]
    collection_name: Annotated[str, Field(description="The collection that stores the records.")]
    path: Annotated[str, Field(description="The path of the routes of its records.")]
