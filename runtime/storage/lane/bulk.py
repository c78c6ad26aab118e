"""Several documents or statements as one command, with the results and errors of the driver's bulk writes."""

from collections.abc import Callable

from pymongo.bulk_shared import _merge_command, _raise_bulk_write_error, _Run
from pymongo.helpers_shared import _RETRYABLE_ERROR_CODES

from runtime.storage.lane.command import Document


def gather(run: _Run, answer: Document) -> Document:
    """Return the full result of the driver for one command and its answer."""
    numbers = dict.fromkeys(("nInserted", "nUpserted", "nMatched", "nModified", "nRemoved"), 0)
    result: Document = {"writeErrors": [], "writeConcernErrors": [], **numbers, "upserted": []}
    _merge_command(run, result, 0, answer)
    return result


def raise_passing(run: _Run) -> Callable[[Document], None]:
    """Build a check that raises for a write concern that failed in passing, so that the write is retried."""

    def check(answer: Document) -> None:
        if answer.get("writeConcernError", {}).get("code") in _RETRYABLE_ERROR_CODES:
            _raise_bulk_write_error(gather(run, answer))

    return check


def finish(run: _Run, answer: Document) -> Document:
    """Return the full result, or raise what was refused."""
    result = gather(run, answer)
    if result["writeErrors"] or result["writeConcernErrors"]:
        _raise_bulk_write_error(result)
    return result
