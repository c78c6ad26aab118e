"""``specs/service.yaml``."""

from typing import Any

from pydantic import field_validator

from generator.spec.strict import Spec, needed, word


class ServiceSpec(Spec):
    """What the service is called, who may call it, and what its areas are."""

    title: str = needed("The name of the service.")
    version: str = needed('The version of its API, quoted: "1.0.0".')
    description: str = word("What the service is for.", default="")
    roles: dict[str, str] = word(
        "Role names in addition to user, admin and system, one line each: name: description; or a list.",
        default={},
    )
    areas: dict[str, str] = word("Functional areas, one line each: name: description.", default={})
    settings: dict[str, str | int | float | bool] = word("Settings that differ from the default.", default={})

    @field_validator("roles", mode="before")
    @classmethod
    def _bare_names(cls, value: Any) -> Any:
        """Read a list of names as names without descriptions."""
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return dict.fromkeys(value, "")
        return value
