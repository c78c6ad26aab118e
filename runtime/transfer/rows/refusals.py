"""Why one row was refused: an error of the service, as findings about the row.

The refusal is the one that a single request would have got; here it names the cell it is about.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from runtime.contract.imports import RowCode
from runtime.errors import (
    Denied,
    Duplicate,
    InvalidParameter,
    InvalidStateTransition,
    MissingReference,
    NotStorable,
    RecordBusy,
    ServiceError,
    StillReferenced,
    TooLarge,
    UnknownField,
    VersionConflict,
)
from runtime.model.nearest import closest
from runtime.model.problems import Violation
from runtime.model.record_type import RecordType
from runtime.transfer.rows.row_error import RowError
from runtime.transfer.rows.rows import InputRow

_CODES: Final[Mapping[type[ServiceError], RowCode]] = {
    InvalidParameter: RowCode.PARSE,
    InvalidStateTransition: RowCode.STATE,
    MissingReference: RowCode.REFERENCE,
    StillReferenced: RowCode.REFERENCE,
    Denied: RowCode.SCOPE,
    Duplicate: RowCode.DUPLICATE,
    VersionConflict: RowCode.DB,
    RecordBusy: RowCode.DB,
    TooLarge: RowCode.DB,
    NotStorable: RowCode.DB,
}
"""Whatever else is wrong with a record is VALIDATION."""


def build_findings(kind: RecordType[Any], row: InputRow, error: ServiceError) -> tuple[RowError, ...]:
    """Turn a refusal into findings about a row. A fault of the service is raised again instead."""
    if error.status >= 500 and not isinstance(error, RecordBusy):
        raise error
    code = _CODES.get(type(error), RowCode.VALIDATION)
    violations = error.details.get("violations")
    if violations:
        return build_violations(kind, row, code, violations)
    field = _field(error)
    allowed = error.details.get("allowed") or ()
    value = None if field is None else row.value_of(field)
    near = closest(value, allowed) if value else None
    return (RowError(code, error.message, field, value, near),)


def build_violations(
    kind: RecordType[Any], row: InputRow, code: RowCode, violations: Iterable[Violation]
) -> tuple[RowError, ...]:
    """Turn violations of a record into findings about the row that it comes from."""
    found = ((_find_code(kind, code, one["path"]), one) for one in violations)
    return tuple(_violation(kind, row, its, one["path"], one["message"]) for its, one in found)


def _find_code(kind: RecordType[Any], code: RowCode, path: str) -> RowCode:
    """Return the code of one violation: those of a missing reference may be about other fields as well."""
    if code is not RowCode.REFERENCE:
        return code
    place = re.sub(r"\[\d+\]", "[]", path).removesuffix(".entityId")
    return code if any(one.path == place for one in kind.references) else RowCode.VALIDATION


def _violation(kind: RecordType[Any], row: InputRow, code: RowCode, path: str, message: str) -> RowError:
    value = row.value_of(path)
    near = closest(value, _words(kind, path)) if value else None
    return RowError(code, message, path, value, near)


def _words(kind: RecordType[Any], path: str) -> tuple[str, ...]:
    """Return the values that an enumerated field may have."""
    try:
        return kind.field_at(path.replace("[0]", "")).values
    except UnknownField:
        return ()


def _field(error: ServiceError) -> str | None:
    if named := error.details.get("field") or error.details.get("member"):
        return str(named)
    fields = error.details.get("fields")
    return str(fields[0]) if fields else None
