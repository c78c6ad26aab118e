"""Several documents or statements as one command, with the results and errors of the driver's bulk writes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pymongo import UpdateMany, UpdateOne
from pymongo.bulk_shared import _merge_command, _raise_bulk_write_error, _Run
from pymongo.common import validate_ok_for_update
from pymongo.helpers_shared import _RETRYABLE_ERROR_CODES

Document = dict[str, Any]


class Statements:
    """What an ``UpdateOne`` or ``UpdateMany`` of the driver adds itself to."""

    def __init__(self, requests: Sequence[UpdateOne | UpdateMany]) -> None:
        self.updates: list[Document] = []
        bulk: Any = self
        for request in requests:
            request._add_to_bulk(bulk)

    def add_update(self, match: Mapping[str, Any], update: Any, *flags: bool, **options: Any) -> None:
        """Add one statement. ``flags``: whether it is for many, and inserts;"""
        validate_ok_for_update(update)
        many, upsert = flags
        given = {name: value for name, value in options.items() if value is not None}
        self.updates.append({"q": match, "u": update, "multi": many, "upsert": bool(upsert), **given})


def gather(kind: int, operations: Sequence[Document], answer: Document) -> Document:
    """Return the full result of the driver for one command and its answer."""
    run = _Run(kind)
    run.index_map, run.ops = [*range(len(operations))], [*operations]
    numbers = dict.fromkeys(("nInserted", "nUpserted", "nMatched", "nModified", "nRemoved"), 0)
    result: Document = {"writeErrors": [], "writeConcernErrors": [], **numbers, "upserted": []}
    _merge_command(run, result, 0, answer)
    return result


def raise_passing(kind: int, operations: Sequence[Document]) -> Callable[[Document], None]:
    """Build a check that raises for a write concern that failed in passing, so that the write is retried."""

    def check(answer: Document) -> None:
        if answer.get("writeConcernError", {}).get("code") in _RETRYABLE_ERROR_CODES:
            _raise_bulk_write_error(gather(kind, operations, answer))

    return check


def finish(kind: int, operations: Sequence[Document], answer: Document) -> Document:
    """Return the full result, or raise what was refused."""
    result = gather(kind, operations, answer)
    if result["writeErrors"] or result["writeConcernErrors"]:
        _raise_bulk_write_error(result)
    return result
