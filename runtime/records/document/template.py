"""Templates such as ``"{code} to {target.entityRefName}"``: names of records, calculated fields. Pure."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from runtime.model.paths import PLACEHOLDER
from runtime.storage.wire import plain_text


def fill_template(template: str, document: Mapping[str, Any]) -> str:
    """Fill a template with the values of a stored document, as on the wire; ``""`` without any value."""
    form, ways = _split_template(template)
    texts = [
        value if type(value := document.get(top)) is str and not rest else _text_at(value, rest)
        for top, rest in ways
    ]
    if texts and not any(texts):
        return ""
    return (form % tuple(texts)).strip()


@lru_cache(maxsize=4096)
def tops(template: str) -> frozenset[str]:
    """Return the members of a stored document that the template looks at."""
    return frozenset(top for top, _rest in _split_template(template)[1])


@lru_cache(maxsize=4096)
def _split_template(template: str) -> tuple[str, Sequence[tuple[str, Sequence[str]]]]:
    """Split a template: its text with ``%s`` for each placeholder, and their steps.

    The steps of a placeholder are the first, and the ones after it.
    """
    parts = PLACEHOLDER.split(template)
    form = "%s".join(literal.replace("%", "%%") for literal in parts[::2])
    ways = [("_id" if path == "id" else path).split(".") for path in parts[1::2]]
    return form, [(top, rest) for top, *rest in ways]


def _text_at(value: Any, way: Sequence[str]) -> str:
    """Return a scalar inside a value, as on the wire; nothing for what is absent, a list or an object."""
    for step in way:
        value = value.get(step) if type(value) is dict or isinstance(value, Mapping) else None
    return "" if isinstance(value, Mapping | list) else plain_text(value) or ""
