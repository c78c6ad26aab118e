"""The answer of a direct import: counts, and the rows that were not stored."""

from collections.abc import Iterable
from typing import Final

from runtime.contract.imports import ImportAnswer
from runtime.errors import InternalFault, ServiceError
from runtime.storage.wire import Json, to_json
from runtime.transfer.rows.row_report import Tally

MOST_REPORTED: Final = 1000
"""Rows with errors in one answer."""


def render_import(tally: Tally, failed: Iterable[bytes]) -> Json[ImportAnswer]:
    """Render the answer; ``failed`` are the reports of rows with errors, as JSON."""
    imported = tally.inserts + tally.updates
    counts = {
        "importedCount": imported,
        "failedCount": tally.failed,
        "insertCount": tally.inserts,
        "updateCount": tally.updates,
        "skipCount": tally.skips,
    }
    body = to_json(counts)[:-1] + b',"rows":[' + b",".join(failed) + b"]}"
    headers = {
        "X-Import-Success-Count": str(imported),
        "X-Import-Failed-Count": str(tally.failed),
        "X-Import-Message": describe(tally),
    }
    return Json(body, 200, headers)


def describe(tally: Tally) -> str:
    """Return the counts as a text: ``3 inserted, 0 updated, 1 skipped, 0 failed``."""
    return ", ".join(f"{count} {name}" for name, count in tally.counts.items())


def broken_import(error: Exception, tally: Tally) -> ServiceError:
    """Return what to raise when an import ends in the middle: the same error with the counts so far."""
    if not isinstance(error, ServiceError):
        error = InternalFault(cause=error)
    if tally.total:
        error.details["counts"] = tally.counts
        error.message = f"{error.message}; the import ended early, so far {describe(tally)}"
    return error
