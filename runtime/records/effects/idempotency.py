"""Idempotency keys: a request takes effect once, however often it is sent (``Idempotency-Key``).

A key belongs to one caller of one tenant in one realm. Its document is created before the request is done
and says who does it (``holder``) and until when (a lease). The effect and the answer to it are stored in one
transaction, on condition that the holder is still the same: ``Receipt.sign``. So after a crash either both
are there, and the answer is given again; or neither, and when the lease has ended the next try takes over,
and the earlier holder can store nothing any more. A bulk request that is not atomic keeps the result of
each operation in the operation's own transaction; the next try does the rest.

- Stored: answers, and refusals of the request itself, for 24 hours. Not stored: what is true at this moment
  only (401, 403, 429, an import session that is not ready, a version conflict) and faults (5xx); then the
  key is free again.
- A request with a file is the same only with the same file. That is known when all of it has come, so it is
  compared before an answer is given again. Refusals of files are not stored: they had no effect.
- Given again only to a caller with the same roles, scope and rules in force; else, and where the answer is
  larger than 1 MiB or has a secret, the caller learns that the request was done (``AnswerNotKept``).
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final
from uuid import uuid4

import orjson

from runtime.call import Call
from runtime.errors import (
    AccessError,
    AnswerNotKept,
    Duplicate,
    KeyInFlight,
    KeyMismatch,
    ServiceError,
    SessionNotReady,
    Throttled,
    VersionConflict,
)
from runtime.filter import by_id, equals
from runtime.model.clock import now
from runtime.permissions import RuleSet
from runtime.principal import DomainScope
from runtime.records.effects.receipts import Fingerprint, HandlerWrites, Held, build_in_flight, lease_of
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import complete_note
from runtime.storage.store import Changes
from runtime.storage.wire import Json, parse_id, to_json
from runtime.system.documents import IdempotencyKeyDocument
from runtime.system.record_types import IDEMPOTENCY_KEY

KEPT: Final = timedelta(hours=24)
_ATTEMPTS = 8
_OF_THIS_MOMENT = (AccessError, Throttled, KeyInFlight, SessionNotReady, VersionConflict)


async def run_once(
    call: Call,
    key: str,
    request: str,
    work: Callable[[Call], Awaitable[Json[Any]]],
    refused: Callable[[ServiceError], Json[Any]],
    file: Fingerprint | None = None,
) -> Json[Any]:
    """Run ``work`` at most once for ``key``, and return its answer; from then on the same answer again.

    ``request``: a digest of the whole request, except the ``file`` that ``work`` reads. ``refused``: renders
    a refusal as an answer. Raises ``KeyMismatch``, ``KeyInFlight``, ``AnswerNotKept``, and what ``work``
    raises that is not stored.
    """
    held = await _begin(call, key, request, file)
    if isinstance(held, Json):
        return held
    try:
        async with held.keep():
            return await _run_work(call, held, work, refused)
    except Exception:
        with suppress(ServiceError):  # else the lease ends by itself
            await held.release()
        raise


def share_key(call: Call) -> Call:
    """Return a call with which a handler may write several times under the key of its request."""
    return replace(call, receipt=HandlerWrites(call.receipt)) if isinstance(call.receipt, Held) else call


async def _run_work(
    call: Call,
    held: Held,
    work: Callable[[Call], Awaitable[Json[Any]]],
    refused: Callable[[ServiceError], Json[Any]],
) -> Json[Any]:
    try:
        answer = await work(replace(call, receipt=held))
    except ServiceError as error:
        if error.status >= 500 or isinstance(error, _OF_THIS_MOMENT) or held.file is not None:
            raise
        answer = refused(error)
        held.is_signed = False  # what was signed has been undone
    if not held.is_signed:
        await held.sign(call.service.store, answer)
    return answer


async def _begin(call: Call, key: str, request: str, file: Fingerprint | None) -> Held | Json[Any]:
    """Take the key for this request, or return the answer to an earlier one."""
    principal, store = call.principal, call.service.store
    scope = DomainScope(tenant_id=principal.domain.tenant_id)
    access = as_service(IDEMPOTENCY_KEY, call.database, Action.UPDATE, scope)
    name = _name(call, key)
    held = Held(store, access, name[:24], request, uuid4().hex, _rights(call), lease_of(call), file=file)
    for _attempt in range(_ATTEMPTS):
        moment = now()
        with suppress(Duplicate):
            await store.insert(access, _build_document(call, held, name, moment))
            return held
        found = await store.find_one(access, by_id(held.key_id))
        if found is None:
            continue
        if found["expiresAt"] <= moment:
            await store.delete_one(access, by_id(held.key_id) & equals(holder=found["holder"]))
            continue
        known, _, known_file = found["request"].partition(" ")
        if known != request:
            raise _build_mismatch("request")
        is_answered = found["state"] == "DONE" and "status" in found
        if not is_answered and found["leaseUntil"] > moment:
            raise build_in_flight()
        if file is not None and known_file and known_file != await file.read_digest():
            raise _build_mismatch("file")
        if found["state"] == "DONE":
            return _replay_answer(found, held.rights)
        if await _take_over(held, found, now()):
            held.parts = {int(at): orjson.loads(text) for at, text in found.get("parts", {}).items()}
            return held
    raise build_in_flight()


async def _take_over(held: Held, found: IdempotencyKeyDocument, moment: datetime) -> bool:
    abandoned = by_id(held.key_id) & equals(holder=found["holder"], state="IN_FLIGHT")
    taken = Changes(set={"holder": held.holder, "leaseUntil": moment + held.lease})
    return await held.store.update_one(held.access, abandoned, taken) is not None


def _build_mismatch(what: str) -> KeyMismatch:
    return KeyMismatch(f"this Idempotency-Key was sent with another {what}: use a new one")


def _build_document(call: Call, held: Held, name: str, moment: datetime) -> IdempotencyKeyDocument:
    fields: IdempotencyKeyDocument = {
        "request": held.request,
        "state": "IN_FLIGHT",
        "holder": held.holder,
        "leaseUntil": moment + held.lease,
        "expiresAt": moment + KEPT,
        "isBegun": False,
    }
    return complete_note(fields, call.principal, moment, record_id=parse_id(held.key_id), ref_name=name)


def _replay_answer(found: IdempotencyKeyDocument, rights: str) -> Json[Any]:
    if found["rights"] != rights:
        raise AnswerNotKept("the request was done; what you may see has changed since: read the record")
    if "status" not in found:
        raise AnswerNotKept("the request has written, and did not end: read what it has written")
    if "body" not in found:
        raise AnswerNotKept(
            "the request was done; its answer is too large to keep, or has a secret: read the record"
        )
    headers = {**found["headers"], "Idempotency-Replayed": "true"}
    return Json(found["body"].encode(), found["status"], headers)


def _name(call: Call, key: str) -> str:
    """Return the key of one caller of one tenant.

    Its first 24 digits are the id of the document, so that a second one cannot be created, whatever indexes a
    realm has.
    """
    principal = call.principal
    holder = principal.impersonator.subject if principal.impersonator else ""
    return _digest([principal.domain.tenant_id, principal.subject, holder, key])


def _rights(call: Call) -> str:
    """Return all that decides what a caller may see: when it is the same as before, so is the answer."""
    own = call.principal
    rights = [sorted(own.roles), asdict(own.scope), own.user_id, _of_rules(call.rules)]
    return _digest(rights if own.scopes is None else [*rights, sorted(own.scopes)])


@lru_cache(maxsize=64)
def _of_rules(rules: RuleSet) -> str:
    return _digest([asdict(rule) for rule in rules.rules])


def _digest(value: Any) -> str:
    return sha256(to_json(value)).hexdigest()
