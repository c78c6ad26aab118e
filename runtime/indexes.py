"""The indexes a catalogue asks for: planned from the record types, applied to a realm.

Every index begins with the tenant, since every command is bound to one, unless its record type says
``perRealm``. Every type has the tenant and ``_id`` (default sort, cursors) and a unique refName.
"""

from __future__ import annotations

from typing import Any

import pymongo
from pymongo import IndexModel
from pymongo.errors import OperationFailure

from runtime.errors import Misconfigured
from runtime.record_type import Catalog, Index, RecordType
from runtime.store import Store, faults

_TENANT = ("dataDomain.tenantId", 1)

_BUILD_SECONDS = 600
"""Building an index on many records outlasts the time limit of other commands by far."""


def planned(kind: RecordType[Any]) -> list[IndexModel]:
    """The indexes of one collection, each named after its keys; of two over the same keys the unique one."""
    wanted = [
        IndexModel([_TENANT, ("_id", 1)], name="tenant_id"),
        IndexModel([_TENANT, ("refName", 1)], name="tenant_refName", unique=True),
    ]
    wanted += [_model(kind, index) for index in kind.indexes]
    if kind.text:
        wanted.append(_text_model(kind))
    by_keys: dict[tuple[Any, ...], IndexModel] = {}
    for model in wanted:
        keys = tuple(model.document["key"].items())
        if keys not in by_keys or model.document.get("unique"):
            by_keys[keys] = model
    return list(by_keys.values())


async def apply_indexes(store: Store, realm: str, catalog: Catalog) -> None:
    """Make what is missing; existing ones are left alone.

    Raises ``Misconfigured`` when stored records do not allow one, naming the collection, and
    ``StoreUnavailable``.
    """
    await store.ping()  # in its usual time: the long one below would also be spent looking for a server
    await store.ping()  # within the usual limit: what follows would wait as long for a server as for an index
    for kind in catalog:
        collection = store.database(realm)[kind.collection]
        try:
            with pymongo.timeout(_BUILD_SECONDS), faults(None):
                await collection.create_indexes(planned(kind))
        except OperationFailure as error:
            raise Misconfigured(
                f"realm {realm}: the indexes of {kind.collection} cannot be made: {error.details}",
                cause=error,
            ) from error


async def missing_indexes(store: Store, realm: str, catalog: Catalog) -> list[str]:
    """``collection.index`` of every planned index that the realm lacks. Raises ``StoreUnavailable``."""
    missing = []
    for kind in catalog:
        with faults(None):
            present = await store.database(realm)[kind.collection].index_information()
        names = [str(model.document["name"]) for model in planned(kind)]
        missing += [f"{kind.collection}.{name}" for name in names if name not in present]
    return missing


def _text_model(kind: RecordType[Any]) -> IndexModel:
    """MongoDB would take a field ``language`` of the record for the language of its texts, and refuse
    the record when it knows no such language: it is told of a field that no record has."""
    keys = [(path, "text") for path in kind.text]
    return IndexModel(keys, name="text", language_override="_textLanguage")


def _model(kind: RecordType[Any], index: Index) -> IndexModel:
    keys = list(index.keys) if index.per_realm else [_TENANT, *index.keys]
    name = "_".join(f"{path}{'' if direction > 0 else '-'}" for path, direction in keys)
    options: dict[str, Any] = {"name": name.replace("dataDomain.tenantId", "tenant")}
    if index.unique:
        options["unique"] = True
        # Many records may lack an optional field, so only present values are compared. Where all have
        # it, a whole index serves sorting too.
        optional = {path: {"$exists": True} for path, _direction in index.keys if path not in kind.required}
        if optional:
            options["partialFilterExpression"] = optional
    if index.expire_after_seconds is not None:
        options["expireAfterSeconds"] = index.expire_after_seconds
    return IndexModel(keys, **options)
