"""What a check of ``doctor`` finds."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """``warn`` is worth knowing; ``fail`` keeps a service from working."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; ``advice`` where there is something to do."""

    name: str
    status: Status
    message: str
    advice: str = ""
