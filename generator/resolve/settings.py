"""The settings of ``service.yaml``: they exist, have such values, and may be in a file."""

from pydantic import ValidationError

from generator.problems import did_you_mean
from generator.resolve.context import Spot
from generator.spec import ServiceSpec
from generator.types import OF_DEPLOYMENTS, is_secret
from runtime.errors import Misconfigured
from runtime.settings import FAMILIES, Family, Settings, describe_faults

_ROWS = {str(info.validation_alias): info for info in Settings.model_fields.values()}


def check_settings(spot: Spot, spec: ServiceSpec) -> None:
    """Report settings that are unknown, wrong, or not for a file."""
    for name, value in spec.settings.items():
        row = _ROWS.get(name)
        family = next((one for one in FAMILIES if name.startswith(one.prefix)), None)
        if row is None and family is not None:
            _check_of_family(spot, family, name)
        elif row is None:
            spot.report_key("SPEC039", f'unknown setting "{name}"{did_you_mean(name, _ROWS)}', name)
        elif is_secret(row.annotation):
            message = f"{name} is a secret: set it in the environment, not in a file"
            spot.report_key("SPEC039", message, name)
        elif name in OF_DEPLOYMENTS:
            message = f"{name} locates these settings: set it in the environment"
            spot.report_key("SPEC039", message, name)
        else:
            try:
                Settings.model_validate({name: value})
            except ValidationError as error:
                spot.report("SPEC039", describe_faults(error, _ROWS), name)


def _check_of_family(spot: Spot, family: Family, name: str) -> None:
    try:
        _name, word = family.split(name) or ("", "")
    except Misconfigured as error:
        spot.report_key("SPEC039", error.message, name)
        return
    if family.is_secret(word):
        spot.report_key("SPEC039", f"{name} is a secret: set it in the environment, not in a file", name)
