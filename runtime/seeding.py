"""Seeds: records that a specification brings along, planted once per realm and tenant.

Keyed by refName, so planting again changes nothing. A reference is written as the refName of its
target. Everything goes through the one path for writing, so a seed is checked like any other record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from runtime import records
from runtime.access import Action
from runtime.call import Call
from runtime.errors import Misconfigured
from runtime.filter import Projection, one_of
from runtime.record_type import RecordType, Seed
from runtime.records.queries import Bulk, BulkAnswer, BulkOperation
from runtime.security.guard import allow

Document = dict[str, Any]

_IDS = Projection(include=("refName", "version"))


async def plant(call: Call, *, overwrite: bool = False) -> dict[str, int]:
    """Save the service's seeds that are missing (all of them when ``overwrite``), types in their order.

    Answers with the number of records saved per type. Raises ``Misconfigured`` naming the first row
    that cannot be saved.
    """
    return {seed.kind.name: await _plant(call, seed, overwrite) for seed in call.service.seeds}


async def _plant(call: Call, seed: Seed, overwrite: bool) -> int:
    there = await _existing(call, seed.kind, [str(row["refName"]) for row in seed.rows])
    rows = [deepcopy(dict(row)) for row in seed.rows if overwrite or row["refName"] not in there]
    for row in rows:
        if stored := there.get(row["refName"]):
            row["id"] = str(stored["_id"])
        await _resolve(call, seed.kind, row)
    saved = 0
    most = call.service.settings.max_bulk_operations
    for start in range(0, len(rows), most):
        saved += await _save(call, seed.kind, rows[start : start + most])
    return saved


async def _save(call: Call, kind: RecordType[Any], rows: list[Document]) -> int:
    operations = [BulkOperation(op="save", record=row) for row in rows]
    answer = BulkAnswer.model_validate_json(
        (await records.bulk(call, kind, Bulk(operations=operations))).body
    )
    for result in answer.results:
        if result.error is not None:
            raise Misconfigured(
                f"seed of {kind.name}, row {rows[result.index]['refName']}: {result.error['detail']}"
            )
    return answer.saved


async def _resolve(call: Call, kind: RecordType[Any], row: Document) -> None:
    """Reference names become reference objects."""
    for reference in kind.references:
        target = call.service.catalog[reference.target]
        for holder, key in _holders(row, reference.path.split(".")):
            name = holder[key]
            if isinstance(name, str):
                found = (await _existing(call, target, [name])).get(name)
                if found is None:
                    raise Misconfigured(f"seed of {kind.name}, row {row['refName']}: no {target.name} {name}")
                holder[key] = {"entityId": str(found["_id"])}


def _holders(value: Any, steps: Sequence[str]) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) at which a reference stands."""
    name, is_list = steps[0].removesuffix("[]"), steps[0].endswith("[]")
    if not isinstance(value, dict) or name not in value:
        return
    places = [(value[name], at) for at in range(len(value[name]))] if is_list else [(value, name)]
    for holder, key in places:
        if len(steps) == 1:
            yield holder, key
        else:
            yield from _holders(holder[key], steps[1:])


async def _existing(call: Call, kind: RecordType[Any], ref_names: Sequence[str]) -> dict[str, Document]:
    access = allow(call, kind, Action.VIEW)
    rows = await call.service.store.find(access, one_of("refName", ref_names), projection=_IDS)
    return {row["refName"]: row for row in rows}
