"""Which shard key each record type can have, so that all of its unique indexes stay unique. Pure.

MongoDB keeps an index unique on a sharded collection only where the shard key is the beginning of it: a shard
knows no keys but its own. All records of a type have a refName that is unique within the tenant, so the
tenant alone is what every type can be sharded by; a tenant is then on one shard. By tenant and refName large
tenants are split as well, where no refName changes and no other field is unique. By tenant and id none can.
"""

from dataclasses import dataclass
from typing import Any, Final

from runtime.model.record_type import RecordType
from runtime.storage.index_definitions import TENANT
from runtime.storage.indexes import plan_index_models

BY_ID: Final = (TENANT, "_id")
BY_NAME: Final = (TENANT, "refName")

_SPLIT: Final = "large tenants are split; do not change refNames, which MongoDB then refuses"

_FOLLOWING_TENANTS: Final = frozenset({"Revision"})
"""Of the service's own record types those that are read and written within one tenant alone."""


@dataclass(frozen=True, slots=True)
class UniqueIndex:
    """A unique index, and whether it can be unique with a shard key."""

    name: str
    keys: tuple[str, ...]
    fits: bool


@dataclass(frozen=True, slots=True)
class ShardPlan:
    """How a collection is sharded: by ``key``, not at all where that is empty; ``advice`` is what to do."""

    type: str
    collection: str
    key: tuple[str, ...]
    unique: tuple[UniqueIndex, ...]
    advice: str


def plan_shards(kind: RecordType[Any], wanted: tuple[str, ...] = ()) -> ShardPlan:
    """Plan the shard key of a record type. ``wanted``: a key to try, in place of the one that fits best."""
    found = [
        (str(model.document["name"]), tuple(dict(model.document["key"])))
        for model in plan_index_models(kind)
        if model.document.get("unique")
    ]
    best, advice = _choose(kind, [keys for _name, keys in found])
    key = wanted if wanted and best else best
    unique = tuple(UniqueIndex(name, keys, _fits(key, keys)) for name, keys in found)
    if key != best:
        misfits = ", ".join(index.name for index in unique if not index.fits)
        takes = ", ".join(best)
        advice = f"do not take this key: {misfits} could not be unique; take {takes}" if misfits else _SPLIT
    return ShardPlan(kind.shown_name, kind.collection, key, unique, advice)


def _fits(key: tuple[str, ...], keys: tuple[str, ...]) -> bool:
    """Whether an index can be unique; on a collection that is not sharded all can."""
    return keys[: len(key)] == key


def _choose(kind: RecordType[Any], unique: list[tuple[str, ...]]) -> tuple[tuple[str, ...], str]:
    """Choose a key, and say why or what else there is."""
    if realmwide := [keys[0] for keys in unique if keys[0] != TENANT]:
        return (), f"leave it on one shard: {', '.join(realmwide)} is unique in the whole realm"
    if kind.roles == frozenset({"system"}) and kind.name not in _FOLLOWING_TENANTS:
        return (), "leave it on one shard: the service reads and writes it for all tenants at once"
    others = [keys[1] for keys in unique if not _fits(BY_NAME, keys)]
    if others:
        return (TENANT,), f"a tenant stays on one shard, since {', '.join(others)} is unique within it"
    return (
        TENANT,
    ), f"a tenant stays on one shard; if no refName ever changes, --split {kind.shown_name} splits it"
