"""RootTypeList, from runtime/system/specs/gateway/root_type_list.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict
from runtime.system.models.root_type import RootType


class RootTypeList(Strict):
    """The record types that the caller may view."""

    root_types: list[RootType]
