"""References to other records: they must exist inside the caller's scope, and carry fresh names.

A reference to a record of somebody else is answered as if it were absent (decisions §1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from runtime.access import Access, Action
from runtime.call import Call
from runtime.errors import Denied, MissingReference, ServiceError
from runtime.filter import Predicate, Projection, by_ids
from runtime.record_type import RecordType
from runtime.security.guard import allow

Document = dict[str, Any]
Found = dict[tuple[str, str], Document]

_NAMES = Projection(include=("refName", "displayName"))
_MOST_VIOLATIONS = 100


async def resolve_references(call: Call, kind: RecordType[Any], document: Document) -> None:
    """Fill in type and names of every reference of one document. Raises ``MissingReference``."""
    for error in (await resolve_all(call, kind, [document])).values():
        raise error


async def resolve_all(
    call: Call, kind: RecordType[Any], documents: Sequence[Document]
) -> dict[int, ServiceError]:
    """The same for many, with one look-up for all; the error of each position that has one."""
    if not kind.references:
        return {}
    wanted: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        for target, _path, entry in _entries(kind, document):
            wanted[target].add(str(entry["entityId"]))
    found = await _look_up(call, wanted)
    errors = {at: _fill(kind, document, found) for at, document in enumerate(documents)}
    return {at: error for at, error in errors.items() if error is not None}


async def _look_up(call: Call, wanted: Mapping[str, set[str]]) -> Found:
    """The records with these ids, by type; of types that the caller may not view none is found."""
    asked: dict[str, tuple[Access, Predicate]] = {}
    for target, ids in wanted.items():
        with suppress(Denied):
            asked[target] = allow(call, call.service.catalog[target], Action.VIEW), by_ids(sorted(ids))
    if not asked:
        return {}
    first, *others = asked.values()
    rows = await call.service.store.find_across(*first, others, _NAMES)
    return {
        (target, str(row["_id"])): row for target, found in zip(asked, rows, strict=True) for row in found
    }


def _fill(kind: RecordType[Any], document: Document, found: Found) -> MissingReference | None:
    missing = []
    for target, path, entry in _entries(kind, document):
        row = found.get((target, str(entry["entityId"])))
        if row is None:
            missing.append({"path": path, "message": f"no {target} has the id {entry['entityId']}"})
            continue
        entry["entityType"] = target
        entry["entityRefName"] = row["refName"]
        entry["entityDisplayName"] = row["displayName"]
    if not missing:
        return None
    said = "; ".join(f"{fault['path']}: {fault['message']}" for fault in missing[:5])
    return MissingReference(said, violations=missing[:_MOST_VIOLATIONS])


def _entries(kind: RecordType[Any], document: Document) -> Iterator[tuple[str, str, Document]]:
    """(target type, path, reference) of all references a caller may set; ``items[].product`` walks a list."""
    for reference in kind.references:
        if reference.path.partition(".")[0].removesuffix("[]") in kind.server_set:
            continue  # whatever was sent is dropped; what is kept was resolved when it was set
        for path, entry in _walk(document, reference.path.split("."), ""):
            yield reference.target, path, entry


def _walk(value: Any, steps: Sequence[str], path: str) -> Iterator[tuple[str, Document]]:
    if not steps:
        yield path, value
        return
    name, is_list = steps[0].removesuffix("[]"), steps[0].endswith("[]")
    inner = value.get(name)
    if inner is None:
        return
    here = f"{path}.{name}" if path else name
    for at, item in enumerate(inner) if is_list else ((None, inner),):
        yield from _walk(item, steps[1:], here if at is None else f"{here}[{at}]")
