"""Defaults, which YAML gives as plain data, as the values that fields and parameters hold in Python."""

import json
from collections.abc import Mapping
from typing import Any

from generator.model import Kind, Type
from generator.render.module import Imports, code

_MAKERS: Mapping[Kind, tuple[str, str, str]] = {
    Kind.DECIMAL: ("decimal", "Decimal", "Decimal({!r})"),
    Kind.DATE: ("datetime", "date", "date.fromisoformat({!r})"),
    Kind.DATETIME: ("datetime", "datetime", "datetime.fromisoformat({!r})"),
}


def render_default(kind: Type, value: Any, imports: Imports) -> str:
    """Return the expression for a value of a type and import the names it uses."""
    if kind.item is not None and isinstance(value, list):
        return f"[{', '.join(render_default(kind.item, one, imports) for one in value)}]"
    if kind.item is not None and isinstance(value, dict):
        members = (f"{code(name)}: {render_default(kind.item, one, imports)}" for name, one in value.items())
        return f"{{{', '.join(members)}}}"
    if kind.class_name is not None or kind.kind is Kind.REFERENCE:
        name = kind.class_name or "EntityReference"
        return f"{name}.model_validate_json({json.dumps(value)!r})"
    if kind.kind in _MAKERS:
        module, name, text = _MAKERS[kind.kind]
        imports.name(module, name)
        return text.format(str(value))
    return code(value)
