"""The service itself: title, version, roles, areas and the settings that differ from the default."""

import re
from collections.abc import Iterable, Iterator

from generator.english import words
from generator.model import Area
from generator.naming import AREA_RULE, is_area
from generator.problems import Place, did_you_mean, nearest
from generator.resolve.context import Context, Spot
from generator.spec import ContactSpec, Document, ServiceSpec

_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?(?:[-+][0-9A-Za-z.+-]+)?")
_ROLE = re.compile(r"[a-z][A-Za-z0-9_-]*")
_URL = re.compile(r"https?://[^\s/]\S*")
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")


def check_service(context: Context, document: Document[ServiceSpec], used: Iterable[str]) -> None:
    """Check version, roles and settings, and areas that look misspelled.

    An area that is near one that is described, while both are in use, is a warning: it may be meant.
    """
    spot, spec = Spot(context, document), document.spec
    if not _VERSION.fullmatch(spec.version):
        spot.report(
            "SPEC020", f'"{spec.version}" is not a valid version: write one such as "1.0.0"', "version"
        )
    for position, role in enumerate(spec.roles):
        if not _ROLE.fullmatch(role):
            message = (
                f'"{role}" is not a valid role name: write a lower-case letter, then letters, digits, - and _'
            )
            is_listed = spot.place("roles", position) != spot.place("roles")
            spot.report_key("SPEC020", message, "roles", position if is_listed else role)
    _check_more_info(spot, spec)
    system = context.specs.system
    undescribed = _find_undescribed(context, spec, used)
    _check_former_areas(spot, spec, system)
    _check_areas(spot, spec, used, undescribed)
    for area in sorted(undescribed):
        if near := nearest(area, [*spec.areas, *system.areas]):
            meant = " or ".join(f'"{one}"' for one in near)
            message = f'the area "{area}" is not described in service.yaml; did you mean {meant}?'
            for place in _find_uses(context, area):
                context.warn(place, "SPEC037", f"{message} If not, describe it in areas")
    if spec.settings:
        from generator.resolve.settings import check_settings  # takes long to load, and few files have any

        check_settings(spot.within("settings"), spec)


def _check_more_info(spot: Spot, spec: ServiceSpec) -> None:
    """Check what the document tells its readers: addresses, and words that contradict each other."""
    contact, license_ = spec.contact or ContactSpec(), spec.license
    urls = {("contact", "url"): contact.url, ("termsOfService",): spec.terms_of_service}
    if license_:
        urls["license", "url"] = license_.url
        if license_.identifier is not None and license_.url is not None:
            spot.report("SPEC048", "a licence has an identifier or a url, not both", "license", "url")
    for path, url in urls.items():
        if url is not None and not _URL.fullmatch(url):
            spot.report("SPEC014", f'"{url}" is not a URL: write one that begins with https://', *path)
    if contact.email is not None and not _EMAIL.fullmatch(contact.email):
        message = f'"{contact.email}" is not an address: write one such as team@example.org'
        spot.report("SPEC014", message, "contact", "email")


def _find_undescribed(context: Context, spec: ServiceSpec, used: Iterable[str]) -> set[str]:
    """Find areas that service.yaml does not describe; none where a name or a description is left out."""
    is_unsure = any("area" in one.omitted_words for one in context.specs.records)
    if is_unsure or not context.specs.knows_all("areas"):
        return set()
    return set(used) - spec.described_areas.keys() - context.specs.system.areas.keys()


def _find_uses(context: Context, area: str) -> Iterator[Place]:
    """Find where files name an area; where none does, the first file of its folder."""
    specs = context.specs
    named = [
        *(one.at.value("area") for one in specs.records if one.spec.area == area),
        *(
            document.at.value("endpoints", position, "area")
            for document in specs.endpoints
            for position, one in enumerate(document.spec.endpoints)
            if one.area == area
        ),
    ]
    inside = (
        one.at.value()
        for one in (*specs.records, *specs.endpoints, *specs.structures, *specs.graphs)
        if one.area == area
    )
    yield from named or sorted(inside)[:1]


def _check_areas(spot: Spot, spec: ServiceSpec, used: Iterable[str], undescribed: Iterable[str]) -> None:
    """Report names that no area can have, and described areas that are near one in use."""
    for area in spec.areas:
        if not is_area(area):
            spot.report_key("SPEC020", f'"{area}" is not a functional area: {AREA_RULE}', "areas", area)
        elif spec.former_areas.get(area, area) not in used and nearest(area, undescribed):
            message = f'no file belongs to the area "{area}"{did_you_mean(area, undescribed)}'
            spot.report_key("SPEC037", message, "areas", area)


def _check_former_areas(spot: Spot, spec: ServiceSpec, system: ServiceSpec) -> None:
    """Report a former name that another area has, whose rules would apply to both."""
    formers = list(spec.former_areas.values())
    for area, former in spec.former_areas.items():
        if former in {*spec.areas, *system.areas} or formers.count(former) > 1:
            message = f'renamedFrom names the area "{former}", which another area has'
            spot.report_key("SPEC048", message, "areas", area)


def build_areas(system: ServiceSpec, service: ServiceSpec, used: Iterable[str]) -> tuple[Area, ...]:
    """List the areas in use: the system's, those of service.yaml in its order, the others by name."""
    described = {**system.described_areas, **service.described_areas}
    names = set(used)
    rest = sorted(names - set(described))
    ordered = [name for name in described if name in names] + rest
    return tuple(Area(name, described.get(name) or " ".join(words(name)).capitalize()) for name in ordered)
