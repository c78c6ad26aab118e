"""``specs/breaking.yaml``."""

from typing import Final

from pydantic import Field

from generator.spec.strict import Spec, needed

REASON: Final = "why, and what consumers do instead"
"""What a reason says."""


class DeclarationSpec(Spec):
    """A breaking change that is meant."""

    rule: str = needed("The rule that `recordsmith diff` names; * stands for any letters.")
    at: str = needed("Where, as `recordsmith diff` names it; * stands for any letters.")
    date: str = needed("When it was decided, such as 2026-11-23.")
    reason: str = needed(f"{REASON.capitalize()}.")


class BreakingSpec(Spec):
    """The breaking changes since the last release that are meant."""

    breaking: list[DeclarationSpec] = Field(
        description="Breaking changes since the last release that are meant; `make check` fails on others."
    )
