"""``specs/breaking.yaml``."""

from pydantic import Field

from generator.spec.strict import Spec, needed


class DeclarationSpec(Spec):
    """A breaking change that is meant."""

    rule: str = needed("The rule that `recordsmith diff` names; * stands for any letters.")
    at: str = needed("Where, as `recordsmith diff` names it; * stands for any letters.")
    date: str = needed("When it was decided, such as 2026-11-23.")
    reason: str = needed("Why, and what consumers do instead.")


class BreakingSpec(Spec):
    """The breaking changes since the last release that are meant."""

    breaking: list[DeclarationSpec] = Field(
        description="Breaking changes since the last release that are meant; `make check` fails on others."
    )
