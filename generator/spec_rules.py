"""The rules of the specification language, each with a bad and a good example: ``spec_rules.toml``."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TABLE: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its stable id, its title, and the whole texts of two files, of which one breaks it."""

    id: str
    title: str
    bad: str
    good: str
    bad_file: str = "specs/logistics/example.yaml"
    good_file: str = "specs/logistics/example.yaml"


RULES = {number: Rule(number, **row) for number, row in _TABLE.items()}
