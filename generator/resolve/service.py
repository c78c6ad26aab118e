"""The service itself: title, version, roles, areas and the settings that differ from the default."""

import re
from collections.abc import Iterable

from pydantic import SecretStr, ValidationError

from generator.english import words
from generator.model import Area
from generator.problems import did_you_mean, nearest
from generator.resolve.context import Context, Spot
from generator.spec import Document, ServiceSpec
from runtime.errors import Misconfigured
from runtime.model.record_type import BUILT_IN_ROLES
from runtime.settings import FAMILIES, Family, Settings

_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?(?:[-+][0-9A-Za-z.+-]+)?")
_ROLE = re.compile(r"[a-z][A-Za-z0-9_-]*")
_OF_DEPLOYMENTS = frozenset({"service.app"})
_ROWS = {str(info.validation_alias): info for info in Settings.model_fields.values()}


def check_service(context: Context, document: Document[ServiceSpec], used: Iterable[str]) -> None:
    """Version, roles, settings; an area that looks like a misspelled one."""
    spot, spec = Spot(context, document), document.spec
    if not _VERSION.fullmatch(spec.version):
        spot.report(
            "SPEC020", f'"{spec.version}" is not a valid version: write one such as "1.0.0"', "version"
        )
    for role in spec.roles:
        if not _ROLE.fullmatch(role):
            message = (
                f'"{role}" is not a valid role name: write a lower-case letter, then letters, digits, - and _'
            )
            spot.report_key("SPEC020", message, "roles", role)
    system = context.specs.system
    undescribed = set(used) - set(spec.described_areas) - set(system.areas if system else ())
    _check_former_areas(spot, spec)
    for area in spec.areas:
        if spec.former_areas.get(area, area) not in used and nearest(area, undescribed):
            message = f'no file belongs to the area "{area}"{did_you_mean(area, undescribed)}'
            spot.report_key("SPEC037", message, "areas", area)
    _check_settings(spot.within("settings"), spec)


def _check_former_areas(spot: Spot, spec: ServiceSpec) -> None:
    """Report a former name that another area has, whose rules would apply to both."""
    formers = list(spec.former_areas.values())
    for area, former in spec.former_areas.items():
        if former in spec.areas or formers.count(former) > 1:
            message = f'renamedFrom names the area "{former}", which another area has'
            spot.report_key("SPEC048", message, "areas", area)


def _check_settings(spot: Spot, spec: ServiceSpec) -> None:
    for name, value in spec.settings.items():
        row = _ROWS.get(name)
        family = next((one for one in FAMILIES if name.startswith(one.prefix)), None)
        if row is None and family is not None:
            _check_of_family(spot, family, name)
        elif row is None:
            spot.report_key("SPEC039", f'unknown setting "{name}"{did_you_mean(name, _ROWS)}', name)
        elif SecretStr in (row.annotation, *getattr(row.annotation, "__args__", ())):
            message = f"{name} is a secret: set it in the environment, not in a file"
            spot.report_key("SPEC039", message, name)
        elif name in _OF_DEPLOYMENTS:
            message = f"{name} locates these settings: set it in the environment"
            spot.report_key("SPEC039", message, name)
        else:
            try:
                Settings.model_validate({name: value})
            except ValidationError as error:
                spot.report("SPEC039", f"{name}: {error.errors()[0]['msg']}", name)


def _check_of_family(spot: Spot, family: Family, name: str) -> None:
    try:
        _name, word = family.split(name) or ("", "")
    except Misconfigured as error:
        spot.report_key("SPEC039", error.message, name)
        return
    if family.is_secret(word):
        spot.report_key("SPEC039", f"{name} is a secret: set it in the environment, not in a file", name)


def build_areas(
    system: ServiceSpec | None, service: ServiceSpec | None, used: Iterable[str]
) -> tuple[Area, ...]:
    """List the areas in use: the system's, those of service.yaml in its order, the others by name."""
    described = {
        **(system.described_areas if system else {}),
        **(service.described_areas if service else {}),
    }
    names = set(used)
    rest = sorted(names - set(described))
    ordered = [name for name in described if name in names] + rest
    return tuple(Area(name, described.get(name) or " ".join(words(name)).capitalize()) for name in ordered)


def role_names(service: ServiceSpec | None) -> tuple[str, ...]:
    """All roles: the built-in ones and those of the service, sorted."""
    return tuple(sorted(BUILT_IN_ROLES | frozenset(service.roles if service else ())))
