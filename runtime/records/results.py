"""The results of many writes in one request: one per operation, as the single request would have answered."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from runtime.call import Call
from runtime.contract.writes import BulkAnswer
from runtime.errors import RecordBusy, ServiceError
from runtime.explain.decisions import attach_decision_id
from runtime.model.problems import build_problem_body
from runtime.records.change import Change
from runtime.storage.wire import Json, to_json
from runtime.tracebacks import drop_tracebacks

Result: TypeAlias = dict[str, Any]
Results: TypeAlias = dict[int, Result]


def build_result(change: Change, op: str) -> Result:
    """Return the result of a write that is stored."""
    document = change.after or {}
    return {
        "op": op,
        "status": 201 if change.before is None else 200,
        "id": document["_id"],
        "refName": document["refName"],
        "version": document["version"],
    }


async def describe_failure(call: Call, instance: str, op: str, error: ServiceError) -> Result:
    """Return the result of a write that was refused.

    A fault of the server fails the whole request; a record that other requests are writing fails only its
    operation.
    """
    if error.status >= 500 and not isinstance(error, RecordBusy):
        raise error
    await attach_decision_id(call.service, error, call, call.request_id)
    body = build_problem_body(error, instance=instance, request_id=call.request_id)
    drop_tracebacks(error)
    return {"op": op, "status": error.status, "error": body}


def answer_of(results: Mapping[int, Result]) -> Json[BulkAnswer]:
    """Return all results in their order, and the totals."""
    listed = [results[index] | {"index": index} for index in sorted(results)]
    succeeded = [result for result in listed if result["status"] < 400]
    saved = sum(result["op"] != "delete" for result in succeeded)
    totals = {"saved": saved, "deleted": len(succeeded) - saved, "failed": len(listed) - len(succeeded)}
    return Json(to_json({"results": listed, **totals}))
