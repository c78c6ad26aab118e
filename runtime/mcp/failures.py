"""Errors as results of tools: the problem body, and what would be right, so that the next call succeeds."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from runtime.call import Call
from runtime.errors import Denied, ServiceError
from runtime.explain.decisions import attach_decision_id
from runtime.logs import log_fault
from runtime.model.own_paths import MCP
from runtime.model.problems import build_problem_body
from runtime.tracebacks import drop_tracebacks

ADVICE: Final[Mapping[str, str]] = {
    "access.denied": "Your user may not do this. Tell them; do not try other ways.",
    "csv.malformed": "Correct the CSV text where the detail says, and send it again.",
    "delete.too_many": "Narrow the query, and delete in several calls.",
    "field.unknown": "Use a field of the resource service://schema/{rootType}.",
    "filter.syntax": "Correct the query at the column; service://query-hints has the language.",
    "filter.type": "Write the value as the type of its field needs it.",
    "import.not_ready": "Look at the session with query_import_rows.",
    "ontology.too_many_edges": "Write fewer references at once; if it is one, tell your user.",
    "query.answer_too_large": "Ask for fewer records, or fields: fields:[+a,+b], or columns of an export.",
    "query.execution_disabled": "The operator has switched this off. Tell your user.",
    "query.too_wide": "Ask for less, as the detail says.",
    "record.busy": "Wait a moment and send the same call again.",
    "record.duplicate": "Find the record that has this value, or choose another value.",
    "record.invalid": "Correct the members that violations name.",
    "record.not_found": "Find the right name or id first, with query_rootTypes or query_find.",
    "record.not_storable": "The store refuses this record. Tell your user; do not try other ways.",
    "record.version_conflict": "Read the record again, and send its version.",
    "reference.in_use": "Change or delete the referrers first.",
    "reference.missing": "Find the record to refer to with query_find, and send its id.",
    "remote.failed": "Another server failed; the call may have had its effect there. Tell your user.",
    "remote.unavailable": "Another server cannot be reached. Try once more later, or tell your user.",
    "request.invalid_parameter": "Correct the argument that the detail names.",
    "request.malformed": "Correct what the detail names, and send the call again.",
    "request.quota_exceeded": "Wait a minute before the next call, and make fewer calls.",
    "request.repeated_member": "Send each member once.",
    "request.too_large": "Send less in one call.",
    "request.unknown_member": "Use the tool's schema, and for an entity service://schema/{rootType}.",
    "service.fault": "The service has a fault. Tell your user, with the requestId; do not repeat the call.",
    "service.not_offered": "This service does not offer it. Tell your user.",
    "service.overloaded": "Wait a moment and send the same call again.",
    "state.transition": "Choose one of the states in allowed.",
    "store.index_missing": "The operator has to complete the store. Tell your user.",
    "store.unavailable": "Wait a moment and send the same call again.",
}
"""Code of the error → what to do, for a caller that has only the answer to go by; of those of tools."""

_OF_SCOPES: Final = "Your token lacks the scope that scope names. Sign in again for it, or tell your user."


async def describe_failure(error: ServiceError, call: Call) -> dict[str, Any]:
    """Describe an error for the caller. A refusal is stored and has its ``decisionId``."""
    if isinstance(error, Denied):
        await attach_decision_id(call.service, error, call, call.request_id)
    log_fault(error, call.request_id)
    body = build_problem_body(error, instance=MCP, request_id=call.request_id)
    drop_tracebacks(error)
    advice = _OF_SCOPES if error.details.get("scope") is not None else ADVICE.get(error.code)
    return body if advice is None else body | {"advice": advice}


def describe_params(error: ValidationError) -> str:
    """Say which member of the parameters of a message is wrong, without a quote of it."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = next((step for step in first["loc"] if isinstance(step, str) and step != "params"), None)
    where = "params" if name is None else f"params.{name[:100]}"
    return f"{where} is missing" if first["type"] == "missing" else f"{where} does not have the right form"
