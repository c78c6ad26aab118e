"""The operations of the gateway on import sessions, on the functions of the CSV routes."""

from collections.abc import AsyncIterator
from typing import Any, Final

from runtime.call import Call
from runtime.contract.imports import ImportParameters, ProfileParameters, RowsParameters
from runtime.errors import CsvProblem, InvalidParameter
from runtime.gateway.entering import naming_columns
from runtime.gateway.lasting import as_transfer
from runtime.gateway.root_types import find_root_type
from runtime.model.mappings import without_nones
from runtime.storage.wire import Json, to_json
from runtime.system.models.query_import_commit_request import QueryImportCommitRequest
from runtime.system.models.query_import_request import QueryImportRequest
from runtime.system.models.query_import_rows_request import QueryImportRowsRequest
from runtime.system.models.query_import_session_request import QueryImportSessionRequest
from runtime.transfer import (
    commit_session,
    end_session,
    list_rows,
    open_profile_session,
    open_session,
    require_import_permission,
)
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.csv.reader import read_first_row

_PIECE: Final = 2**14
"""Characters of a file that are looked at together for its header."""

_STORED: Final = ("inserted", "updated")


async def analyze(call: Call, body: QueryImportRequest) -> Json[Any]:
    """Analyse a file and open a session for it."""
    by_profile = body.profile is not None
    kind = find_root_type(call, body.root_type, "importProfileSession" if by_profile else "importSession")
    if by_profile and body.columns:
        raise InvalidParameter("name columns or a profile, one of the two", parameter="profile")
    require_import_permission(call, kind)
    said = {"fieldSeparator": body.field_separator, "restoreArchived": _render_flag(body.restore_archived)}
    file = _read_text(body.csv)
    with as_transfer(call), naming_columns():
        if by_profile:
            profile = ProfileParameters.model_validate(
                without_nones({"profileRefName": body.profile, **said})
            )
            return await open_profile_session(call, kind, profile, file)
        columns = ",".join(body.columns or _read_header(body))
        parameters = ImportParameters.model_validate(without_nones({"requestedColumns": columns, **said}))
        return await open_session(call, kind, parameters, file)


async def list_analysed(call: Call, body: QueryImportRowsRequest) -> Json[Any]:
    """Return a page of the analysed rows of a session."""
    kind = find_root_type(call, body.root_type, "importRows")
    require_import_permission(call, kind)
    said = {"skip": body.skip, "limit": body.limit, "onlyErrors": _render_flag(body.only_errors)}
    query = RowsParameters.model_validate(without_nones(said))
    return await list_rows(call, kind, body.session_id, query)


async def commit(call: Call, body: QueryImportCommitRequest) -> Json[Any]:
    """Store the rows of a session that have no errors."""
    kind = find_root_type(call, body.root_type, "importCommit")
    require_import_permission(call, kind)
    with as_transfer(call):
        return await commit_session(call, kind, body.session_id, expected=body.confirm)


async def discard(call: Call, body: QueryImportSessionRequest) -> Json[Any]:
    """End a session; one that does not exist, or is not the caller's, is answered as if it stored nothing."""
    kind = find_root_type(call, body.root_type, "importDiscard")
    ended = await end_session(call, kind, body.session_id)
    stored = {name: ended[name] for name in _STORED} if ended else {}
    if not any(stored.values()):
        return Json(to_json({"sessionId": body.session_id, "status": "DISCARDED"}))
    return Json(to_json({"sessionId": body.session_id, "status": "COMMITTED", **stored}))


def _render_flag(value: bool | None) -> str:
    return "true" if value else "false"


async def _read_text(text: str) -> AsyncIterator[bytes]:
    yield text.encode()


def _read_header(body: QueryImportRequest) -> list[str]:
    """Read the fields of the columns from the header line of the file."""
    pieces = (body.csv[at : at + _PIECE].encode() for at in range(0, len(body.csv), _PIECE))
    names = read_first_row(Dialect(body.field_separator or ","), pieces)
    if len(names) == 1 and body.field_separator in (None, ",") and any(sign in names[0] for sign in ";|\t"):
        raise CsvProblem("the header line has no comma: name the separator in fieldSeparator", row=0)
    if not names or any(not name.strip() or "," in name for name in names):
        raise CsvProblem("the header line does not name a field for each column: name them in columns", row=0)
    return [name.strip() for name in names]
