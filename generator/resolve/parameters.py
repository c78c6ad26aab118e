"""The parameters of an endpoint: what it reads from the path, the query and headers."""

from generator.model import Kind, Parameter
from generator.naming import PythonName
from generator.resolve.context import Spot
from generator.resolve.field_types import build_type
from generator.resolve.fields import a, build_nested_fields, check_parameter
from generator.resolve.values import Values
from generator.spec import EndpointSpec, ParameterSpec

_IN_A_URL = frozenset(Kind) - {Kind.LIST, Kind.MAP, Kind.OBJECT, Kind.STRUCTURE, Kind.REFERENCE, Kind.JSON}


def resolve_parameters(spot: Spot, spec: EndpointSpec, path: str, values: Values) -> tuple[Parameter, ...]:
    """Return the parameters in their order; report unusable ones and names that are equal in Python."""
    taken: dict[str, str] = {}
    found = []
    for name, one in spec.parameters.items():
        below = spot.within("parameters", name)
        parameter = _resolve_parameter(below, name, one, f"{{{name}}}" in path, values)
        if parameter is None:
            continue
        if other := taken.get(parameter.python_name):
            below.report_key("SPEC021", f'"{name}" and "{other}" are the same name in Python')
            continue
        taken[parameter.python_name] = name
        found.append(parameter)
    return tuple(found)


def _check_always_sent(spot: Spot, name: str, spec: ParameterSpec) -> None:
    """Check that a parameter of the path has no word about requests without it."""
    is_optional = "required" in spec.model_fields_set and not spec.required
    if is_optional or spec.default is not None:
        word = "required" if is_optional else "default"
        spot.report_key(
            "SPEC071", f"{{{name}}} is part of the path, so it is always sent: remove {word}", word
        )


def _resolve_parameter(
    spot: Spot, name: str, spec: ParameterSpec, in_path: bool, values: Values
) -> Parameter | None:
    python_name = spot.named(PythonName.parameter, name, key=True)
    kind = build_type(spot, spec, "Parameter", name, build_nested_fields)
    if python_name is None or kind is None:
        return None
    location = spec.location or ("path" if in_path else "query")
    target = kind.element if location == "query" else kind
    if target.kind not in _IN_A_URL:
        message = f"{a(kind)} cannot be sent in the {location}: use a request structure"
        spot.report_key("SPEC076", message)
        return None
    check_parameter(spot, spec, kind, values)
    if location == "path":
        _check_always_sent(spot, name, spec)
    required = spec.required or location == "path"
    return Parameter(
        name, python_name, kind, required, spec.description, spec.default, location, spec.example
    )
