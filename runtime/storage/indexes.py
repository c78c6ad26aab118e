"""The indexes a catalogue asks for: planned from the record types, compared with a realm, applied to it.

Every index begins with the tenant, since every command is bound to one, unless its record type says
``perRealm``. One that orders ends with ``_id``, as every sort does: else each page would sort all records
that match in memory, not read the first of them. Every type has the tenant and ``_id`` (default sort,
cursors) and a unique refName. So whatever a specification declares ``unique``, ``indexed`` or an index of
can be filtered by equality and sorted by, in either direction, without reading more than it answers.
Every reference has one: who points to a record is asked when it goes, when it is renamed, when it is read.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pymongo
from pymongo import IndexModel
from pymongo.errors import OperationFailure

from runtime.errors import Misconfigured, NotStorable
from runtime.filter import Order, tells_apart
from runtime.model.catalog import Catalog
from runtime.model.record_type import Index, RecordType
from runtime.storage.images import Switch, apply_images, plan_images
from runtime.storage.index_builds import BUILD_SECONDS, create_indexes
from runtime.storage.index_conflicts import MOST_INDEXES, Conflict, explain_refusal, find_duplicates
from runtime.storage.index_definitions import TENANT, essence_of, name_of, place_of
from runtime.storage.store import FaultTranslation, Store, build_collation, describe_refusal

Keys = list[tuple[str, int]]

_TENANT = (TENANT, 1)
_OF_MONGODB = "_id_"


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """One collection compared with its record type, by names of indexes.

    ``unknown`` are there and not asked for; a name that is also in ``make`` has another definition.
    ``images`` of records are to be switched so, unless they are as asked.
    """

    collection: str
    make: tuple[str, ...]
    keep: tuple[str, ...]
    unknown: tuple[str, ...]
    images: Switch | None


def plan_index_models(kind: RecordType[Any]) -> list[IndexModel]:
    """Plan the indexes of one collection, each named after its keys; prefer a unique one over its equal."""
    wanted = [
        IndexModel([_TENANT, ("_id", 1)], name="tenant_id"),
        IndexModel([_TENANT, ("refName", 1)], name="tenant_refName", unique=True),
    ]
    for index in (*kind.indexes, *_of_references(kind)):
        wanted.append(_build_index(kind, index))
        if not index.tops.isdisjoint(kind.renamed):
            wanted.append(_build_index(kind, _of_former_names(kind, index)))
    if kind.text:
        wanted.append(_build_text_index(kind))
    by_keys: dict[tuple[Any, ...], IndexModel] = {}
    for model in wanted:
        keys = place_of(model.document)
        if keys not in by_keys or model.document.get("unique"):
            by_keys[keys] = model
    return list(by_keys.values())


def _of_references(kind: RecordType[Any]) -> Iterator[Index]:
    """Yield an index for each reference, unless a unique one already finds the records that refer."""
    unique = {index.keys[0][0] for index in kind.indexes if index.unique and len(index.keys) == 1}
    for reference in kind.references:
        if reference.key not in unique:
            yield Index(((reference.key, 1),))


def _of_former_names(kind: RecordType[Any], index: Index) -> Index:
    """Return the same index for records that hold its fields under their former names."""
    split = [(path.partition("."), direction) for path, direction in index.keys]
    keys = tuple((kind.renamed.get(top, top) + dot + rest, way) for (top, dot, rest), way in split)
    return replace(index, keys=keys)


async def plan_indexes(store: Store, realm: str, catalog: Catalog) -> list[IndexPlan]:
    """Compare each collection: indexes to create, to keep and unknown. Raises ``StoreUnavailable``."""
    plans, images = [], await plan_images(store, realm, catalog)
    for kind in catalog:
        models = plan_index_models(kind)
        wanted = {str(model.document["name"]): essence_of(model.document) for model in models}
        present = await _read_present(store, realm, kind)
        keep = [name for name, essence in wanted.items() if present.get(name) == essence]
        make = [name for name in wanted if name not in keep]
        unknown, switch = [name for name in present if name not in keep], images.get(kind.collection)
        plans.append(IndexPlan(kind.collection, tuple(make), tuple(keep), tuple(unknown), switch))
    return plans


async def apply_indexes(
    store: Store, realm: str, catalog: Catalog, *, drop_unknown: bool = False, at_once: int = 1
) -> None:
    """Make what is missing; what is not asked for is left alone, unless ``drop_unknown``.

    ``at_once``: builds of a collection at the same time (``index_builds``).

    Raises ``Misconfigured`` when stored records, or an index of the same name or keys, do not allow one,
    naming the collection, and ``StoreUnavailable``.
    """
    await store.ping()  # in its usual time: the long one below would also be spent looking for a server
    for kind in catalog:
        collection = store.bare_database(realm)[kind.collection]
        models = plan_index_models(kind)
        unknown = await _find_unknown(store, realm, kind) if drop_unknown else {}
        try:
            with pymongo.timeout(BUILD_SECONDS), FaultTranslation(None):
                for name in [name for name, stands_in_the_way in unknown.items() if stands_in_the_way]:
                    await collection.drop_index(name)
                await create_indexes(collection.create_indexes, models, at_once)
                for name in [name for name, stands_in_the_way in unknown.items() if not stands_in_the_way]:
                    await collection.drop_index(name)
        except (OperationFailure, NotStorable) as error:
            found = await find_conflicts(store, realm, kind)
            refusal = error.__cause__ or error
            reason = "; ".join(f"{one.index}: {one.message}" for one in found) or explain_refusal(
                getattr(refusal, "code", None), f"MongoDB says: {describe_refusal(refusal)}"
            )
            message = f"realm {realm}: the indexes of {kind.collection} cannot be created: {reason}"
            raise Misconfigured(message, cause=error) from error
    await apply_images(store, realm, catalog)


async def drop_planned_indexes(store: Store, realm: str, kind: RecordType[Any]) -> None:
    """Drop what ``apply_indexes`` creates, which is quicker over many records than as each is inserted."""
    planned = {str(model.document["name"]) for model in plan_index_models(kind)}
    collection = store.bare_database(realm)[kind.collection]
    with FaultTranslation(None):
        for name in planned & (await _read_present(store, realm, kind)).keys():
            await collection.drop_index(name)


async def find_conflicts(store: Store, realm: str, kind: RecordType[Any]) -> tuple[Conflict, ...]:
    """Find the missing indexes that the store would refuse, and why. Reads all records of the type.

    Raises ``StoreUnavailable``.
    """
    present = await _read_present(store, realm, kind)
    wanted = {str(model.document["name"]): model.document for model in plan_index_models(kind)}
    missing = [document for name, document in wanted.items() if present.get(name) != essence_of(document)]
    found = []
    collection = store.bare_database(realm)[kind.collection]
    with pymongo.timeout(BUILD_SECONDS), FaultTranslation(None):
        for document in missing:
            if document.get("unique"):
                found.append(await find_duplicates(collection, kind, document))
    count = len({*present, *wanted}) + 1
    if count > MOST_INDEXES and missing:
        message = f"the collection would have {count} indexes with it, and MongoDB takes {MOST_INDEXES}"
        found.append(Conflict(str(missing[-1]["name"]), f"{message}: remove some"))
    return tuple(one for one in found if one is not None)


async def find_missing_indexes(store: Store, realm: str, catalog: Catalog) -> list[str]:
    """Return ``collection.index`` of each index and image the realm lacks. Raises ``StoreUnavailable``."""
    plans = await plan_indexes(store, realm, catalog)
    names = [(one, (*one.make, "images") if one.images == "on" else one.make) for one in plans]
    return [f"{one.collection}.{name}" for one, lacking in names for name in lacking]


async def find_missing_unique_indexes(store: Store, realm: str, kind: RecordType[Any]) -> tuple[str, ...]:
    """Name the unique indexes of one record type that the realm lacks, or has with another definition.

    An index of the same definition under another name counts. Raises ``StoreUnavailable``.
    """
    present = (await _read_present(store, realm, kind)).values()
    unique = [model.document for model in plan_index_models(kind) if model.document.get("unique")]
    return tuple(str(document["name"]) for document in unique if essence_of(document) not in present)


async def find_missing_text_index(store: Store, realm: str, kind: RecordType[Any]) -> tuple[str, ...]:
    """Find the text index if none covers the fields that the record type searches now.

    Raises ``StoreUnavailable``.
    """
    present = (await _read_present(store, realm, kind)).values()
    return () if essence_of(_build_text_index(kind).document) in present else ("text",)


def _build_text_index(kind: RecordType[Any]) -> IndexModel:
    """Build the text index.

    MongoDB would read a record's own field ``language`` as the language of its text and refuse the record
    when it does not know it, so the index names a language field that no record has.
    """
    former = [kind.renamed[path] for path in kind.text if path in kind.renamed]
    keys = [(path, "text") for path in (*kind.text, *former)]
    return IndexModel(keys, name="text", language_override="_textLanguage")


def _build_index(kind: RecordType[Any], index: Index) -> IndexModel:
    """Build the one index of a declaration; one that orders ends with the tie-break."""
    own = [("_id" if path == "id" else path, direction) for path, direction in index.keys]
    keys = own if index.per_realm else [_TENANT, *own]
    options = _options(kind, index, own)
    if index.language:
        collation = build_collation(Order(language=index.language))
        if not index.per_realm:
            keys = [*keys, ("_id", keys[-1][1])]  # also behind unique fields, whose values may differ in case
        return IndexModel(keys, name=f"{name_of(keys)}_ci_{index.language}", collation=collation, **options)
    if not options and not index.per_realm:  # only what is behind the tenant is to sort by
        keys = _add_tie_break(kind, keys)
    return IndexModel(keys, name=name_of(keys), **options)


def _options(kind: RecordType[Any], index: Index, keys: Keys) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if index.unique:
        options["unique"] = True
        # Many records may lack an optional field, so only present values are compared. Such an index finds
        # values and does not sort: `indexed` asks for another that does.
        optional = {path: {"$exists": True} for path, _direction in keys if path not in kind.required}
        if optional:
            options["partialFilterExpression"] = optional
    if index.expire_after_seconds is not None:
        options["expireAfterSeconds"] = index.expire_after_seconds
    return options


def _add_tie_break(kind: RecordType[Any], keys: Keys) -> Keys:
    """Add the tie-break of sorted lists, unless no two records of a tenant share the keys."""
    paths = {path for path, _direction in keys}
    return keys if tells_apart(kind, paths, in_one_tenant=True) else [*keys, ("_id", keys[-1][1])]


async def _read_present(store: Store, realm: str, kind: RecordType[Any]) -> dict[str, Any]:
    """Name → what matters of the definition, of the indexes of a collection but the one on ``_id``."""
    with FaultTranslation(None):
        found = await store.bare_database(realm)[kind.collection].index_information()
    return {name: essence_of(definition) for name, definition in found.items() if name != _OF_MONGODB}


async def _find_unknown(store: Store, realm: str, kind: RecordType[Any]) -> dict[str, bool]:
    """Find unknown indexes: whether one of them stops a planned one from being created, by name."""
    wanted = {str(model.document["name"]): essence_of(model.document) for model in plan_index_models(kind)}
    taken = [essence[0] for essence in wanted.values()]
    present = await _read_present(store, realm, kind)
    return {
        name: name in wanted or essence[0] in taken
        for name, essence in present.items()
        if wanted.get(name) != essence
    }
