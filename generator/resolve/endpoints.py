"""Hand-written endpoints: routes, bodies and the handler function."""

import keyword
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from generator.english import words
from generator.model import Endpoint, Structure
from generator.naming import PythonName
from generator.problems import Place
from generator.resolve.context import Context, Spot
from generator.resolve.endpoint_checks import (
    check_answers,
    check_deciding,
    check_handlers_are_seen,
    check_headers,
    check_streams,
)
from generator.resolve.parameters import resolve_parameters
from generator.resolve.roles import known_area, known_roles, stored_area
from generator.resolve.routes import claim_route
from generator.resolve.values import Values
from generator.spec import Document, EndpointSpec, EndpointsSpec

ACTIONS: Mapping[str, str] = {
    "get": "VIEW",
    "post": "CREATE",
    "put": "UPDATE",
    "patch": "UPDATE",
    "delete": "DELETE",
}

_ID = re.compile(r"[a-z][a-zA-Z0-9]*(?:_[a-z][a-zA-Z0-9]*)*")
_PATH = re.compile(r"(?:/(?:[A-Za-z0-9._~-]+|\{[A-Za-z][A-Za-z0-9]*\}))+")
_HANDLER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
_ACTION = re.compile(r"[A-Z][A-Z0-9_]*")


def build_endpoints(
    context: Context,
    documents: Sequence[Document[EndpointsSpec]],
    structures: Mapping[str, Structure],
    values: Values,
) -> tuple[Endpoint, ...]:
    """Build all endpoints, sorted by operation id."""
    written = [
        (Spot(context, document, ("endpoints", position)), spec)
        for document in documents
        for position, spec in enumerate(document.spec.endpoints)
    ]
    for spot, spec in written:
        if spec.path == {}:
            spot.report("SPEC024", "an endpoint has at least one path", "path")
    listed = [(spot, one) for spot, spec in written for one in _split_paths(spec)]
    for spot, spec in listed:
        area = _area(spot, spec).replace("-", "_")
        context.claim("the module", f"{area}_endpoints.py", partial(Place, area), f"the endpoints of {area}")
    short = Counter(_name_in_area(spot, spec) for spot, spec in listed)
    built = [
        (spot, _resolve_endpoint(spot, spec, structures, values, whole=short[_name_in_area(spot, spec)] > 1))
        for spot, spec in listed
    ]
    found = [(spot, one) for spot, one in built if one]
    check_handlers_are_seen(found)
    return tuple(sorted((one for _spot, one in found), key=lambda one: one.operation_id))


def _split_paths(spec: EndpointSpec) -> Iterator[EndpointSpec]:
    """Yield one endpoint for each path, with the path parameters of this path alone."""
    if isinstance(spec.path, str):
        yield spec
        return
    every = {name for path in spec.path.values() for name in _names(path)}
    for suffix, path in spec.path.items():
        own = [name for name in _names(path) if any(name not in _names(one) for one in spec.path.values())]
        parameters = {
            name: one for name, one in spec.parameters.items() if name not in every or name in _names(path)
        }
        yield spec.model_copy(
            update={
                "id": spec.id + suffix,
                "path": path,
                "summary": f"{spec.summary.strip().rstrip('.')} {_complete(suffix, own)}".rstrip(),
                "parameters": parameters,
            }
        )


def _complete(suffix: str, own: list[str]) -> str:
    """Return by what a path finds: as its suffix says, else its own parameters."""
    if suffix.startswith("By"):
        return " ".join(words(suffix))
    return "by " + " and ".join(" ".join(words(name)) for name in own) if own else ""


