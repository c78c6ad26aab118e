"""The handlers of the routes below ``/api/query``: each runs one operation of the gateway."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from runtime.call import Call
from runtime.gateway import importing, reading, relationships, writing
from runtime.gateway.execute import Arguments, enter_tool
from runtime.records.document.terms import Terms
from runtime.storage.wire import Json
from runtime.system.models.query_delete_request import QueryDeleteRequest
from runtime.system.models.query_root_types_request import QueryRootTypesRequest
from runtime.system.models.query_save_request import QuerySaveRequest

B = TypeVar("B", bound=Arguments)
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Door(Generic[B, A]):
    """The route of one operation. ``tool`` is the name by which agents use it."""

    tool: str
    work: Callable[[Call, B], Awaitable[A]]

    async def __call__(self, call: Call, body: B) -> A:
        """Answer a request."""
        return await self.work(await enter_tool(call, self.tool, body.realm), body)


async def list_root_types(call: Call, *, realm: str | None = None) -> Json[Any]:
    """Answer the list of record types that can be queried."""
    return await _list_root_types(call, QueryRootTypesRequest(realm=realm))


async def save(
    call: Call, body: QuerySaveRequest, *, if_match: str | None = None, if_none_match: str | None = None
) -> Json[Any]:
    """Insert or replace a record, on the conditions of the request."""
    terms = Terms(expected=if_match, unless=if_none_match)
    return await writing.save(await enter_tool(call, "query_save", body.realm), body, terms)


async def delete(call: Call, body: QueryDeleteRequest, *, if_match: str | None = None) -> Json[Any]:
    """Delete or archive a record, on the condition of the request."""
    terms = Terms(expected=if_match)
    return await writing.delete(await enter_tool(call, "query_delete", body.realm), body, terms)


_list_root_types = Door("query_rootTypes", reading.list_root_types)
plan = Door("query_plan", reading.plan)
find = Door("query_find", reading.find)
count = Door("query_count", reading.count)
aggregate = Door("query_aggregate", reading.aggregate)
list_relationships = Door("query_relationships", relationships.list_relationships)
list_predicates = Door("query_predicates", relationships.list_predicates)
delete_many = Door("query_deleteMany", writing.delete_many)
export = Door("query_export", reading.stream_export)
analyze_import = Door("query_import_analyze", importing.analyze)
list_import_rows = Door("query_import_rows", importing.list_analysed)
commit_import = Door("query_import_commit", importing.commit)
cancel_import = Door("query_import_cancel", importing.discard)
