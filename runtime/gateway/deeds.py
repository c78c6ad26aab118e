"""What the tools of an application do: each function returns one that takes a call and arguments.

They go through the operations of the gateway, so whatever holds there holds for them.
"""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import orjson
from pydantic import BaseModel

from runtime.access.guard import admit, allow
from runtime.call import Call
from runtime.contract.pages import CountParameters, FindBody
from runtime.contract.writes import RecordPatch
from runtime.errors import NotFound, RemoteFailed
from runtime.gateway.binding import bind_arguments
from runtime.gateway.entering import build_parameters, cap_limit
from runtime.gateway.root_types import find_root_type
from runtime.gateway.writing import save
from runtime.model.later import Later
from runtime.model.mappings import without_nones
from runtime.model.problems import validate_body
from runtime.model.record import Strict
from runtime.records import count_records, find_records, patch
from runtime.records.document.terms import PLAIN
from runtime.records.effects.idempotency import share_key
from runtime.storage.access import Action
from runtime.storage.wire import Json, to_json
from runtime.system.models.query_save_request import QuerySaveRequest

Run: TypeAlias = Callable[[Call, Any], Awaitable[Json[Any]]]

_MOST_SERVICES: Final = 8
"""A tool elsewhere may be one of ours, which calls it again: each call says how many came before it."""


def query_records(
    root_type: str,
    *,
    filter: str | None = None,
    sort: str | None = None,
    projection: str | None = None,
    limit: int | None = None,
    words: frozenset[str] = frozenset(),
) -> Run:
    """Return a page of records that match a filter with the values of arguments."""

    async def run(call: Call, body: Strict) -> Json[Any]:
        kind = find_root_type(call, root_type, "list", "find")
        allow(call, kind, Action.VIEW)
        named = {
            "filter": None if filter is None else bind_arguments(filter, _values(body), words),
            "sort": sort,
            "projection": projection,
            "limit": cap_limit(call, limit),
        }
        return await find_records(call, kind, build_parameters(FindBody, named))

    return run


def count_matching(root_type: str, *, filter: str | None = None, words: frozenset[str] = frozenset()) -> Run:
    """Count the records that match a filter with the values of arguments."""

    async def run(call: Call, body: Strict) -> Json[Any]:
        kind = find_root_type(call, root_type, "count")
        allow(call, kind, Action.VIEW)
        bound = None if filter is None else bind_arguments(filter, _values(body), words)
        return await count_records(call, kind, build_parameters(CountParameters, {"filter": bound}))

    return run


def save_arguments(root_type: str) -> Run:
    """Save a record whose members are the arguments."""

    async def run(call: Call, body: Strict) -> Json[Any]:
        return await save(
            call, QuerySaveRequest.model_validate({"rootType": root_type, "entity": _members(body)})
        )

    return run


def move_state(root_type: str, *, to: str | None = None, field: str | None = None) -> Run:
    """Move a record to another state, and set what other arguments name."""

    async def run(call: Call, body: Strict) -> Json[Any]:
        kind = find_root_type(call, root_type, "patch")
        allow(call, kind, Action.UPDATE)
        members = _members(body)
        record_id, state = members.pop("id"), members.pop("to", None) if to is None else to
        moved = members | {field or next(iter(kind.states)): state}
        return await patch(call, kind, record_id, RecordPatch(moved))

    return run


def call_endpoint(
    route: Later,
    *,
    request: type[BaseModel] | None = None,
    parameters: Mapping[str, str] = MappingProxyType({}),
    takes_terms: bool = False,
) -> Run:
    """Call a route of the application, which checks the caller itself.

    It is imported with the first call: commands that use no tools do not need the handlers of endpoints.
    ``parameters``: argument → parameter of the route; all other arguments are members of its ``request``.
    """

    async def run(call: Call, body: Strict) -> Json[Any]:
        named = parameters.items()
        given = without_nones(
            {to: getattr(body, name) for name, to in named if name in body.model_fields_set}
        )
        if request is not None:
            text = body.model_dump_json(by_alias=True, exclude=set(parameters), exclude_unset=True)
            given["body"] = validate_body(request, text.encode())
        if takes_terms:
            given["terms"] = PLAIN
        answer: Json[Any] = await route.load()(share_key(call), **given)
        return answer

    return run


def call_remote(target: str, *, area: str) -> Run:
    """Call a tool of an MCP server elsewhere, ``server/tool``, with the arguments as they are.

    Rules decide by the area of the specification, the name of the server as functional domain, and ``CALL``.
    Those that every service has allow it to administrators alone.
    """
    server, _, tool = target.partition("/")

    async def run(call: Call, body: Strict) -> Json[Any]:
        admit(call, (), area=area, domain=server, action="CALL")
        remotes = call.service.remotes
        if remotes is None:
            raise NotFound(f"no MCP server {server} is set up")
        if call.depth >= _MOST_SERVICES:
            raise RemoteFailed(f"{call.depth} services in a row called the next: does a tool call itself?")
        call.turn.give_back()  # the store does not wait for a server elsewhere
        answer = await remotes.call_tool(server, tool, _members(body), call)
        if answer.is_error:
            raise RemoteFailed(f"the tool {tool} of {server} reports an error", answer=answer.content)
        return Json(to_json(answer.content))

    return run


def _values(body: Strict) -> dict[str, Any]:
    """Return the arguments by the names that filters have for them; null is as if it were not sent."""
    names = {name: info.alias or name for name, info in type(body).model_fields.items()}
    sent = _put_defaults(body)
    return without_nones({alias: getattr(sent, name) for name, alias in names.items()})


def _members(body: Strict) -> dict[str, Any]:
    """Return the arguments as members of a record; null is as if it were not sent."""
    text = _put_defaults(body).model_dump_json(by_alias=True, exclude_none=True)
    members: dict[str, Any] = orjson.loads(text)
    return members


def _put_defaults(body: Strict) -> Strict:
    """Return arguments with their defaults in place of null."""
    known = type(body).model_fields.items()
    nulls = {name: info for name, info in known if getattr(body, name) is None and not info.is_required()}
    defaults = {name: info.get_default(call_default_factory=True) for name, info in nulls.items()}
    return body.model_copy(update=defaults)