def _names(path: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", path)


def _area(spot: Spot, spec: EndpointSpec) -> str:
    return spec.area or spot.document.area


def _name_in_area(spot: Spot, spec: EndpointSpec) -> tuple[str, str]:
    return _area(spot, spec), str(_short(spec.id))


def _short(operation_id: str) -> PythonName | None:
    return PythonName.function(operation_id) if _ID.fullmatch(operation_id) else None


def _resolve_endpoint(
    spot: Spot, spec: EndpointSpec, structures: Mapping[str, Structure], values: Values, *, whole: bool
) -> Endpoint | None:
    if not _ID.fullmatch(spec.id):
        spot.report(
            "SPEC020", f'"{spec.id}" is not a valid operation id: write one such as security_login', "id"
        )
        return None
    context, what = spot.context, f"endpoint {spec.id}"
    context.claim("the operation id", spec.id, spot.at("id"), what, "SPEC021")
    path = str(spec.path)
    _check_path(spot, spec, path, what)
    check_answers(spot, spec)
    check_deciding(spot, spec)
    check_streams(spot, spec)
    check_headers(spot, spec)
    return Endpoint(
        operation_id=spec.id,
        function=PythonName.function(spec.id, whole=whole),
        method=spec.method,
        path=path,
        area=stored_area(spot, known_area(spot, spec.area)),
        domain=spec.domain or _domain(path),
        action=_resolve_action(spot, spec),
        summary=spec.summary.strip().rstrip("."),
        handler_module=spec.handler.partition(":")[0],
        handler_function=_resolve_handler(spot, spec.handler),
        source=spot.document.source,
        description=spec.description,
        roles=known_roles(spot.within("roles"), spec.roles),
        parameters=resolve_parameters(spot, spec, path, values),
        request=_find_structure(spot, spec.request, structures, "request"),
        response=_find_structure(spot, spec.response, structures, "response"),
        status=spec.status or (200 if spec.response or spec.streams or spec.answers else 204),
        errors=tuple(sorted(set(spec.errors))),
        is_system=spot.document.is_system,
        **_facts(spec),
    )


def _facts(spec: EndpointSpec) -> Any:
    """Return what an endpoint says about itself in one word each."""
    return {
        "public": spec.public,
        "oauth": spec.oauth,
        "records_decide": spec.decides == "records",
        "takes_key": spec.idempotency_key,
        "large_body": spec.large_body,
        "streams": spec.streams,
        "events": spec.events,
        "answers": spec.answers,
    }


def _domain(path: str) -> str:
    segments = [segment for segment in path.split("/") if segment and not segment.startswith("{")]
    return segments[1] if len(segments) > 1 else segments[0] if segments else "root"


def _resolve_action(spot: Spot, spec: EndpointSpec) -> str:
    action = spec.action or ACTIONS[spec.method]
    if not _ACTION.fullmatch(action):
        spot.report("SPEC020", f'"{action}" is not a valid action: write one such as VIEW', "action")
    return action


def _resolve_handler(spot: Spot, handler: str) -> str:
    module, _, function = handler.partition(":")
    if not _HANDLER.fullmatch(handler) or any(map(keyword.iskeyword, [*module.split("."), function])):
        spot.report("SPEC072", f'"{handler}" names no function: write "package.module:function"', "handler")
    return function


def _find_structure(
    spot: Spot, name: str | None, structures: Mapping[str, Structure], word: str
) -> Structure | None:
    if name is None:
        return None
    if name in spot.context.records and name not in spot.context.structures:
        spot.report("SPEC032", f'"{name}" is a record: {word} takes a structure', word)
    else:
        spot.known("structure", name, spot.context.structures, word)
    return structures.get(name)


def _check_path(spot: Spot, spec: EndpointSpec, path: str, what: str) -> None:
    if not _PATH.fullmatch(path):
        advice = "write one such as /security/users/{userId}, no slash at the end"
        message = f'"{path}" is not a valid path: {advice}'
        spot.report("SPEC024", message, "path")
        return
    claim_route(spot.context, spec.method, path, what, spot.at("path"))
    in_path = _names(path)
    for name in in_path:
        if name not in spec.parameters:
            spot.report("SPEC071", f"{{{name}}} of the path is not declared in parameters", "path")
        elif in_path.count(name) > 1:
            spot.report("SPEC071", f"{{{name}}} appears twice in the path", "path")
            break
    for name, parameter in spec.parameters.items():
        if parameter.location == "path" and name not in in_path:
            spot.report_key("SPEC071", f"the path has no {{{name}}}", "parameters", name)
        elif parameter.location not in (None, "path") and name in in_path:
            message = f"{{{name}}} is part of the path: remove in, or write in: path"
            spot.report("SPEC071", message, "parameters", name, "in")
