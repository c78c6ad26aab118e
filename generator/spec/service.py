"""``specs/service.yaml``."""

from typing import Any

from pydantic import field_validator

from generator.spec.strict import AreaName, Spec, needed, word


class AreaSpec(Spec):
    """A functional area, and the name that it had before."""

    description: str = needed("What belongs to it.")
    renamed_from: AreaName | None = word("The name that stored rules and the scopes of tokens know it by.")


class ContactSpec(Spec):
    """Whom the readers of the document turn to."""

    name: str | None = word("A person or a team.")
    url: str | None = word("A page about how to reach them.")
    email: str | None = word("Their address.")


class LicenseSpec(Spec):
    """Under which terms others may use the API."""

    name: str = needed("The name of the licence.")
    identifier: str | None = word("Its SPDX identifier, such as Apache-2.0.")
    url: str | None = word("Where its text is, in place of an identifier.")


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
    contact: ContactSpec | None = word("Whom the readers of the OpenAPI document turn to.")
    license: LicenseSpec | None = word("Under which terms others may use the API.")
    terms_of_service: str | None = word("The URL of the terms of service.")

    @field_validator("roles", mode="before")
    @classmethod
    def _bare_names(cls, value: Any) -> Any:
        """Read a list of names as names without descriptions."""
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return dict.fromkeys(value, "")
        return value

    @property
    def more_info(self) -> dict[str, Any]:
        """What the OpenAPI document tells its readers next to title, version and description."""
        members = {"contact", "license", "terms_of_service"}
        return self.model_dump(by_alias=True, exclude_none=True, include=members)

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
