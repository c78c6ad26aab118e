"""``specs/service.yaml``."""

from typing import Any

from pydantic import field_validator

from generator.spec.strict import AreaName, Spec, needed, word


class AreaSpec(Spec):
    """A functional area, and the name that it had before."""

    description: str = needed("What belongs to it.")
    renamed_from: AreaName | None = word("The name that stored rules and the scopes of tokens know it by.")


class ServiceSpec(Spec):
    """What the service is called, who may call it, and what its areas are."""

    title: str = needed("The name of the service.")
    version: str = needed('The version of its API, quoted: "1.0.0".')
    description: str = word("What the service is for.", default="")
    roles: dict[str, str] = word(
        "Role names in addition to user, admin and system, one line each: name: description; or a list.",
        default={},
    )
    areas: dict[str, str | AreaSpec] = word(
        "Functional areas, one line each: name: description; or name: {description, renamedFrom}.", default={}
    )
    settings: dict[str, str | int | float | bool] = word("Settings that differ from the default.", default={})

    @field_validator("roles", mode="before")
    @classmethod
    def _bare_names(cls, value: Any) -> Any:
        """Read a list of names as names without descriptions."""
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return dict.fromkeys(value, "")
        return value

    @property
    def former_areas(self) -> dict[str, str]:
        """The former names of areas that were renamed, by name."""
        specs = {name: one for name, one in self.areas.items() if isinstance(one, AreaSpec)}
        return {name: one.renamed_from for name, one in specs.items() if one.renamed_from}

    @property
    def described_areas(self) -> dict[str, str]:
        """The descriptions of areas by the names that rules know them by."""
        former = self.former_areas
        return {
            former.get(name, name): one.description if isinstance(one, AreaSpec) else one
            for name, one in self.areas.items()
        }


NO_SERVICE = ServiceSpec(title="", version="")
"""In place of one that is missing or broken, which is a problem."""
