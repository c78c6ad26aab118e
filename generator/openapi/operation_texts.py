"""Descriptions of operations, with the permission that each needs."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from generator.english import article, words
from generator.model import Endpoint, Record
from generator.operations import StandardOperation

_ACTIONS: Final[Mapping[str, str]] = {
    "save": "`CREATE` to insert and `UPDATE` to replace",
    **dict.fromkeys(("import", "importSession", "importProfileSession"), "`CREATE`, `UPDATE` and `VIEW`"),
    "bulk": "`CREATE`, `UPDATE` or `DELETE`, as each operation does,",
}
"""Operations that need other actions than the one of their row."""

_DELETIONS: Final[Mapping[str, str]] = {
    "remove": "Deletes the {singular}.",
    "archive": "Archives the {singular}: lists omit it unless their filter names `activeStatus`.",
}


def phrases(record: Record) -> Mapping[str, str]:
    """Return the values of the placeholders ``{plural}``, ``{singular}`` and ``{a}``."""
    return _phrases(record.name, record.plural)


@cache
def _phrases(name: str, plural: str) -> Mapping[str, str]:
    spelled = {word.lower(): word for word in plural.split()}
    singular = " ".join(spelled.get(word, word) for word in words(name))
    return MappingProxyType({"plural": plural, "singular": singular, "a": article(singular)})


def operation_description(record: Record, row: StandardOperation, said: Mapping[str, str]) -> str:
    """Describe a standard operation and the permission it needs."""
    actions = _ACTIONS.get(row.key, f"`{row.action}`")
    needed = f"Needs {actions} on `{record.area}/{record.domain}`."
    deletion = _DELETIONS[record.on_delete].format(**said)
    return f"{row.description.format(**said, deletion=deletion)} {needed}"


def endpoint_description(endpoint: Endpoint) -> str:
    """Describe an endpoint: the description in its specification, then the permission it needs."""
    needed = f"Needs `{endpoint.action}` on `{endpoint.area}/{endpoint.domain}`."
    if endpoint.records_decide:
        needed = "The permissions on the record type decide."
    access = "Public: no token is needed." if endpoint.public else needed
    return f"{endpoint.description.strip()} {access}" if endpoint.description else access
