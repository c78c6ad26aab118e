"""Import sessions: a file is analysed first and committed later.

A session belongs to one caller in one realm for one record type; it does not exist for any other caller. The
session and its rows are the service's own records, gone after 24 hours.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from runtime.call import Call
from runtime.contract.charset import Charset, Quoting
from runtime.errors import NotFound, SessionNotReady
from runtime.filter import Predicate, Projection, after, by_id, equals
from runtime.model.clock import now
from runtime.model.record_type import RecordType
from runtime.principal import DomainScope
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import complete_note
from runtime.storage.store import Changes
from runtime.system.documents import ImportRowDocument, ImportSessionDocument
from runtime.system.record_types import IMPORT_ROW, IMPORT_SESSION
from runtime.transfer.csv.dialect import Dialect
from runtime.transfer.importing.targets import refers_to_itself
from runtime.transfer.rows.dynamic import Merge
from runtime.transfer.rows.reading import BATCH
from runtime.transfer.rows.row_report import Tally
from runtime.transfer.rows.rows import PLAIN, FileTerms, Outcome
from runtime.transfer.sessions.few_rows import find_few
from runtime.transfer.sessions.kept_row import build_row_documents

KEPT: Final = timedelta(hours=24)
_ROWS_OUTLIVE: Final = timedelta(hours=1)
"""How much longer rows are kept: of a session that is still there none is missing."""
_IN_ORDER: Final = (("rowNumber", 1),)

_ROW_BITS: Final = 32
_PLACE_DIGITS: Final = 19
_LAST_PLACE: Final = 10**_PLACE_DIGITS - 1


@dataclass(slots=True)
class Session:
    """One session, as it was when it was read: ``document`` is as stored.

    ``wave``: how many times rows were added; those of one wave do not depend on each other, only on rows of
    waves before.
    """

    call: Call
    document: ImportSessionDocument
    wave: int = 0

    @property
    def id(self) -> str:
        return str(self.document["_id"])

    @property
    def state(self) -> str:
        return str(self.document["state"])

    @property
    def terms(self) -> FileTerms:
        """What its rows have in common."""
        kept = self.document.get("terms")
        if kept is None:
            return PLAIN
        restores = kept.get("restoreArchived", False)
        return FileTerms(kept["key"], Merge(kept["merge"]), dict(kept["sources"]), restores)

    @property
    def dialect(self) -> Dialect:
        kept = self.document.get("dialect")
        if kept is None:  # begun by a version that did not keep it
            return Dialect()
        return Dialect(**kept | {"quoting": Quoting(kept["quoting"]), "charset": Charset(kept["charset"])})

    async def change(self, changes: Changes, **expected: str | int | bool) -> ImportSessionDocument | None:
        """Change the session and return it; None when it was not as ``expected``."""
        access = session_access(self.call, Action.UPDATE)
        match = by_id(self.id) & equals(**expected) if expected else by_id(self.id)
        return await self.call.store.update_one(access, match, changes)

    async def add(self, outcomes: Sequence[Outcome]) -> None:
        """Keep analysed rows, and count them. Raises ``SessionNotReady`` when the session was ended."""
        expires: datetime = self.document["expiresAt"] + _ROWS_OUTLIVE
        self.wave += 1
        documents = await build_row_documents(self.call, self.id, self._name_of, outcomes, expires)
        access = row_access(self.call, Action.CREATE)
        for error in (await self.call.store.insert_many(access, documents)).values():
            raise error
        tally = Tally().count(outcomes)
        counted: ImportSessionDocument = {
            "totalRows": tally.total,
            "validRows": tally.total - tally.failed,
            "errorRows": tally.failed,
            "insertCount": tally.inserts,
            "updateCount": tally.updates,
            "skipCount": tally.skips,
        }
        if await self.change(Changes(increment=counted), state="ANALYZING") is None:
            raise build_ended()

    async def read_rows(
        self,
        match: Predicate,
        *,
        beyond: int = 0,
        skip: int = 0,
        limit: int = BATCH,
        projection: Projection | None = None,
    ) -> list[ImportRowDocument]:
        """Read stored rows after row number ``beyond``, in their order, as ``find_few`` finds them."""
        match = equals(sessionId=self.id) & after(_IN_ORDER, [beyond])[0] & match
        store, access = self.call.store, row_access(self.call)
        return await find_few(store, access, match, _IN_ORDER, skip=skip, limit=limit, projection=projection)

    async def read_rows_to_commit(self, beyond: int) -> list[ImportRowDocument]:
        """Read rows without errors after the position ``beyond``, in the order of their positions.

        Of rows in waves the refNames are in that order, and have an index.
        """
        match = equals(isFailed=False)
        if not self.is_in_waves:
            return await self.read_rows(match, beyond=beyond)
        first, last = self._row_name(beyond), self._row_name(_LAST_PLACE)
        ascending, descending = (("refName", 1),), (("refName", -1),)
        place = after(ascending, [first])[0] & after(descending, [last])[0]
        match = place & equals(sessionId=self.id) & match
        return await find_few(self.call.store, row_access(self.call), match, ascending, limit=BATCH)

    def place_of(self, row_number: int, wave: int) -> int:
        """Return the position of a row in the commit: after the waves before, where there are waves."""
        return wave << _ROW_BITS | row_number if self.is_in_waves else row_number

    def is_done(self, row: ImportRowDocument) -> bool:
        """Return whether the commit is done with a row: what it would do once more is not what it did."""
        return self.place_of(row["rowNumber"], self.wave_of(row)) <= int(self.document["position"])

    def wave_of(self, row: ImportRowDocument) -> int:
        return int(row["refName"].rpartition(":")[2]) >> _ROW_BITS if self.is_in_waves else 0

    @property
    def is_in_waves(self) -> bool:
        """Whether rows may refer to records of other rows."""
        return bool(self.document.get("isInWaves"))

    def _name_of(self, found: Outcome) -> str:
        """Return the refName of the document of a row that is being added."""
        return self._row_name(self.place_of(found.row.number, self.wave))

    def _row_name(self, place: int) -> str:
        return f"{self.id}:{place:0{_PLACE_DIGITS}d}" if self.is_in_waves else f"{self.id}:{place}"

    async def count(self, match: Predicate) -> int:
        """Count the stored rows that match."""
        return await self.call.store.count(row_access(self.call), equals(sessionId=self.id) & match)


def session_access(call: Call, action: Action = Action.VIEW) -> Access[ImportSessionDocument]:
    """Return the service's own access to sessions, in the caller's tenant."""
    return as_service(IMPORT_SESSION, call.database, action, _tenant_scope(call))


def row_access(call: Call, action: Action = Action.VIEW) -> Access[ImportRowDocument]:
    """Return the service's own access to the rows of sessions, in the caller's tenant."""
    return as_service(IMPORT_ROW, call.database, action, _tenant_scope(call))


async def begin(
    call: Call,
    kind: RecordType[Any],
    parameters: dict[str, str],
    columns: Sequence[str],
    dialect: Dialect,
    terms: FileTerms = PLAIN,
) -> Session:
    """Store a new session, whose file is about to be read.

    ``terms`` are stored with it, so a later change of their profile does not change the commit. Its errors
    are written in its ``dialect``.
    """
    document: ImportSessionDocument = {
        "expiresAt": now() + KEPT,
        "recordType": kind.name,
        "realm": call.realm,
        "subject": call.principal.subject,
        "state": "ANALYZING",
        "beat": 0,
        "isInWaves": refers_to_itself(kind),
        "parameters": parameters,
        "dialect": asdict(dialect) | {"quoting": str(dialect.quoting), "charset": str(dialect.charset)},
        "columns": list(columns),
        "totalRows": 0,
        "validRows": 0,
        "errorRows": 0,
        "insertCount": 0,
        "updateCount": 0,
        "skipCount": 0,
        "position": 0,
        "inserted": 0,
        "updated": 0,
        "skipped": 0,
        "failed": 0,
    }
    if terms != PLAIN:
        sources = [[field, column] for field, column in terms.sources.items()]
        document["terms"] = {"key": terms.key, "merge": str(terms.merge), "sources": sources}
        document["terms"]["restoreArchived"] = terms.restore_archived
    document = complete_note(document, call.principal, now())
    await call.store.insert(session_access(call, Action.CREATE), document)
    return Session(call, document)


async def read_own_session(
    call: Call, kind: RecordType[Any], session_id: str, *, hidden: str | None = "DISCARDED"
) -> Session:
    """Read the caller's session of this id, not ``hidden``. Raises ``NotFound``, also for expired ones."""
    own = equals(subject=call.principal.subject, realm=call.realm, recordType=kind.name)
    with suppress(NotFound):  # of a malformed id
        found = await call.store.find_one(session_access(call), by_id(session_id) & own)
        if found is not None and found["state"] != hidden and found["expiresAt"] > now():
            return Session(call, found)
    lasting = f"a session lasts {KEPT // timedelta(hours=1)} hours"
    raise NotFound(f"you have no import session {session_id[:40]} for {kind.shown_name}; {lasting}")


def build_ended() -> SessionNotReady:
    """Build the error of a session that is not being analysed any more, though its file is still read."""
    return SessionNotReady("the session was ended while its file was read: send the file again")


def _tenant_scope(call: Call) -> DomainScope:
    return DomainScope(tenant_id=call.principal.domain.tenant_id)
