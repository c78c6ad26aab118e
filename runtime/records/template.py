"""Templates such as ``"{code} to {target.entityRefName}"``: names of records, calculated fields. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from runtime.wire import to_json

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")


def placeholders(template: str) -> list[str]:
    """The dotted paths a template names, in order."""
    return _PLACEHOLDER.findall(template)


def filled(template: str, document: Mapping[str, Any]) -> str:
    """The template with the values of a stored document, as on the wire; ``""`` when none is there."""
    texts = {path: _text_at(document, path) for path in placeholders(template)}
    if texts and not any(texts.values()):
        return ""
    return _PLACEHOLDER.sub(lambda match: texts[match[1]], template).strip()


def _text_at(document: Mapping[str, Any], path: str) -> str:
    """A scalar as on the wire; nothing for what is absent, a list or an object."""
    value: Any = document
    for step in ("_id" if path == "id" else path).split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    if value is None or isinstance(value, Mapping | list):
        return ""
    return value if isinstance(value, str) else to_json(value).decode().strip('"')
