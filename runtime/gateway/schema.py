"""The JSON Schema of a record type for agents, with references, states and an example."""

from typing import Any, Final

import orjson

from runtime.access.guard import allow
from runtime.agents import find_enabled_tools
from runtime.call import Call
from runtime.contract.pages import FindBody
from runtime.gateway.root_types import find_root_type
from runtime.model.mappings import without_nones
from runtime.model.record_type import RecordType
from runtime.records import get_schema, list_records
from runtime.storage.access import Action
from runtime.storage.wire import Json, to_json

Schema = dict[str, Any]

_FIND: Final = "query_find"


async def render_schema(call: Call, name: str) -> Json[Any]:
    """Render the schema of a record type as the caller reads it.

    A record of the caller's is its example, where the tool that reads records is enabled. Raises ``NotFound``
    and ``Denied``.
    """
    kind = find_root_type(call, name)
    hidden = allow(call, kind, Action.VIEW).hidden
    schema: Schema = orjson.loads((await get_schema(call, kind)).body)
    _mark_references(call, kind, schema, hidden)
    for field, graph in kind.states.items():
        if field in schema["properties"]:
            states = {state: list(one.next) for state, one in graph.states.items()}
            starts = {"initial": list(graph.initial_states), "default": graph.default}
            schema["properties"][field]["x-states"] = without_nones({**starts, "next": states})
    enabled = await find_enabled_tools(call)
    may_find = enabled is None or _FIND in enabled
    if may_find and not kind.operations.isdisjoint(("list", "find")):
        page = orjson.loads((await list_records(call, kind, FindBody(limit=1))).body)
        schema["examples"] = page["rows"]
    return Json(to_json({**schema, "x-rootType": kind.qualified_name}))


def _mark_references(call: Call, kind: RecordType[Any], schema: Schema, hidden: frozenset[str]) -> None:
    """Say of each reference to which record type it points."""
    for reference in kind.references:
        if reference.path.replace("[]", "") in hidden:
            continue
        place = _find(schema, reference.path.split("."), schema.get("$defs", {}))
        if place is not None:
            place["x-references"] = call.service.catalog[reference.target].qualified_name


def _find(schema: Schema, steps: list[str], definitions: Schema) -> Schema | None:
    """Find the schema at a path; what is shared on the way belongs to this record type alone."""
    here: Schema = schema
    for step in steps:
        here = definitions[here["$ref"].rpartition("/")[2]] if "$ref" in here else here
        name = step.replace("[]", "")
        if name not in here.get("properties", {}):
            return None
        here = here["properties"][name]
        for _list in range(step.count("[]")):
            here = here["items"]
    return here
