"""Opening a session by an import profile.

The profile is found and applied as the caller: its own scope, its lookups, its hidden fields. What the commit
needs of it is stored with the session, so a later change of the profile does not change a session.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.imports import ImportResult, ProfileParameters
from runtime.errors import CsvProblem, Denied, InvalidParameter, NotFound
from runtime.filter import Projection, equals, in_tenant
from runtime.model.nearest import hint
from runtime.model.record_type import RecordType
from runtime.records.document.terms import PLAIN, Terms
from runtime.storage.access import Action
from runtime.storage.wire import Json
from runtime.system.documents import ImportProfileDocument
from runtime.system.record_types import IMPORT_PROFILE
from runtime.transfer.csv.dialect import build_dialect
from runtime.transfer.csv.reader import CsvFile
from runtime.transfer.csv.row_limits import Row
from runtime.transfer.importing.analyze import require_import_permission
from runtime.transfer.importing.renewing import renew_rights
from runtime.transfer.profiles.lookup import StoreLookups, hidden_fields
from runtime.transfer.profiles.mapper import RowMapper
from runtime.transfer.profiles.profile import Plan, prepare
from runtime.transfer.rows.reading import group_in_batches, size_of_rows
from runtime.transfer.rows.rows import InputRow
from runtime.transfer.sessions.opening import analyse_batches, find_withheld_fields, render_analysis
from runtime.transfer.sessions.session import begin

_NAMES: Final = Projection(include=("refName",))
_MOST_COMPARED: Final = 1000


async def open_profile_session(
    call: Call,
    kind: RecordType[Any],
    query: ProfileParameters,
    file: AsyncIterator[bytes],
    _terms: Terms = PLAIN,
) -> Json[ImportResult]:
    """Analyse a file as a profile reads it; the answer names the session that can be committed.

    Raises ``NotFound`` for an unknown profile, ``InvalidParameter`` for one that cannot be used here,
    ``CsvProblem`` for a file that it does not fit, and as ``open_session``.
    """
    require_import_permission(call, kind)
    plan = await _plan(call, kind, query.profile_ref_name)
    dialect = build_dialect(query)
    batches = CsvFile(file, dialect, has_header=True).read_rows()
    first = await anext(batches, None)
    if first is None:
        raise CsvProblem("the file is empty: a profile finds columns by the header line", row=0)
    layout = plan.layout(first[0][1], guard=dialect.formula_guard)
    parameters = {"profileRefName": plan.ref_name}
    terms = replace(layout.terms, restore_archived=query.restore_archived)
    session = await begin(call, kind, parameters, layout.names, dialect, terms)
    caller = call.principal
    mapper = RowMapper(
        layout, terms, realm=call.realm, session=session.id, profile=plan.ref_name,
        tenant=caller.domain.tenant_id if caller.scope.tenant_id is None else None,
    )  # fmt: skip
    rows = _map_rows(call, kind, mapper, group_in_batches(batches, size_of_rows, first[1:]))
    found = await analyse_batches(call, kind, session, rows, is_grouped=bool(layout.vertical))
    return await render_analysis(kind, found)


async def _plan(call: Call, kind: RecordType[Any], ref_name: str) -> Plan:
    profile = await _find_profile(call, ref_name)
    service = call.service
    resolvers = service.seams.row_value_resolvers
    withheld, hidden_in = find_withheld_fields(call, kind), partial(hidden_fields, call)
    return prepare(profile, kind, service.catalog, resolvers, withheld, hidden_in)


async def _find_profile(call: Call, ref_name: str) -> ImportProfileDocument:
    """Find the profile of that name, as far as the caller may see it and it is in use."""
    access = allow(call, IMPORT_PROFILE, Action.VIEW)
    if access.withheld:  # the rest would mean something else
        raise Denied("a part of import profiles is withheld from you, so you cannot import by one")
    # A caller bound to no tenant sees all tenants' profiles, and must not import by another tenant's.
    own = in_tenant(call.principal.domain.tenant_id)
    found = await call.store.find_one(access, own & equals(refName=ref_name))
    if found is None:
        rows = await call.store.find(access, own, projection=_NAMES, limit=_MOST_COMPARED)
        near = hint(ref_name, [str(row["refName"]) for row in rows])
        raise NotFound(f"no import profile has the refName {ref_name[:100]}{near}")
    if found["activeStatus"] != "ACTIVE":
        message = f"the profile {ref_name[:100]} is {found['activeStatus']}: only active ones are used"
        raise InvalidParameter(message, parameter="profileRefName")
    return found


async def _map_rows(
    call: Call, kind: RecordType[Any], mapper: RowMapper, batches: AsyncIterator[list[Row]]
) -> AsyncIterator[list[InputRow]]:
    async for rows in batches:
        async with call.turn.another():
            mapped = await mapper.read(rows, StoreLookups(await renew_rights(call, kind)))
        yield mapped
    async with call.turn.another():
        mapped = await mapper.read([], StoreLookups(await renew_rights(call, kind)), is_last=True)
    yield mapped
