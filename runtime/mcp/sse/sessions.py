"""Sessions and the answers that wait for them, in the store: every worker sees them."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from runtime.call import Call
from runtime.errors import NotFound, Overloaded
from runtime.filter import Predicate, by_ids, equals
from runtime.identity.credentials.families import digest
from runtime.model.clock import now
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import complete_document
from runtime.storage.store import Changes
from runtime.system.documents import McpMessageDocument, McpSessionDocument
from runtime.system.record_types import MCP_MESSAGE, MCP_SESSION

BEAT_SECONDS: Final = 15.0
"""How often a stream that is held says so, to its client and in the store."""

_LASTS: Final = timedelta(seconds=4 * BEAT_SECONDS)
_MOST_WAITING: Final = 64
"""Answers that wait for one stream."""

MOST_AT_ONCE: Final = 4
"""Answers that are taken from the store at once: each may have megabytes."""


@dataclass(frozen=True, slots=True)
class Session:
    """``name``: the hash of its id, which nobody but its client knows."""

    name: str
    protocol_version: str | None = None


async def open_session(call: Call) -> tuple[str, Session]:
    """Store a session of the caller; return its id, and the session."""
    session_id = secrets.token_urlsafe(32)
    name, at, principal = digest(session_id), now(), call.principal
    fields: McpSessionDocument = {
        "subject": principal.subject,
        "actor": _actor_of(call),
        "expiresAt": at + _LASTS,
    }
    domain = principal.domain.new_data_domain(principal.user_id)
    document = complete_document(fields, name, domain, at)
    await call.service.store.insert(_open_sessions(call, Action.CREATE), document)
    return session_id, Session(name)


async def find_session(call: Call, session_id: str) -> Session:
    """Find a session of the caller by its id. Raises ``NotFound``, also for one of somebody else."""
    access = _open_sessions(call, Action.VIEW)
    found = await call.service.store.find_one(access, _own(call, digest(session_id)))
    if found is None or found["expiresAt"] <= now():
        raise NotFound("there is no such session; open a stream at /mcp/sse")
    return Session(found["refName"], found.get("protocolVersion"))


async def keep_version(call: Call, session: Session, version: str) -> None:
    """Note the version of the protocol that was agreed on."""
    changes = Changes(set={"protocolVersion": version[:32]})
    await call.service.store.update_one(
        _open_sessions(call, Action.UPDATE), _own(call, session.name), changes
    )


async def renew_session(call: Call, session: Session) -> bool:
    """Say that the stream is still held; return whether the session is still there."""
    changes = Changes(set={"expiresAt": now() + _LASTS})
    access = _open_sessions(call, Action.UPDATE)
    return await call.service.store.update_one(access, _own(call, session.name), changes) is not None


async def end_session(call: Call, session: Session) -> None:
    """Remove a session and what waits for it."""
    await call.service.store.delete_one(_open_sessions(call, Action.DELETE), _own(call, session.name))
    await call.service.store.delete_many(_open_messages(call, Action.DELETE), equals(session=session.name))


async def store_answer(call: Call, session: Session, text: str) -> None:
    """Store an answer for the worker that holds the stream. Raises ``Overloaded`` where too many wait."""
    waiting = _open_messages(call, Action.VIEW)
    of_session = equals(session=session.name)
    if await call.service.store.count(waiting, of_session, most=_MOST_WAITING) >= _MOST_WAITING:
        raise Overloaded("too many answers wait for this session; read its stream first")
    at, principal = now(), call.principal
    fields: McpMessageDocument = {"session": session.name, "text": text, "expiresAt": at + _LASTS}
    domain = principal.domain.new_data_domain(principal.user_id)
    document = complete_document(fields, secrets.token_hex(16), domain, at)
    await call.service.store.insert(_open_messages(call, Action.CREATE), document)


async def take_answers(call: Call, session: Session) -> list[str]:
    """Return the first answers that wait for a session, once."""
    store, match = call.service.store, equals(session=session.name)
    found = await store.find(
        _open_messages(call, Action.VIEW), match, order=(("_id", 1),), limit=MOST_AT_ONCE
    )
    if found:
        ids = by_ids([str(one["_id"]) for one in found])
        await store.delete_many(_open_messages(call, Action.DELETE), ids)
    return [one["text"] for one in found]


def _own(call: Call, name: str) -> Predicate:
    return equals(refName=name, subject=call.principal.subject, actor=_actor_of(call))


def _actor_of(call: Call) -> str:
    return call.principal.impersonator.subject if call.principal.impersonator else ""


def _open_sessions(call: Call, action: Action) -> Access[McpSessionDocument]:
    return as_service(MCP_SESSION, call.database, action, call.principal.scope)


def _open_messages(call: Call, action: Action) -> Access[McpMessageDocument]:
    return as_service(MCP_MESSAGE, call.database, action, call.principal.scope)
