"""Explanations for the operator, who sees all: what the command line asks (``recordsmith explain``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.access.asking import build_call
from runtime.call import Call, Service, Subject
from runtime.errors import NotFound
from runtime.explain.assessment import assess, kind_of, require_known
from runtime.explain.explanations import (
    add_obstacles,
    find_record,
    no_records,
    no_such,
    read_decision,
    rebuild_call,
    render_decision,
    still_denied,
    subject_of,
)
from runtime.explain.telling import View, answer_of
from runtime.identity.documents import Document
from runtime.identity.users.users import everywhere, users_of
from runtime.model.record_type import RecordType
from runtime.principal import DomainContext, DomainScope, Principal
from runtime.seams import User, UserKey
from runtime.storage.as_service import as_service

_ALL = View(DomainScope())


async def explain_user(
    service: Service, realm: str, user_id: str, subject: Subject, resource: str | None = None
) -> Mapping[str, Any]:
    """As ``POST /security/permission/check`` answers about a user of a realm.

    Raises ``NotFound`` for a realm, user or record that is not there, ``ValidationFailed``.
    """
    require_known(service, subject)
    asker = await _open_operator_call(service, realm)
    would_be, against = await build_call(
        asker, await _find_user(service, realm, UserKey(user_id=user_id)), realm
    )
    kind = kind_of(service, subject)
    document = None if resource is None else await _find_resource(asker, kind, resource)
    verdict = add_obstacles(assess(would_be, subject, document), against)
    named = None if document is None else str(document["_id"])
    return answer_of(would_be, subject, verdict, _ALL, named)


async def explain_decision(service: Service, realm: str, decision_id: str) -> Mapping[str, Any]:
    """As ``GET /security/permission/decision/{id}`` answers, of any caller. Raises ``NotFound``."""
    asker = await _open_operator_call(service, realm)
    access = as_service(service.system.decision, asker.database)
    kept = await read_decision(service.store, access, decision_id)
    subject = subject_of(kept)
    if subject is None:
        return render_decision(kept, None, None, _ALL)
    target, against = await _open_caller_now(asker, kept)
    kind, named = kind_of(service, subject), kept.get("resource")
    document = None
    if kind is not None and named is not None:
        document = await find_record(service.store, as_service(kind, asker.database), named)
    verdict = add_obstacles(assess(target, subject, document), against)
    denied = still_denied(verdict, is_found=named is None or document is not None)
    return render_decision(kept, verdict, denied, _ALL)


async def _open_operator_call(service: Service, realm: str) -> Call:
    """Where the operator asks. It is nobody's caller, hence gets leave for nothing."""
    database = await service.realms.database(realm)
    if database is None:
        raise NotFound(f"the realm {realm} does not exist")
    nobody = Principal("operator", "", frozenset(), DomainContext(tenant_id="", default_realm=realm))
    return Call(service, nobody, realm, database, "")


async def _find_user(service: Service, realm: str, key: UserKey) -> User:
    return await users_of(service).find_user(key, everywhere(realm))


async def _open_caller_now(asker: Call, kept: Document) -> tuple[Call, tuple[str, ...]]:
    try:
        user = await _find_user(asker.service, asker.realm, UserKey(subject=kept["subject"]))
    except NotFound:
        return await rebuild_call(asker, kept), ()
    return await build_call(asker, user, asker.realm)


async def _find_resource(asker: Call, kind: RecordType[Any] | None, named: str) -> Document:
    if kind is None:
        raise no_records()
    found = await find_record(asker.service.store, as_service(kind, asker.database), named)
    if found is None:
        raise no_such(kind, named)
    return found
