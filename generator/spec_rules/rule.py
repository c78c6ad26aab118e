"""A rule of the specification language: its stable id, its title, a bad and a good example."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

EXAMPLE_FILE = "specs/logistics/example.yaml"


@dataclass(frozen=True, slots=True)
class Rule:
    """``bad`` breaks the rule and ``good`` keeps it, each as the whole text of the file named."""

    id: str
    title: str
    bad: str
    good: str
    bad_file: str = EXAMPLE_FILE
    good_file: str = EXAMPLE_FILE


def rule(number: str, title: str, bad: str, good: str, bad_file: str = "", good_file: str = "") -> Rule:
    """Create a rule from examples that are written indented."""
    first = bad_file or EXAMPLE_FILE
    return Rule(f"SPEC{number}", title, _flush(bad), _flush(good), first, good_file or first)


def of_a_record(number: str, title: str, bad: str, good: str) -> Rule:
    """Create a rule about one line of a record."""
    return rule(number, title, f"record: Parcel\n{bad}\n", f"record: Parcel\n{good}\n")


def of_a_field(number: str, title: str, bad: str, good: str) -> Rule:
    """Create a rule about one line of ``fields:`` of a record."""
    return of_a_record(number, title, f"fields:\n  {bad}", f"fields:\n  {good}")


def _flush(text: str) -> str:
    return dedent(text).removeprefix("\n")
