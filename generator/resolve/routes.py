"""All routes of the service: no two answer the same method and path, no two share an operation id."""

import re

from generator.model import Record
from generator.resolve.context import Context, FindPlace
from runtime.model.own_paths import OWN_PATHS

_RESERVED_PATHS = (*OWN_PATHS, "/redoc")
"""Paths of the service, and one that other services of FastAPI have."""

_BELOW = re.compile(r"/docs/.*|/openapi/[^/]*\.json")
"""Where literal paths are those of pages, too."""

_FIRST_PARTS = frozenset({"{}", *(one.split("/")[1] for one in _RESERVED_PATHS)})
"""How a route that the service answers itself may begin. Those of record types rarely do."""

_PARAMETER = re.compile(r"\{[^}]*\}")


def claim_route(context: Context, method: str, path: str, what: str, find: FindPlace) -> None:
    """Take a route; parameters of any name are the same place in a path."""
    shape = _PARAMETER.sub("{}", path)
    if taken := _find_taken(shape):
        context.report(find(), "SPEC024", f"{taken} is answered by the service itself: choose another path")
        return
    context.claim("the route", f"{method.upper()} {shape}", find, what, "SPEC070")


def _find_taken(shape: str) -> str | None:
    """Return the path of the service that a route of this shape would answer as well, if there is one."""
    if shape.removeprefix("/").partition("/")[0] not in _FIRST_PARTS:
        return None
    taken = next((one for one in _RESERVED_PATHS if _leads_to(shape, one)), None)
    return taken or (shape if _BELOW.fullmatch(shape) else None)


def _leads_to(shape: str, path: str) -> bool:
    """Whether a path is one of those that a route of this shape would answer."""
    parts = zip(shape.split("/"), path.split("/"), strict=False)
    return shape.count("/") == path.count("/") and all(mine in ("{}", its) for mine, its in parts)


def claim_record_routes(context: Context, record: Record, find: FindPlace) -> None:
    """Take the routes and operation ids of a record; the first clash is enough."""
    if record.name in context.clashing:
        return
    what = f"record {record.name}"
    before = len(context.problems)
    for row in record.operations:
        claim_route(context, row.method, record.path + row.path, what, find)
        context.claim("the operation id", f"{record.domain}_{row.operation}", find, what, "SPEC021")
        if len(context.problems) > before:
            return
