"""The reading half of a collection whose commands take the lane."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from bson import ObjectId
from bson.codec_options import CodecOptions
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.collation import Collation

from runtime.fast.wire_rows import WireRows
from runtime.storage.lane.command import Command, Document
from runtime.storage.lane.cursor import LaneCursor
from runtime.storage.lane.gathering import Alone, Answer, Gathering
from runtime.storage.lane.lane import Lane

Session = AsyncClientSession | None

_BY_ID: Final = (("_id", 1),)


def is_outside(session: Session) -> bool:
    """Whether a command has concerns of its own, in place of those of a transaction."""
    return session is None or not session.in_transaction


class LaneReads:
    """What is read of one collection."""

    def __init__(self, lane: Lane, driver: AsyncCollection[Document]) -> None:
        self.driver = driver
        self._lane = lane
        self._gathering = Gathering(self._find_by_ids)
        self._name, self._database = driver.name, driver.database.name
        self._codec: CodecOptions[Document] = driver.codec_options
        self._lenient: CodecOptions[Document] = driver._write_response_codec_options
        level = driver.read_concern.level
        self._read_concern = {"readConcern": driver.read_concern.document} if level else {}

    async def find_by_id(
        self, match: Mapping[str, Any], projection: Mapping[str, Any], number: ObjectId
    ) -> Document | None:
        """Return the document with this id if it matches, or None; sent with others of this turn."""
        with suppress(Alone):
            return await self.ask_by_id(match, projection, number)
        return await self.find_one(match, projection)

    def ask_by_id(self, match: Mapping[str, Any], projection: Mapping[str, Any], number: ObjectId) -> Answer:
        """Return what will hold what ``find_by_id`` returns; it raises ``Alone``, perhaps at once."""
        if not self._lane.may_gather():
            raise Alone
        return self._gathering.ask(match, projection, number)

    def _find_by_ids(self, match: Mapping[str, Any], projection: Mapping[str, Any], most: int) -> LaneCursor:
        return self.find(match, projection, batch_size=most + 1, hint=_BY_ID)

    def find(
        self,
        match: Mapping[str, Any],
        projection: Mapping[str, Any] | None = None,
        *,
        sort: Sequence[tuple[str, Any]] | None = None,
        skip: int = 0,
        limit: int = 0,
        batch_size: int = 0,
        collation: Collation | None = None,
        hint: Sequence[tuple[str, Any]] | None = None,
        session: Session = None,
        rows: WireRows | None = None,
    ) -> LaneCursor:
        """Return a cursor over the documents that match; nothing is sent yet. ``rows`` may decode them."""
        body: Document = {"find": self._name, "filter": match}
        if projection:
            body["projection"] = projection
        if sort:
            body["sort"] = dict(sort)
        if hint:
            body["hint"] = dict(hint)
        if skip:
            body["skip"] = skip
        if limit:
            body["limit"] = limit
        if batch_size:
            # A batch that is not filled ends the cursor.
            body["batchSize"] = batch_size + (batch_size == limit)
        return LaneCursor(self._lane, self._prepare_read(body, session, collation, rows), batch_size)

    async def find_one(
        self,
        match: Mapping[str, Any],
        projection: Mapping[str, Any] | None = None,
        *,
        session: Session = None,
    ) -> Document | None:
        """Return the first document that matches, or None."""
        body: Document = {"find": self._name, "filter": match, "limit": 1, "singleBatch": True}
        if projection:
            body["projection"] = projection
        answer = await self._lane.run(self._prepare_read(body, session))
        found: list[Document] = answer["cursor"]["firstBatch"]
        return found[0] if found else None

    async def aggregate(
        self,
        pipeline: Sequence[Mapping[str, Any]],
        *,
        session: Session = None,
        batchSize: int | None = None,
        allowDiskUse: bool | None = None,
        collation: Collation | None = None,
        rows: WireRows | None = None,
    ) -> LaneCursor:
        """Return a cursor over what the pipeline puts out; nothing is sent yet. ``rows``: as of ``find``."""
        cursor = {} if batchSize is None else {"batchSize": batchSize}
        body: Document = {"aggregate": self._name, "pipeline": list(pipeline), "cursor": cursor}
        if allowDiskUse is not None:
            body["allowDiskUse"] = allowDiskUse
        command = self._prepare_read(body, session, collation, rows, reports_write_concern=True)
        return LaneCursor(self._lane, command, batchSize or 0)

    def _prepare_read(
        self,
        body: Document,
        session: Session,
        collation: Collation | None = None,
        rows: WireRows | None = None,
        *,
        reports_write_concern: bool = False,
    ) -> Command:
        if is_outside(session):
            body |= self._read_concern
        if collation is not None:
            body["collation"] = collation.document
        return Command(
            self._database,
            body,
            self._codec,
            session=session,
            reports_write_concern=reports_write_concern,
            rows=rows,
        )
