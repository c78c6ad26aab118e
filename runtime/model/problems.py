"""Errors as RFC 9457 problem bodies, and Pydantic's findings as errors of the service."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from json import JSONDecoder
from typing import Any, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from runtime.errors import (
    InvalidParameter,
    MalformedRequest,
    NotFound,
    RequestError,
    ServiceError,
    UnknownMember,
    ValidationFailed,
)
from runtime.model.field_type import find_field, model_fields
from runtime.model.formats import PATTERN_TEXTS
from runtime.model.nearest import called_now, hint_or_all
from runtime.model.record import EntityReference, members
from runtime.model.scalars import DATE_EXAMPLE, DATETIME_EXAMPLE, DECIMAL_EXAMPLE, MALFORMED_ID
from runtime.model.whole_numbers import read_json

M = TypeVar("M", bound=BaseModel)
Findings: TypeAlias = Sequence[ErrorDetails]
Violation: TypeAlias = dict[str, str]  # ``{path, message}``

_MOST_VIOLATIONS = 20
_REFERENCE = '{"entityId": "<the id>"}'
_EXAMPLES = {
    "finite_number": DECIMAL_EXAMPLE,
    **dict.fromkeys(("date_parsing", "date_from_datetime_parsing"), DATE_EXAMPLE),
    **dict.fromkeys(("datetime_parsing", "datetime_from_date_parsing", "timezone_aware"), DATETIME_EXAMPLE),
}
_FORMATS = {f"String should match pattern '{pattern}'": text for pattern, text in PATTERN_TEXTS.items()}
"""Pydantic's message about a text that does not match a pattern → ours, which shows no pattern."""
_UNKNOWN = "extra_forbidden"
_DECODER = JSONDecoder()


def build_problem_body(error: ServiceError, *, instance: str, request_id: str) -> dict[str, Any]:
    """Build the public part of an error. Never a stack trace, a class path or the cause.

    The members of RFC 9457 cannot be replaced by a detail of the same name.
    """
    body: dict[str, Any] = {
        "type": f"urn:recordsmith:problem:{error.code}",
        "title": error.title,
        "status": error.status,
        "detail": error.message,
        "instance": instance,
        "code": error.code,
        "requestId": request_id,
    }
    extra = {name: value for name, value in error.details.items() if value is not None and name not in body}
    return body | extra


def validate_body(model: type[M], body: bytes) -> M:
    """Validate a JSON body against the model.

    Raises ``MalformedRequest``, ``UnknownMember`` or ``ValidationFailed``.
    """
    try:
        return read_json(model, body)
    except ValidationError as error:
        raise refusal(model, error) from None


def refusal(model: type[BaseModel], error: ValidationError) -> RequestError:
    """Turn Pydantic's findings into one error: unreadable, unknown members, malformed ids, violations."""
    return refusal_of(model, findings_of(error))


def findings_of(error: ValidationError, ignored: int = 0) -> Findings:
    """Return Pydantic's first findings without the values sent, including an unknown member if any.

    ``ignored``: so many more, which the caller leaves out.

    Pydantic builds either all of its findings or one text of them, which is sooner done; only the few that
    are reported are read out of that.
    """
    most = _MOST_VIOLATIONS + ignored
    if error.error_count() <= most:
        return error.errors(include_url=False, include_context=False, include_input=False)
    text = error.json(include_url=False, include_context=False, include_input=False)
    findings, at = [], 1
    for _ in range(most):
        finding, at = _finding_at(text, at)
        findings.append(finding)
        at += 1  # the comma
    # Quotes within a name are escaped, so no name can pass for the beginning of a finding.
    unknown = text.find(f'{{"type":"{_UNKNOWN}"')
    return findings if unknown < 0 else [*findings, _finding_at(text, unknown)[0]]


def _finding_at(text: str, start: int) -> tuple[ErrorDetails, int]:
    """Parse the finding that starts there; return it and where it ends."""
    found, end = _DECODER.raw_decode(text, start)
    finding: ErrorDetails = found
    finding["loc"] = tuple(found["loc"])
    return finding, end


def refusal_of(
    model: type[BaseModel],
    findings: Findings,
    hidden: Set[str] = frozenset(),
    name_as_today: Callable[[str], str] = str,
) -> RequestError:
    """Turn findings, of which some may have been left out, into one error; at least one is there.

    ``hidden``: members that are not to be suggested. ``name_as_today`` converts a path with former names.
    """
    if findings[0]["type"] == "json_invalid":
        return MalformedRequest(f"the body is not JSON: {findings[0]['msg'].removeprefix('Invalid JSON: ')}")
    unknown = [finding["loc"] for finding in findings if finding["type"] == _UNKNOWN]
    if unknown:
        path = wire_path(unknown[0])
        sent = ".".join(step for step in unknown[0] if isinstance(step, str))
        now = name_as_today(sent)
        if now != sent and _may_be_sent(model, now, hidden):
            advice = called_now(now)
        else:
            advice = _advise_member(model, unknown[0], hidden)
        return UnknownMember(f"unknown member {path[:200]}{advice}", member=path[:200])
    if any(finding["type"] == MALFORMED_ID for finding in findings):
        malformed = list_violations([one for one in findings if one["type"] == MALFORMED_ID])
        return MalformedRequest(_message(malformed), violations=list_violations(findings, model))
    return invalid(list_violations(findings, model))


