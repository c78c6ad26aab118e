"""State graphs as a caller sees them: which states there are, and where one record may go."""

from typing import Any

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.states import RecordStates, RecordTransitions
from runtime.filter import by_id
from runtime.model.mappings import without_nones
from runtime.model.problems import no_record
from runtime.model.record_type import RecordType
from runtime.model.state_graph import StateGraph
from runtime.records.operations.actions import Actions
from runtime.storage.access import Action
from runtime.storage.wire import Json, etag, to_json


async def get_states(call: Call, kind: RecordType[Any]) -> Json[RecordStates]:
    """Return the graph of each state field that the caller may see."""
    access = allow(call, kind, Action.VIEW)
    shown = {name: _show_graph(graph) for name, graph in kind.states.items() if name not in access.hidden}
    return Json(to_json(shown))


def _show_graph(graph: StateGraph) -> dict[str, Any]:
    members = {
        "initial": graph.initial_states,
        "default": graph.default,
        "final": graph.final_states,
        "states": {name: state.next for name, state in graph.states.items()},
    }
    return without_nones(members)


async def get_transitions(call: Call, kind: RecordType[Any], record_id: str) -> Json[RecordTransitions]:
    """Return the state of one record and the next states this caller may choose; with its ``ETag``.

    A caller that may not update the record may choose none. Raises ``NotFound``.
    """
    access = allow(call, kind, Action.VIEW)
    document = await call.store.find_one(access.to_decide(), by_id(record_id))
    if document is None:
        raise no_record(kind.shown_name, record_id)
    open_now = Actions.of(call, kind).transitions(document)
    answer = {
        field: ({"current": document[field]} if field in document else {}) | {"next": open_now.get(field, ())}
        for field in kind.states
        if field not in access.hidden
    }
    return Json(to_json(answer), headers={"ETag": etag(document)} if "version" in document else {})
