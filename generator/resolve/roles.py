"""Role names."""

from __future__ import annotations

from generator.resolve.context import Spot


def known_roles(spot: Spot, roles: list[str]) -> tuple[str, ...]:
    """The roles as written; unknown and repeated ones are reported. Without service.yaml, any may exist."""
    for index, role in enumerate(roles):
        if role in roles[:index]:
            spot.report("SPEC021", f'the role "{role}" is listed twice', index)
        elif spot.context.specs.service is not None:
            spot.known("role", role, spot.context.roles, index)
    return tuple(dict.fromkeys(roles))
