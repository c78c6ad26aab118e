"""What may change between two versions of a service, and what it does to its clients and its data: rules."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.levels import Level


@dataclass(frozen=True, slots=True)
class ChangeRule:
    """A rule: its stable id, how bad the change is, why, and what to do."""

    id: str
    level: Level
    reason: str
    advice: str = ""


_TABLE: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)

CHANGE_RULES: Mapping[str, ChangeRule] = {
    name: ChangeRule(name, Level(row["level"]), row["reason"], row.get("advice", ""))
    for name, row in _TABLE.items()
}

BREAKING_RULES = sorted(one.id for one in CHANGE_RULES.values() if one.level is Level.BREAKING)
