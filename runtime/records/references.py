"""References to other records: they must exist inside the caller's scope, and carry current names.

A reference to a record outside the caller's scope is answered as if the record were absent. So is one into
another tenant, where the caller is bound to none: the users of the record's own tenant would read its names.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from copy import deepcopy
from types import MappingProxyType
from typing import Any

from runtime.access.guard import allow_lookup
from runtime.call import Call
from runtime.errors import Denied, MissingReference, ServiceError
from runtime.filter import EVERYTHING, Predicate, Projection, by_ids, in_tenant
from runtime.model.catalog import Catalog
from runtime.model.paths import places
from runtime.model.problems import Violation, explain_absence
from runtime.model.record import COPIED_MEMBERS
from runtime.model.record_type import RecordType, Reference
from runtime.storage.access import Access

Document = dict[str, Any]
Found = Mapping[tuple[str, str], Document]
"""Records by type and id."""

_NAMES = Projection(include=("refName", "displayName"))
_MOST_VIOLATIONS = 100
_NOTHING: Found = MappingProxyType({})


async def resolve_references(
    call: Call,
    kind: RecordType[Any],
    document: Document,
    stored: Document | None = None,
    promised: Found = _NOTHING,
    reach: str | None = None,
) -> None:
    """Fill in type and names of every reference of one document. Raises ``MissingReference``.

    ``promised``: records that will be stored before this one, and count as found. ``reach``: the tenant that
    they may lead into (``find_reach``); all that the caller may view if None.

    A reference that stood in the same place of the ``stored`` record is not looked up again: it keeps the
    names it had there, so that a write fails for no record it does not speak of.
    """
    if stored is not None and all(_stays(reference, document, stored) for reference in kind.references):
        return
    kept = _keep(kind, document, stored) if stored is not None else frozenset[str]()
    wanted = _collect_ids(kind, [document], kept)
    if not wanted:
        return
    found = await _look_up(call, wanted, promised, reach)
    if missing := _fill_references(call.service.catalog, kind, document, found, kept, reach):
        raise refuse_missing(missing)


async def resolve_all(
    call: Call, kind: RecordType[Any], documents: Sequence[Document], promised: Found = _NOTHING
) -> dict[int, ServiceError]:
    """Resolve the references of many new records with one lookup per type.

    Return the error of each position that has one.
    """
    if not kind.references:
        return {}
    found = await _look_up_all(call, kind, documents, promised)
    ways, catalog = enumerate(zip(documents, found, strict=True)), call.service.catalog
    missing = {
        at: _fill_references(catalog, kind, document, its, reach=find_reach(call, document))
        for at, (document, its) in ways
    }
    return {at: refuse_missing(places) for at, places in missing.items() if places}


async def _look_up_all(
    call: Call, kind: RecordType[Any], documents: Sequence[Document], promised: Found
) -> list[Found]:
    """Return what was found for each of these new records."""
    if call.principal.scope.tenant_id is not None:
        return [await _look_up(call, _collect_ids(kind, documents), promised, None)] * len(documents)
    together: dict[str | None, list[Document]] = defaultdict(list)
    for document in documents:
        together[find_reach(call, document)].append(document)
    found = {
        reach: await _look_up(call, _collect_ids(kind, some), promised, reach)
        for reach, some in together.items()
    }
    return [found[find_reach(call, document)] for document in documents]


def find_reach(call: Call, document: Document, stored: Document | None = None) -> str | None:
    """Return the tenant that the references of a record may lead into; None where the scope names it."""
    if call.principal.scope.tenant_id is not None:
        return None
    for known in (document, stored or {}):
        if tenant := known.get("dataDomain", {}).get("tenantId"):
            return str(tenant)
    return call.principal.domain.tenant_id


def _keep(kind: RecordType[Any], document: Document, stored: Document) -> frozenset[str]:
    """Fill in the references that the stored record has in the same field; answers with their paths."""
    kept: set[str] = set()
    for reference in kind.references:
        top = reference.top
        if _stays(reference, document, stored):
            kept.update(path for path, _entry in entries(reference, document))
            continue
        if document.get(top) is stored.get(top):
            document[top] = deepcopy(document[top])  # what is stored is not written to
        had = {entry["entityId"]: entry for _path, entry in entries(reference, stored)}
        for path, entry in entries(reference, document):
            copy = had.get(entry["entityId"])
            if copy is not None and copy.keys() >= COPIED_MEMBERS:
                entry |= {name: copy[name] for name in COPIED_MEMBERS}
                entry.pop("realm", None)
                kept.add(path)
    return frozenset(kept)


def _stays(reference: Reference, document: Document, stored: Document) -> bool:
    """Return whether all places of a reference are those of the stored record, with the names in them."""
    held = document.get(reference.top)
    if held is None:
        return True
    return held is stored.get(reference.top) and all(
        entry.keys() >= COPIED_MEMBERS for _path, entry in entries(reference, document)
    )


def _collect_ids(
    kind: RecordType[Any], documents: Sequence[Document], kept: Set[str] = frozenset()
) -> dict[str, set[str]]:
    wanted: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        for target, path, entry in _entries(kind, document):
            if path not in kept:
                wanted[target].add(str(entry["entityId"]))
    return wanted


async def _look_up(call: Call, wanted: Mapping[str, set[str]], promised: Found, reach: str | None) -> Found:
    """Read the records with these ids, by type; of types that the caller may not view none is found.

    ``reach``: the tenant of the records that count, all if None.
    """
    within = EVERYTHING if reach is None else in_tenant(reach)
    asked: dict[str, tuple[Access, Predicate]] = {}
    for target, ids in wanted.items():
        with suppress(Denied):
            access = allow_lookup(call, call.service.catalog[target])
            asked[target] = access, within & by_ids(sorted(ids))
    if not asked:
        return promised
    first, *others = asked.values()
    rows = await call.store.find_across(*first, others, _NAMES)
    return {
        **promised,
        **{
            (target, str(row["_id"])): row for target, found in zip(asked, rows, strict=True) for row in found
        },
    }


def _fill_references(
    catalog: Catalog,
    kind: RecordType[Any],
    document: Document,
    found: Found,
    kept: Set[str] = frozenset(),
    reach: str | None = None,
) -> list[Violation]:
    """Fill in the references whose record was found; return what is wrong with the others."""
    missing = []
    for target, path, entry in _entries(kind, document):
        if path in kept:
            continue
        row = found.get((target, str(entry["entityId"])))
        if row is None:
            name = catalog[target].shown_name
            missing.append({"path": path, "message": explain_absence(name, "id", entry["entityId"], reach)})
            continue
        entry["entityType"] = target
        entry["entityRefName"], entry["entityDisplayName"] = names_of(row)
        entry.pop("realm", None)  # another one would not be true
    return missing


def refuse_missing(missing: list[Violation]) -> MissingReference:
    """Build the refusal of a document whose references name no record, or none the caller may see."""
    said = "; ".join(f"{fault['path']}: {fault['message']}" for fault in missing[:5])
    return MissingReference(said, violations=missing[:_MOST_VIOLATIONS])


def entries(reference: Reference, document: Document) -> Iterator[tuple[str, Document]]:
    """Yield (path, reference) for each place of a document where this one is set: ``items[3].product``."""
    return ((path, holder[key]) for path, holder, key in places(document, reference.path.split(".")))


def names_of(row: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return refName and displayName of a record; if it was stored without, what a save makes of that."""
    ref_name = row.get("refName") or str(row["_id"])
    return ref_name, row.get("displayName") or ref_name


def _entries(kind: RecordType[Any], document: Document) -> Iterator[tuple[str, str, Document]]:
    """Yield (target type, path, reference) for all references a caller may set.

    ``items[].product`` walks a list.
    """
    for reference in kind.references:
        if reference.top in kind.server_set:
            continue  # whatever was sent is dropped; what is kept was resolved when it was set
        for path, entry in entries(reference, document):
            yield reference.target, path, entry
