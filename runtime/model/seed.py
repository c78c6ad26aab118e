"""Records that the specifications bring along."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.model.record_type import RecordType


@dataclass(frozen=True, slots=True)
class Seed:
    """Records that the specifications bring along, each with a refName (``runtime.seeding``).

    ``shared``: all users of the tenant may read them, whatever their organisation.
    """

    kind: RecordType[Any]
    version: int
    rows: tuple[Mapping[str, Any], ...]
    shared: bool = False
