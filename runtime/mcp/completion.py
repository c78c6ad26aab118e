"""Completion of the templates of resources: names of record types and fields that the caller may see."""

from collections.abc import Iterable
from typing import Final

from mcp_types import CompleteRequestParams, CompleteResult, Completion, ResourceTemplateReference

from runtime.access.guard import allow
from runtime.call import Call
from runtime.errors import NotFound
from runtime.gateway.execute import enter_tool
from runtime.gateway.root_types import find_root_type, list_visible_types
from runtime.mcp.context import Context, find_exchange
from runtime.mcp.resources import FIELD_TEMPLATE, TYPE_TEMPLATE
from runtime.model.paths import is_within
from runtime.storage.access import Action

_MOST: Final = 100
"""Values of one answer, as the protocol has it."""


async def complete(context: Context, params: CompleteRequestParams) -> CompleteResult:
    """Complete an argument of a template; what cannot be completed has no values."""
    call = find_exchange(context).call
    async with call.turn:
        call = await enter_tool(call, "query_rootTypes", None)
        names = list(_find_names(call, params))
    found = rank_names(names, params.argument.value)
    return CompleteResult(
        completion=Completion(values=found[:_MOST], total=len(found), has_more=len(found) > _MOST)
    )


def rank_names(names: Iterable[str], typed: str) -> list[str]:
    """Return the names that contain what was typed, first those that begin with it; case does not matter."""
    wanted = typed.lower()
    found = [name for name in names if wanted in name.lower()]
    return sorted(found, key=lambda name: (not name.lower().startswith(wanted), name))


def _find_names(call: Call, params: CompleteRequestParams) -> Iterable[str]:
    template = params.ref.uri if isinstance(params.ref, ResourceTemplateReference) else ""
    if template in (TYPE_TEMPLATE, FIELD_TEMPLATE) and params.argument.name == "rootType":
        return [kind.shown_name for kind in list_visible_types(call)]
    if template == FIELD_TEMPLATE and params.argument.name == "field":
        said = params.context.arguments if params.context else None
        return _find_fields(call, (said or {}).get("rootType", ""))
    return ()


def _find_fields(call: Call, root_type: str) -> Iterable[str]:
    try:
        kind = find_root_type(call, root_type)
    except NotFound:
        return ()
    hidden = allow(call, kind, Action.VIEW).hidden
    return [name for name in kind.fields if not is_within(name, hidden)]
