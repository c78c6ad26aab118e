"""The routes of agents: records of a realm, which administrators read and write."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from runtime.access.guard import allow
from runtime.access.reopening import open_in_realm
from runtime.aside import run_aside
from runtime.call import Call
from runtime.errors import Denied, Duplicate, NotFound, ValidationFailed
from runtime.filter import EVERYTHING, Predicate, by_id, equals, in_tenant
from runtime.model.mappings import without_nones
from runtime.model.nearest import hint
from runtime.records.change import Change
from runtime.records.document.terms import PLAIN
from runtime.records.operations.write import as_seen, delete_named, read_entity, save_sent
from runtime.storage.access import Action
from runtime.storage.wire import Json, to_json
from runtime.system.models.agent_config import AgentConfig
from runtime.system.record_types import AGENT

_MOST: Final = 1000
_MEMBERS: Final = ("refName", "name", "llmConfigRef", "context", "enabledTools", "version")


async def list_agents(call: Call, *, realm: str) -> Json[list[AgentConfig]]:
    """List the agents of a realm that the caller may view, by their reference names."""
    call = await open_in_realm(call, realm)
    order = (("refName", 1), ("_id", 1))
    rows = await call.store.find(allow(call, AGENT, Action.VIEW), EVERYTHING, order=order, limit=_MOST)
    return Json(to_json([_show(row) for row in rows]))


async def get_agent(
    call: Call, *, realm: str, agent: str | None = None, id_: str | None = None
) -> Json[AgentConfig]:
    """Return one agent. Raises ``NotFound``."""
    call = await open_in_realm(call, realm)
    return Json(to_json(_show(await _find(call, agent, id_))))


async def save_agent(call: Call, body: AgentConfig, *, realm: str) -> Json[AgentConfig]:
    """Create an agent, or replace the one with this reference name.

    Raises ``ValidationFailed`` for tools that the service does not have, and a name of which no path leads
    to the agent.
    """
    call = await open_in_realm(call, realm)
    allow(call, AGENT, Action.CREATE)
    _require_sound(call, body)
    try:
        return await _save_named(call, body)
    except Duplicate:  # another request has created it in the meantime, unless the caller cannot see it
        return await _save_named(call, body)


async def _save_named(call: Call, body: AgentConfig) -> Json[AgentConfig]:
    access = allow(call, AGENT, Action.VIEW)
    stored = await call.store.find_one(access.to_decide(), _match_agent(call, body.ref_name, None))
    said = body.model_dump(mode="json", by_alias=True, exclude={"id"}, exclude_none=True)
    if body.context is not None:
        said["context"] = sorted(said["context"], key=lambda step: int(step["order"]))
    entity = said if stored is None else {"id": str(stored["_id"]), **said}
    sent = await run_aside(partial(read_entity, call, AGENT, entity))
    return await save_sent(call, AGENT, sent, partial(_render, call), PLAIN)


async def delete_agent(
    call: Call, *, realm: str, agent: str | None = None, id_: str | None = None
) -> Json[None]:
    """Delete one agent. Raises ``NotFound``."""
    call = await open_in_realm(call, realm)
    allow(call, AGENT, Action.DELETE)
    found = await _find(call, agent, id_)
    return await delete_named(call, AGENT, str(found["_id"]), lambda _change: Json(b"", 204), PLAIN)


def _match_agent(call: Call, ref_name: str | None, record_id: str | None) -> Predicate:
    """Match one agent; a reference name is one of the caller's own tenant, also where it sees several."""
    if record_id is not None:
        return by_id(record_id)
    return in_tenant(call.principal.domain.tenant_id) & equals(refName=str(ref_name))


async def _find(call: Call, ref_name: str | None, record_id: str | None) -> Mapping[str, Any]:
    match = _match_agent(call, ref_name, record_id)
    found = await call.store.find_one(allow(call, AGENT, Action.VIEW), match)
    if found is None:
        named = f"id {record_id}" if record_id is not None else f"refName {str(ref_name)[:200]}"
        raise NotFound(f"no agent in this realm has the {named}")
    return found


def _require_sound(call: Call, body: AgentConfig) -> None:
    if body.ref_name == "list":
        raise ValidationFailed.at("refName", "is where the list of agents is: choose another name")
    if "/" in body.ref_name or body.ref_name in (".", ".."):
        raise ValidationFailed.at(
            "refName", "is a part of paths: choose a name without / that is not . or .."
        )
    if not body.ref_name.isprintable() or body.ref_name != body.ref_name.strip():
        message = "is sent in the header X-Agent: choose printable characters, without a blank at either end"
        raise ValidationFailed.at("refName", message)
    tools = call.service.tools
    for position, name in enumerate(body.enabled_tools or ()):
        if name not in tools:
            raise ValidationFailed.at(f"enabledTools[{position}]", f"is not a tool{hint(name, tools)}")


def _render(call: Call, change: Change) -> Json[AgentConfig]:
    shown = as_seen(call, AGENT, change.after or {})
    if shown is None:
        raise Denied("you may not view this agent")
    return Json(to_json(_show(shown)))


def _show(document: Mapping[str, Any]) -> dict[str, Any]:
    members = {name: document.get(name) for name in _MEMBERS}
    return without_nones({"id": document["_id"], **members})
