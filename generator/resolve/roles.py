"""Names of roles and areas."""

from generator.naming import AREA_RULE, is_area
from generator.resolve.context import Spot


def known_area(spot: Spot, area: str | None) -> str:
    """Return the functional area: the given one, or the folder's name."""
    if area is not None and not is_area(area):
        message = f'"{area}" is not a functional area: {AREA_RULE}'
        spot.report("SPEC020", message, "area")
    for now, former in spot.context.former_areas.items():
        if former == (area or spot.document.area):
            message = f'the area "{former}" is called "{now}" since: move the file there'
            spot.report("SPEC048", message, *(("area",) if area else ()))
    return area or spot.document.area


def stored_area(spot: Spot, area: str) -> str:
    """Return what rules and the scopes of tokens know an area by: its former name, if it was renamed."""
    return spot.context.former_areas.get(area, area)


def known_roles(spot: Spot, roles: list[str]) -> tuple[str, ...]:
    """Return the roles; report repeated ones, and unknown ones where service.yaml can be read."""
    declared = spot.context.roles  # those that begin in upper case are reported there
    known = declared | {one.lower() for one in declared if one[:1].isupper()}
    for index, role in enumerate(roles):
        if role in roles[:index]:
            spot.report("SPEC021", f'the role "{role}" is listed twice', index)
        elif spot.context.specs.knows_all("roles"):
            spot.known("role", role, known, index)
    return tuple(dict.fromkeys(roles))
