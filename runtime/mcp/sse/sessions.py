"""Sessions and the answers that wait for them, in the store: every worker sees them."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from runtime.call import Call
from runtime.errors import NotFound, Overloaded, ServiceError
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
"""Answers that wait for one stream in the store."""

MOST_BYTES: Final = 16 * 2**20
"""Bytes of all of them, without those of which each is small."""

_SMALL: Final = 1024

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
    found = await call.service.store.find_one(access, _match_session(call, digest(session_id)))
    if found is None or found["expiresAt"] <= now():
        raise NotFound("session_id is unknown or has expired: open a stream at /mcp/sse")
    return Session(found["refName"], found.get("protocolVersion"))


async def keep_version(call: Call, session: Session, version: str) -> None:
    """Note the version of the protocol that was agreed on."""
    await _update(call, session, Changes(set={"protocolVersion": version[:32]}))


async def renew_session(call: Call, session: Session) -> bool:
    """Say that the stream is still held; return whether the session is still there."""
    return await _update(call, session, Changes(set={"expiresAt": now() + _LASTS})) is not None


async def end_session(call: Call, session: Session) -> None:
    """Remove a session and what waits for it."""
    await call.service.store.delete_one(
        _open_sessions(call, Action.DELETE), _match_session(call, session.name)
    )
    await call.service.store.delete_many(_open_messages(call, Action.DELETE), equals(session=session.name))


async def store_answer(call: Call, session: Session, text: str) -> None:
    """Store an answer for the worker that holds the stream; nothing where there is no session any more.

    Raises ``Overloaded`` where too many wait, or too much.
    """
    size = len(text.encode())
    held = await _count_waiting(call, session, 1, size)
    if held is None:
        return
    try:
        is_full = size > _SMALL and held.get("waitingBytes", 0) > MOST_BYTES
        if is_full or held.get("waitingCount", 0) > _MOST_WAITING:
            raise Overloaded("too much waits for this session; read its stream, then ask again")
        at, principal = now(), call.principal
        fields: McpMessageDocument = {"session": session.name, "text": text, "expiresAt": at + _LASTS}
        domain = principal.domain.new_data_domain(principal.user_id)
        document = complete_document(fields, secrets.token_hex(16), domain, at)
        await call.service.store.insert(_open_messages(call, Action.CREATE), document)
    except ServiceError:
        await _count_waiting(call, session, -1, -size)
        raise


async def take_answers(call: Call, session: Session) -> list[str]:
    """Return the first answers that wait for a session, once."""
    store, match = call.service.store, equals(session=session.name)
    found = await store.find(
        _open_messages(call, Action.VIEW), match, order=(("_id", 1),), limit=MOST_AT_ONCE
    )
    texts = [one["text"] for one in found]
    if found:
        ids = by_ids([str(one["_id"]) for one in found])
        await store.delete_many(_open_messages(call, Action.DELETE), ids)
        await _count_waiting(call, session, -len(texts), -sum(len(text.encode()) for text in texts))
    return texts


async def _count_waiting(call: Call, session: Session, number: int, size: int) -> McpSessionDocument | None:
    """Add to what waits for a session; return it as it is then, None where it is gone.

    The sum is in the session, so that of answers which come at the same time none gets past the limit.
    """
    return await _update(call, session, Changes(increment={"waitingCount": number, "waitingBytes": size}))


async def _update(call: Call, session: Session, changes: Changes) -> McpSessionDocument | None:
    """Change a session; return it as it is then, None where it is gone."""
    access = _open_sessions(call, Action.UPDATE)
    return await call.service.store.update_one(access, _match_session(call, session.name), changes)


def _match_session(call: Call, name: str) -> Predicate:
    return equals(refName=name, subject=call.principal.subject, actor=_actor_of(call))


def _actor_of(call: Call) -> str:
    return call.principal.impersonator.subject if call.principal.impersonator else ""


def _open_sessions(call: Call, action: Action) -> Access[McpSessionDocument]:
    return as_service(MCP_SESSION, call.database, action, call.principal.scope)


def _open_messages(call: Call, action: Action) -> Access[McpMessageDocument]:
    return as_service(MCP_MESSAGE, call.database, action, call.principal.scope)