def _may_be_sent(model: type[BaseModel], path: str, hidden: Set[str]) -> bool:
    """Return whether a path names a member that may be suggested."""
    steps = path.split(".")
    around = {".".join(steps[:end]) for end in range(1, len(steps) + 1)}
    return around.isdisjoint(hidden) and find_field(model_fields(model), path) is not None


def _advise_member(model: type[BaseModel], location: Sequence[int | str], hidden: Set[str]) -> str:
    """Name the members that are near; of an object with few members, all of them where none is."""
    *around, name = [step for step in location if isinstance(step, str)] or [""]
    here: type[BaseModel] | None = model
    path = ""
    for step in around:
        found = members(here).get(step) if here and path + step not in hidden else None
        here = _find_class(found[1].annotation) if found else None
        path += f"{step}."
    if here is None:
        return ""
    if issubclass(here, EntityReference) and f"{path}entityId" not in hidden:  # its other members are copies
        return f"; a reference is sent as {_REFERENCE}"
    known = {one for one in members(here) if path + one not in hidden}
    return hint_or_all(name, known, "member") if known else "; there are no members"


def _find_class(annotation: Any) -> type[BaseModel] | None:
    """Find the class of an object, or of the objects in a list; None where it could be several."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = () if get_origin(annotation) is dict else get_args(annotation)
    found = {one for one in map(_find_class, inner) if one}
    return found.pop() if len(found) == 1 else None


def list_violations(findings: Findings, model: type[BaseModel] | None = None) -> list[Violation]:
    """Convert findings to ``{path, message}``, at most 20 of them.

    With the model that was validated, the message about a reference shows how one is sent.
    """
    return [
        {"path": wire_path(finding["loc"])[:500], "message": _describe(finding, model)}
        for finding in findings[:_MOST_VIOLATIONS]
    ]


def _describe(finding: ErrorDetails, model: type[BaseModel] | None) -> str:
    message = finding["msg"]
    if finding["type"] in ("too_short", "too_long"):
        for name, own in (("Dictionary ", "Object "), ("List ", "Array "), (" after validation", "")):
            message = message.replace(name, own)
    if example := _EXAMPLES.get(finding["type"]):
        return f"{message}; write it as in {example}"
    if finding["type"] == "string_pattern_mismatch":
        return _FORMATS.get(message, message)
    steps = [step for step in finding["loc"] if isinstance(step, str)]
    if model is None or finding["type"] not in ("missing", "model_type", "list_type"):
        return message
    is_missing = finding["type"] == "missing"
    if is_missing and steps.pop() != "entityId":
        return message
    found = find_field(model_fields(model), ".".join(steps)) if steps else None
    is_list = finding["type"] == "list_type"
    if found is None or is_list or not found.innermost.is_reference:
        form = "" if found is None or is_missing else (found if is_list else found.innermost).form
        return f"{message}, as in {form}" if form else message
    return f"{message if is_missing else 'Input should be a reference'}, as in {_REFERENCE}"


def invalid(violations: list[Violation]) -> ValidationFailed:
    """Create the error that lists violations; its message names the first five."""
    return ValidationFailed(_message(violations), violations=violations[:_MOST_VIOLATIONS])


def no_entity_id(path: str) -> ValidationFailed:
    """Create the error about a reference that does not name a record by its id."""
    return invalid([{"path": f"{path}.entityId", "message": f"Field required, as in {_REFERENCE}"}])


def require_no_faults(faults: Mapping[str, str | None]) -> None:
    """Raise ``ValidationFailed`` for all faults, by the paths of members; None where nothing is wrong."""
    if found := [{"path": path, "message": fault} for path, fault in faults.items() if fault]:
        raise invalid(found)


def invalid_parameter(error: ValidationError) -> InvalidParameter:
    """Turn the first of Pydantic's findings into the error of a parameter."""
    finding = error.errors(include_url=False, include_context=False)[0]
    name = wire_path(finding["loc"])
    fault = " is missing" if finding["type"] == "missing" else f": {finding['msg']}"
    return InvalidParameter(name + fault, parameter=name)


def no_record(type_name: str, record_id: str) -> NotFound:
    """Create the error for an id that no visible record of a type has."""
    return NotFound(explain_absence(type_name, "id", record_id))


def explain_absence(type_name: str, key: str, value: str, tenant: str | None = None) -> str:
    """Say that no visible record of a type has this key; ``tenant``: where alone it was looked for."""
    if tenant is None:
        return f"no {type_name} has the {key} {value}"
    return f"tenant {tenant[:100]} has no {type_name} with the {key} {value}"


def _message(violations: Sequence[Violation]) -> str:
    return "; ".join(f"{entry['path']}: {entry['message']}" for entry in violations[:5])


def wire_path(location: Iterable[int | str]) -> str:
    """Write the location ``("lines", 0, "sku")`` as ``lines[0].sku``."""
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path or "body"
