"""Which fields an ALLOW may take away (``hiddenFields``, decisions §3). Pure; asked when a rule is written.

Not those of every record: by them the service finds, scopes, orders and writes it. Not parts of lists,
maps and references, which a save could not put back where they were. Nor what shows all the same,
because ``displayName`` or a calculated field is made of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from runtime.errors import UnknownField
from runtime.record import Record
from runtime.record_type import RecordType, ValueKind, model_fields

_OF_EVERY_RECORD = frozenset(model_fields(Record))
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_WHOLE = {ValueKind.LIST: "list", ValueKind.MAP: "map", ValueKind.JSON: "free-form field"}


def hiding_problem(kind: RecordType[Any], path: str, hidden: Collection[str]) -> str | None:
    """Why a rule that hides the fields ``hidden`` cannot hide ``path``, which is one of them; or None."""
    name = path.partition(".")[0]
    if name in _OF_EVERY_RECORD:
        return f"{name} is a field of every record, which the service itself needs"
    try:
        kind.field_at(path)
    except UnknownField as error:
        return error.message
    return _inside(kind, path) or _shown_by(kind, path, hidden)


def _inside(kind: RecordType[Any], path: str) -> str | None:
    steps = path.split(".")
    for end in range(1, len(steps)):
        outer = ".".join(steps[:end])
        found = kind.field_at(outer)
        what = "reference" if found.is_reference else _WHOLE.get(found.kind)
        if what is not None:
            return f"{path} lies inside the {what} {outer} of {kind.name}: hide {outer} as a whole"
    return None


def _shown_by(kind: RecordType[Any], path: str, hidden: Collection[str]) -> str | None:
    if kind.display is not None and _names(kind.display, path):
        return f"{path} stands in the displayName of {kind.name}"
    for field, template in sorted(kind.calculated.items()):
        if _names(template, path) and field not in hidden:
            return f"{field} of {kind.name} is made of {path}: hide {field} too"
    return None


def _names(template: str, path: str) -> bool:
    """Whether a template writes the field or a part of it. Of objects as a whole it writes nothing."""
    named: Iterable[str] = _PLACEHOLDER.findall(template)
    return any(f"{one}.".startswith(f"{path}.") for one in named)
