"""Two documents → findings. Operations that are equal and refer to nothing that differs are not looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Any

from generator.evolve.api.announcements import name_removal
from generator.evolve.api.documents import PLACEHOLDER, Document, Json, as_list, as_object
from generator.evolve.api.operations import Parameters, compare_operations
from generator.evolve.api.parameters import read_parameters
from generator.evolve.api.recorder import OPERATION, Recorder, Scope
from generator.evolve.api.sameness import Sameness
from generator.evolve.api.schemas import Schemas
from generator.evolve.api.security import compare_schemes
from generator.findings import Finding, sort_findings

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_SERVICE = Scope(OPERATION, "")


@dataclass(frozen=True, slots=True)
class Route:
    """An operation at its path, with what the path says for all its methods."""

    path: str
    method: str
    common: Json
    operation: Json

    @property
    def at(self) -> str:
        """The place as it is shown."""
        return f"{self.method.upper()} {self.path}"

    @property
    def parameters(self) -> list[Any]:
        """The parameters of the path and of the operation."""
        return [*as_list(self.common.get("parameters")), *as_list(self.operation.get("parameters"))]


Key = tuple[str, str]
"""A path and a method."""

Routes = Mapping[Key, Route]


def compare_documents(
    old: Document, new: Document, today: date, names: Mapping[str, str] = MappingProxyType({})
) -> list[Finding]:
    """Compare two documents, the former and the present one; the worst findings come first.

    ``names``: former tag → present tag of record types, whose operations are compared where they are now.
    """
    recorder = Recorder()
    schemas = Schemas(old, new, names)
    before, after = _list_routes(old), _list_routes(new)
    moved = _find_moved(before, after, names)
    for key, route in before.items():
        if key not in after and key not in moved.values():
            with recorder.open(Scope(OPERATION, route.at)):
                recorder.report(
                    name_removal("endpoint", route.operation, today), route.at, _explain_gone(route, after)
                )
    for key, route in after.items():
        former = before.get(moved.get(key, key))
        if former is not None and _is_same(schemas.sameness, former, route):
            continue
        with recorder.open(Scope(OPERATION, route.at)):
            if former is None:
                recorder.report("endpoint-added", route.at, "the operation is new")
            else:
                _compare_routes(schemas, former, route, recorder, today)
    with recorder.open(_SERVICE):
        _report_moved(moved, before, after, recorder)
        compare_schemes(old, new, recorder)
        _compare_servers(old, new, recorder)
    return sort_findings(recorder.list_findings())


def _compare_routes(schemas: Schemas, old: Route, new: Route, recorder: Recorder, today: date) -> None:
    parameters: tuple[Parameters, Parameters] = {}, {}
    if old.path != new.path or not schemas.sameness.is_same(old.parameters, new.parameters):
        names = dict(zip(PLACEHOLDER.findall(old.path), PLACEHOLDER.findall(new.path), strict=True))
        former = read_parameters(old.parameters, schemas.old, names)
        parameters = former, read_parameters(new.parameters, schemas.new, {})
    compare_operations(schemas, (old.operation, new.operation), parameters, recorder, new.at, today)


def _find_moved(before: Routes, after: Routes, names: Mapping[str, str]) -> dict[Key, Key]:
    """Find the operations of record types that are at other paths: present key → former key."""
    former = {
        (names[tag], route.operation.get("operationId"), route.method): key
        for key, route in before.items()
        for tag in as_list(route.operation.get("tags"))
        if tag in names and key not in after
    }
    found = {}
    for key, route in after.items():
        for tag in as_list(route.operation.get("tags")):
            name = (tag, route.operation.get("operationId"), route.method)
            if key not in before and name in former and former[name][0].count("{}") == key[0].count("{}"):
                found[key] = former.pop(name)
    return found


def _report_moved(moved: Mapping[Key, Key], before: Routes, after: Routes, recorder: Recorder) -> None:
    """Report a record type once, not each of its operations."""
    found: dict[str, list[Key]] = {}
    for key in moved:
        found.setdefault(str(as_list(after[key].operation.get("tags"))[0]), []).append(key)
    for tag, keys in found.items():
        first = min(keys)
        here, there = before[moved[first]].at, after[first].at
        message = f"{len(keys)} operations are at other paths: {here} is {there} now"
        recorder.report("record-type-moved", tag, message)


def _is_same(sameness: Sameness, old: Route, new: Route) -> bool:
    is_path_same = old.path == new.path and sameness.is_same(old.common, new.common)
    return is_path_same and sameness.is_same_operation(old.operation, new.operation)


def _explain_gone(route: Route, present: dict[tuple[str, str], Route]) -> str:
    """Say where the operation went, if one of the same id is elsewhere."""
    name = route.operation.get("operationId")
    moved = [one.at for one in present.values() if name and one.operation.get("operationId") == name]
    return f"the operation is gone; {name} is at {moved[0]} now" if moved else "the operation is gone"


def _list_routes(document: Document) -> dict[Key, Route]:
    """List operations by path and method; the names of path parameters do not matter."""
    return {(PLACEHOLDER.sub("{}", one.path), one.method): one for one in _iterate_routes(document)}


def _iterate_routes(document: Document) -> Iterator[Route]:
    for path, value in document.section("paths").items():
        item = document.follow(value)[1]
        for method in _METHODS:
            if method in item:
                common = {"parameters": as_list(item.get("parameters"))}
                yield Route(path, method, common, as_object(item[method]))


def _compare_servers(old: Document, new: Document, recorder: Recorder) -> None:
    before, after = (
        {str(as_object(one).get("url")) for one in as_list(document.value.get("servers"))}
        for document in (old, new)
    )
    for url in sorted(before - after):
        recorder.report("server-removed", f"server {url}", "the address is no longer given")
    for url in sorted(after - before):
        recorder.report("server-added", f"server {url}", "the address is new")
