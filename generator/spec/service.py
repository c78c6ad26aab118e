"""``specs/service.yaml``."""

from __future__ import annotations

from generator.spec.strict import Spec, needed, word


class ServiceSpec(Spec):
    """What the service is called, who may call it, and what its areas are."""

    title: str = needed("The name of the service.")
    version: str = needed('The version of its API, quoted: "1.0.0".')
    description: str = word("What the service is for.", default="")
    roles: list[str] = word("Role names beside user, admin and system.", default=[])
    areas: dict[str, str] = word("Functional areas, one line each: name: description.", default={})
    settings: dict[str, str | int | float | bool] = word("Settings that differ from the default.", default={})
