"""What an expansion means, told plainly: a record is read on its own by the same caller, and put in place.

Nothing here knows how the service does it. Every embedded record is a single read by id; conditions are asked
as a count; fields are taken from the answer in Python.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import orjson

from runtime import records
from runtime.call import Call
from runtime.contract.pages import CountParameters
from runtime.errors import NotFound
from runtime.model.record_type import RecordType, Reference

Document = dict[str, Any]
ADDED = ("references", "actionList")
"""Only single reads have them."""


@dataclass
class Node:
    """What is embedded at one reference: some fields, what matches, and what is embedded inside."""

    includes: list[str] = field(default_factory=list)
    excludes: list[str] = field(default_factory=list)
    where: str | None = None
    inner: dict[Reference, Node] = field(default_factory=dict)

    @classmethod
    def of(cls, expansions: Iterable[tuple[tuple[Reference, ...], Node]]) -> Node:
        """One tree of all paths."""
        root = cls()
        for path, told in expansions:
            node = root
            for reference in path:
                node = node.inner.setdefault(reference, cls())
            node.includes, node.excludes, node.where = told.includes, told.excludes, told.where
        return root


@dataclass
class Interpreter:
    """Joins in Python what one caller reads record by record."""

    call: Call

    async def join(self, kind: RecordType[Any], row: Document, node: Node) -> Document:
        """The row with its records, and only the fields it asks for."""
        shown = chosen(deepcopy(row), node)
        for reference, inner in node.inner.items():
            target = self.call.service.catalog[reference.target]

            async def embed(value: Any, target: RecordType[Any] = target, inner: Node = inner) -> Any:
                return await self.read(target, value, inner)

            await replaced(shown, reference.path.split("."), embed)
        return shown

    async def read(self, kind: RecordType[Any], reference: Any, node: Node) -> Document | None:
        """The record, None where a caller that reads it alone finds nothing."""
        record_id = reference.get("entityId") if isinstance(reference, dict) else None
        if not isinstance(record_id, str):
            return None
        try:
            answer = await records.get_by_id(self.call, kind, record_id, None)
        except NotFound:
            return None
        if not await self.matches(kind, record_id, node.where):
            return None
        record: Document = orjson.loads(answer.body)
        return await self.join(kind, {name: record[name] for name in record if name not in ADDED}, node)

    async def matches(self, kind: RecordType[Any], record_id: str, where: str | None) -> bool:
        """Whether a list with this condition would show the record."""
        text = f"id:{record_id}" if where is None else f"id:{record_id} && ({where})"
        answer = await records.count_records(self.call, kind, CountParameters(filter=text))
        return bool(orjson.loads(answer.body)["count"])


async def replaced(here: Any, steps: list[str], embed: Callable[[Any], Awaitable[Any]]) -> None:
    """Puts what ``embed`` returns in each place that the steps lead to and that has something."""
    name, marks = steps[0].rstrip("[]"), steps[0].count("[]")
    if not isinstance(here, dict) or here.get(name) is None:
        return
    here[name] = await _in_lists(here[name], marks, steps[1:], embed)


async def _in_lists(value: Any, levels: int, rest: list[str], embed: Callable[[Any], Awaitable[Any]]) -> Any:
    if levels:
        if not isinstance(value, list):
            return value
        return [await _in_lists(one, levels - 1, rest, embed) for one in value]
    if rest:
        await replaced(value, rest, embed)
        return value
    return None if value is None else await embed(value)


def chosen(record: Document, node: Node) -> Document:
    """The fields that a node asks for, and all that it embeds."""
    expanded = [reference.path.replace("[]", "") for reference in node.inner]
    shown = record
    if node.includes:
        paths = [path.split(".") for path in ("id", *node.includes, *expanded)]
        shown = included(record, paths)
    for path in node.excludes:
        shown = without(shown, path.split("."))
    return shown


def included(value: Any, paths: list[list[str]]) -> Any:
    if isinstance(value, list):
        return [included(one, paths) for one in value if isinstance(one, dict | list)]
    found = {}
    for name, inner in value.items():
        mine = [path[1:] for path in paths if path[0] == name]
        if [] in mine:
            found[name] = inner
        elif mine and isinstance(inner, dict | list):
            found[name] = included(inner, mine)
    return found


def without(value: Any, path: list[str]) -> Any:
    if isinstance(value, list):
        return [without(one, path) for one in value]
    if not isinstance(value, Mapping) or path[0] not in value:
        return value
    if len(path) == 1:
        return {name: inner for name, inner in value.items() if name != path[0]}
    return {name: without(inner, path[1:]) if name == path[0] else inner for name, inner in value.items()}
