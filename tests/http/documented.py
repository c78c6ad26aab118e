"""The operations of the published document, for tests that want to meet every one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from generated.app import DOCUMENT
from generated.record_types import CATALOG
from runtime.model.record_type import RecordType
from tests.documents import follow, list_operations

PUBLISHED: dict[str, Any] = json.loads(DOCUMENT.read_bytes())

READING = frozenset(
    {
        *("find", "check", "plan", "count", "aggregate", "export", "importRows"),
        *("relationships", "predicates"),
    }
)
"""Words of operations that only read, although they take a body."""

COMMON_PATHS = frozenset({".well-known", "api", "oauth", "security"})
"""How the paths begin that every service has, in addition to those of records."""


@dataclass(frozen=True)
class Operation:
    """One method of one path. ``parameters``: names in path, query and header; ``body``: the name of its
    schema; ``kind``: the record type whose standard operation it is."""

    name: str
    method: str
    path: str
    parameters: tuple[str, ...]
    body: str | None
    kind: RecordType[Any] | None

    @property
    def word(self) -> str:
        """What it does, whatever the record type and the way to name a user or agent: ``getById``, ``setDisabled``."""
        word = self.name.partition("_")[2]
        return word if self.kind else re.sub("By(UserId|Subject|RefName|Id)$", "", word)

    @property
    def is_write(self) -> bool:
        """Whether it may change what is stored."""
        return self.method != "GET" and self.word not in READING

    @property
    def is_added(self) -> bool:
        """Whether it is an endpoint of a service's own, not one that every service has."""
        return self.kind is None and self.path.split("/")[1] not in COMMON_PATHS

    def __str__(self) -> str:
        return self.name


def _operations() -> Iterator[Operation]:
    for path, method, described in list_operations(PUBLISHED):
        parameters = tuple(follow(PUBLISHED, one)["name"] for one in described.get("parameters", ()))
        content = described.get("requestBody", {}).get("content", {})
        schemas = {one["schema"].get("$ref", "").rpartition("/")[2] for one in content.values()}
        body = schemas.pop() if schemas else None
        yield Operation(
            described["operationId"], method.upper(), path, parameters, body, _kind_at(path)
        )  # fmt: skip


def _kind_at(path: str) -> RecordType[Any] | None:
    kinds = (kind for kind in CATALOG if kind.base_path)
    return next((kind for kind in kinds if f"{path}/".startswith(f"{kind.base_path}/")), None)


OPERATIONS = sorted(_operations(), key=lambda one: one.name)
