"""Reading one record, by id or by name.

Answers are JSON rendered from stored documents; models are not built on the way out. What is outside the
caller's scope is not found, because the scope is part of the query.
"""

from typing import Any, TypeVar

from runtime.access.guard import allow
from runtime.call import Call
from runtime.errors import InvalidParameter, NotFound
from runtime.filter import Predicate, by_id, equals, in_tenant
from runtime.model.record import Record
from runtime.model.record_type import RecordType
from runtime.records.expansion import embed_records, plan_paths
from runtime.records.operations.actions import Actions
from runtime.records.referrers import build_back_references
from runtime.storage.access import Action
from runtime.storage.wire import Json, etag, names_tag, record_json, to_json, to_wire, without

R = TypeVar("R", bound=Record)


async def get_by_id(
    call: Call, kind: RecordType[R], record_id: str, unless: str | None, expand: str | None = None
) -> Json[R]:
    """Return one record. ``unless`` is ``If-None-Match``: 304 when it names the stored version.

    With ``expand`` there is neither an entity tag nor a 304: what is embedded has versions of its own.
    """
    return await _get(call, kind, by_id(record_id), f"id {record_id}", unless, expand)


async def get_by_ref_name(
    call: Call, kind: RecordType[R], ref_name: str, unless: str | None, expand: str | None = None
) -> Json[R]:
    """Return one record by its reference name, exact spelling; otherwise as ``get_by_id``.

    Raises ``InvalidParameter`` where several tenants have one and the caller is not bound to a tenant.
    """
    match, named = equals(refName=ref_name), f"refName {ref_name[:200]}"
    if allow(call, kind, Action.VIEW).domain.tenant_id is None:
        match = await _narrow_to_one_tenant(call, kind, match, named)
    return await _get(call, kind, match, named, unless, expand)


async def _narrow_to_one_tenant(call: Call, kind: RecordType[Any], match: Predicate, named: str) -> Predicate:
    """Prefer the caller's own record of that name; another one only where it is the only one."""
    access = allow(call, kind, Action.VIEW).to_decide()
    own = match & in_tenant(call.principal.domain.tenant_id)
    if await call.store.count(access, own, most=1):
        return own
    if await call.store.count(access, match, most=2) > 1:
        message = f"records of several tenants have the {named}: ask for the {kind.shown_name} by its id"
        raise InvalidParameter(message, parameter="refName")
    return match


async def _get(
    call: Call, kind: RecordType[R], match: Predicate, named: str, unless: str | None, expand: str | None
) -> Json[R]:
    access, actions = allow(call, kind, Action.VIEW), Actions.of(call, kind)
    embeddings = plan_paths(call, access, expand) if expand else ()
    whole = actions.depend_on_record and access.withheld
    document = await call.store.find_one(access.to_decide() if whole else access, match)
    if document is None:
        raise NotFound(f"no {kind.shown_name} has the {named}")
    if unless is not None and not embeddings and "version" in document and names_tag(unless, etag(document)):
        return Json(b"", 304, {"ETag": etag(document)})
    shown = without(document, access.hidden) if whole else document
    if "references" not in access.hidden and (referrers := await build_back_references(call, kind, document)):
        shown = shown | {"references": referrers}
    shown = shown | {"actionList": actions.on(document)}
    if embeddings:
        await embed_records(call, [shown], embeddings)
        return Json(to_json(to_wire(shown)))
    return record_json(kind, shown)
