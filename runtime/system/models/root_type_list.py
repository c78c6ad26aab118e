"""RootTypeList, from runtime/system/specs/gateway/root_type_list.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict
from runtime.system.models.root_type import RootType


class RootTypeList(Strict):
    """The record types that the caller may view."""

    root_types: Annotated[list[RootType], Field(description="Sorted by area and name.")]
