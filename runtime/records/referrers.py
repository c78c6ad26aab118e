"""Which records refer to one, as far as the caller may see: its ``references``, the ``referrers`` of a 409.

A caller may see a referrer that its own VIEW permission finds, by a reference that no rule withholds. All
others are neither named nor counted, and neither is their type.
"""

from collections.abc import Sequence
from typing import Any, Final

from runtime.access.guard import find_access
from runtime.call import Call
from runtime.filter import EVERYTHING, Predicate, Projection, by_ids, in_tenant, none_of, refers_to
from runtime.model.documents import tenant_of
from runtime.model.paths import overlap_any
from runtime.model.record_type import RecordType
from runtime.storage.access import Access, Action
from runtime.storage.store import AnyStore

Document = dict[str, Any]

MOST_LISTED: Final = 100
"""``references`` of a record names at most that many referrers."""

MOST_COUNTED: Final = 10_000
"""A refused deletion counts the referrers of each type up to here."""

_NAMED: Final = 5
_REF_NAME = Projection(include=("refName",))


async def build_back_references(call: Call, kind: RecordType[Any], document: Document) -> list[Document]:
    """Build the ``references`` of a stored record: which records track it."""
    asked: list[tuple[Access, Predicate]] = []
    for referrer, keys in call.service.catalog.trackers(kind):
        access, seen = _find_visible(call, referrer, keys)
        if access is not None:
            asked.append((access, _narrow_to_tenant(document) & match_pointing(seen, [str(document["_id"])])))
    if not asked:
        return []
    first, *others = asked
    found = await call.store.find_across(*first, others, _REF_NAME, limit=MOST_LISTED)
    listed = [
        {"referencedId": row["_id"], "type": access.kind.qualified_name, "refName": row["refName"]}
        for (access, _match), rows in zip(asked, found, strict=True)
        for row in rows
        if "refName" in row
    ]
    return listed[:MOST_LISTED]


async def build_visible_referrers(
    call: Call,
    store: AnyStore,
    referrer: RecordType[Any],
    keys: Sequence[str],
    document: Document,
    leaving: Sequence[str],
) -> Document | None:
    """Build one of ``referrers``: the records of a type that refer to a stored one, but those ``leaving``.

    Return None where the caller may not see any.
    """
    access, seen = _find_visible(call, referrer, keys)
    if access is None:
        return None
    match = _narrow_to_tenant(document) & match_pointing(seen, [str(document["_id"])], leaving)
    rows = await store.find(access, match, order=(("_id", 1),), projection=_REF_NAME, limit=_NAMED)
    if not rows:
        return None
    count = await store.count(access, match, most=MOST_COUNTED)
    names = [row["refName"] for row in rows if "refName" in row]
    return {"type": referrer.qualified_name, "count": count, "refNames": names}


def match_pointing(keys: Sequence[str], record_ids: Sequence[str], leaving: Sequence[str] = ()) -> Predicate:
    """Match the records that point to one of these at ``keys``, but those ``leaving``."""
    return refers_to(keys, record_ids) & (none_of([by_ids(leaving)]) if leaving else EVERYTHING)


def _find_visible(
    call: Call, referrer: RecordType[Any], keys: Sequence[str]
) -> tuple[Access | None, list[str]]:
    """Return the permission to view a type, and the references of it that are not withheld.

    None without both.
    """
    access = find_access(call, referrer, Action.VIEW)
    if access is None:
        return None, []
    seen = [key for key in keys if not overlap_any(key, access.hidden)]
    return (access, seen) if seen else (None, [])


def _narrow_to_tenant(document: Document) -> Predicate:
    """Narrow to one tenant for a caller bound to none, so that the index serves its lookup too."""
    return in_tenant(tenant_of(document))
