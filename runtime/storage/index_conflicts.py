"""Why an index cannot be created, in words: stored duplicates, two lists, too many, another in the way.

Values of hidden fields are never shown, only the ids of the records that share them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from runtime.model.counting import count_things
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import is_within
from runtime.model.record_type import RecordType

MOST_INDEXES: Final = 64
"""Of one collection, MongoDB's own on ``_id`` included."""

_EXAMPLES: Final = 3
_DUPLICATE, _IMPOSSIBLE, _TWO_LISTS = 11000, 67, 171
_TOO_MANY: Final = "too many indexes"
"""What MongoDB says of one index more than it takes; the code stands for options that cannot be as well."""

_IN_THE_WAY: Final = frozenset({85, 86})


@dataclass(frozen=True, slots=True)
class Conflict:
    """An index that the store would refuse, and why. ``values``, ``records``: how many are stored twice."""

    index: str
    message: str
    values: int = 0
    records: int = 0


async def find_duplicates(
    collection: Any, kind: RecordType[Any], index: Mapping[str, Any]
) -> Conflict | None:
    """Look for stored records that share the keys of a unique index."""
    paths = list(index["key"])
    found = await (
        await collection.aggregate(_build_pipeline(kind, index, paths), allowDiskUse=True)
    ).to_list()
    if not found:
        return None
    (counted,) = found
    values, records = int(counted["values"]), int(counted["records"])
    shown = "; ".join(_example(kind, paths, one) for one in counted["examples"])
    many = count_things(values, "value is", "values are")
    message = f"{many} stored more than once, in {records:,} records: {shown}"
    return Conflict(str(index["name"]), f"{message}. Change or remove all but one of each", values, records)


def explain_refusal(code: int | None, said: str) -> str:
    """Say what a refusal of the store means, for one that ``find_duplicates`` does not explain."""
    if code == _IMPOSSIBLE and _TOO_MANY in said:
        return (
            f"a collection has at most {MOST_INDEXES} indexes: remove some, or drop those that are unknown "
            "with `recordsmith indexes apply --drop-unknown`"
        )
    if code == _TWO_LISTS:
        return "an index is over two lists, and a stored record has values in both: declare one for each"
    if code in _IN_THE_WAY:
        return (
            "an index of the same name or keys has another definition: `recordsmith indexes plan` lists it "
            "as unknown, and `recordsmith indexes apply --drop-unknown` replaces it"
        )
    if code == _DUPLICATE:
        return "stored records share values of a unique index: `recordsmith indexes plan` counts them"
    return said


def _build_pipeline(
    kind: RecordType[Any], index: Mapping[str, Any], paths: list[str]
) -> list[dict[str, Any]]:
    """Group records with equal keys: a record counts once, however often a list of it has the value."""
    keys = {f"k{place}": {"$ifNull": [f"${path}", None]} for place, path in enumerate(paths)}
    lists = dict.fromkeys(name for path in paths for name in _lists(kind.fields, path))
    return [
        {"$match": index.get("partialFilterExpression", {})},
        *({"$unwind": {"path": f"${name}", "preserveNullAndEmptyArrays": True}} for name in lists),
        {"$group": {"_id": {"keys": keys, "record": "$_id"}}},
        {
            "$group": {
                "_id": "$_id.keys",
                "count": {"$sum": 1},
                "ids": {"$minN": {"n": _EXAMPLES, "input": "$_id.record"}},
            }
        },
        {"$match": {"count": {"$gt": 1}}},
        {"$sort": {"count": -1, "_id": 1}},
        {
            "$group": {
                "_id": None,
                "values": {"$sum": 1},
                "records": {"$sum": "$count"},
                "examples": {
                    "$firstN": {"n": _EXAMPLES, "input": {"keys": "$_id", "n": "$count", "ids": "$ids"}}
                },
            }
        },
    ]


def _lists(fields: Mapping[str, FieldType], path: str) -> list[str]:
    """Find the paths of the lists that a path leads through, or ends at."""
    found: list[str] = []
    steps = path.split(".")
    for place, step in enumerate(steps):
        here = fields.get(step)
        if here is None:
            break
        if here.kind is ValueKind.LIST and here.item is not None:
            found.append(".".join(steps[: place + 1]))
            here = here.item
        fields = here.fields
    return found


def _example(kind: RecordType[Any], paths: list[str], found: Mapping[str, Any]) -> str:
    shown = [
        f"{path} {'(hidden)' if is_within(path, kind.hidden) else _quote(found['keys'][f'k{place}'])}"
        for place, path in enumerate(paths)
    ]
    ids = ", ".join(map(str, found["ids"]))
    more = " …" if found["n"] > len(found["ids"]) else ""
    return f"{', '.join(shown)} in {found['n']:,} ({ids}{more})"


def _quote(value: Any) -> str:
    return "nothing" if value is None else f'"{str(value)[:100]}"'
