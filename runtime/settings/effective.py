"""All settings, read once, then frozen.

Sources, first wins: environment (``mongodb.uri`` → ``MONGODB_URI``: upper case, dots and dashes become
underscores), then one TOML file named by ``SERVICE_CONFIG``, then the ``settings.toml`` that the generator
writes next to the application. ``python -m runtime.settings`` prints the effective values, secrets masked.
"""

import os
from collections.abc import Mapping
from typing import Any, Self

from pydantic import ValidationError

from runtime.errors import Misconfigured
from runtime.settings.families import FAMILIES, group_families, print_groups
from runtime.settings.limits import LimitSettings
from runtime.settings.operation import OperationSettings
from runtime.settings.refusals import describe_faults
from runtime.settings.service import ServiceSettings
from runtime.settings.sign_in import SignInSettings
from runtime.settings.sources import read_environment, read_specified
from runtime.settings.tools import OntologySettings, ToolSettings
from runtime.settings.webhooks import WebhookSettings


class Settings(
    OntologySettings,
    WebhookSettings,
    ToolSettings,
    SignInSettings,
    LimitSettings,
    OperationSettings,
    ServiceSettings,
):
    """The settings of one service; Pydantic puts the rows of the last table first."""

    @property
    def token_issuer(self) -> str:
        """The ``iss`` of every token, spelled exactly as configured."""
        return self.issuer or self.base_url

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None, /, **overrides: Any) -> Self:
        """Read environment, file and specifications; ``overrides`` are by attribute name and win.

        Raises ``Misconfigured`` naming every setting that cannot be read.
        """
        names = {attribute: str(row.validation_alias) for attribute, row in cls.model_fields.items()}
        environ = os.environ if environment is None else environment
        values = read_environment(environ, names.values())
        values |= {names[attribute]: value for attribute, value in overrides.items()}
        for family in FAMILIES:
            values |= family.read_environment(environ)
        app = str(values.get("service.app", cls.model_fields["app"].default))
        values = group_families(read_specified(app) | values, FAMILIES)
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            faults = describe_faults(error, names.values())
            raise Misconfigured(f"settings: {faults}", cause=error) from None

    def printable(self) -> str:
        """Print a line ``name = value`` for each setting, secrets masked, in the order of the tables."""
        families = {family.alias: family for family in FAMILIES}
        lines = []
        for attribute, row in type(self).model_fields.items():
            name, value = str(row.validation_alias), getattr(self, attribute)
            if name in families and value:
                lines += print_groups(families[name], value)
            else:
                lines.append(f"{name} = {value}")
        return "\n".join(lines)
