"""A collection whose commands take the lane: those methods of the driver's class that the store calls.

Arguments, results and errors are the driver's. ``driver`` is the collection itself, for everything else.
Sessions are for transactions: outside of one their reads are not made causal.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from bson import ObjectId
from pymongo import UpdateMany, UpdateOne
from pymongo.asynchronous.bulk import _AsyncBulk
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.common import validate_ok_for_update
from pymongo.errors import DocumentTooLarge
from pymongo.helpers_shared import _check_write_command_response
from pymongo.results import BulkWriteResult, DeleteResult, InsertManyResult, InsertOneResult, UpdateResult

from runtime.storage.lane.bulk import finish, raise_passing
from runtime.storage.lane.command import Command, Document
from runtime.storage.lane.lane import Lane
from runtime.storage.lane.reads import LaneReads, Session, is_outside
from runtime.storage.lane.session import build_write_concern

Update = Mapping[str, Any] | list[Document]

_MOST_AT_ONCE: Final = 2000


class LaneCollection(LaneReads):
    """The commands of one collection."""

    def __init__(self, lane: Lane, driver: AsyncCollection[Document]) -> None:
        super().__init__(lane, driver)
        self._write_concern = build_write_concern(driver.write_concern)

    async def insert_one(self, document: Document, *, session: Session = None) -> InsertOneResult:
        """Insert one document, which gets an id if it has none."""
        if "_id" not in document:
            document["_id"] = ObjectId()
        await self._lane.run(self.prepare_insert([document], session))
        return InsertOneResult(document["_id"], True)

    def prepare_insert(self, documents: list[Document], session: Session) -> Command:
        """Prepare the insert of documents that have ids, as for ``LaneSession.commit_with``."""
        return self._prepare_write({"insert": self._name, "ordered": True, "documents": documents}, session)

    async def insert_many(
        self, documents: Sequence[Document], *, ordered: bool = True, session: Session = None
    ) -> InsertManyResult:
        """Insert documents, of which each gets an id if it has none."""
        bulk = _AsyncBulk(self.driver, ordered, None)
        for document in documents:
            bulk.add_insert(document)
        await self._write_many("insert", "documents", bulk, session)
        return InsertManyResult([document["_id"] for document in documents], True)

    async def bulk_write(
        self, requests: Sequence[UpdateOne | UpdateMany], *, ordered: bool = True, session: Session = None
    ) -> BulkWriteResult:
        """Run several updates as one command."""
        bulk = _AsyncBulk(self.driver, ordered, None)
        for request in requests:
            request._add_to_bulk(bulk)
        return BulkWriteResult(await self._write_many("update", "updates", bulk, session), True)

    async def _write_many(self, name: str, member: str, bulk: _AsyncBulk, session: Session) -> Document:
        """Return the full result of the driver, which sends what has to be split."""
        if 0 < len(bulk.ops) <= _MOST_AT_ONCE and self._lane.is_ready():
            (run,) = bulk.gen_unordered()  # all are of one kind
            body = {name: self._name, "ordered": bulk.ordered, member: run.ops}
            with suppress(DocumentTooLarge):
                command = self._prepare_write(
                    body, session, is_retryable=bulk.is_retryable, check=raise_passing(run)
                )
                return finish(run, await self._lane.run(command))
        result: Document = await bulk.execute(self.driver._write_concern_for(session), session, name)
        return result

    async def update_one(
        self, match: Mapping[str, Any], update: Update, *, session: Session = None
    ) -> UpdateResult:
        """Change the first document that matches."""
        return await self._update(match, update, False, session)

    async def update_many(
        self, match: Mapping[str, Any], update: Update, *, session: Session = None
    ) -> UpdateResult:
        """Change all documents that match."""
        return await self._update(match, update, True, session)

    async def _update(
        self, match: Mapping[str, Any], update: Update, is_many: bool, session: Session
    ) -> UpdateResult:
        validate_ok_for_update(update)
        statement = {"q": match, "u": update, "multi": is_many, "upsert": False}
        body = {"update": self._name, "ordered": True, "updates": [statement]}
        command = self._prepare_write(body, session, is_retryable=not is_many)
        return UpdateResult(await self._lane.run(command), True)

    async def delete_one(self, match: Mapping[str, Any], *, session: Session = None) -> DeleteResult:
        """Delete the first document that matches."""
        return await self._delete(match, 1, session)

    async def delete_many(self, match: Mapping[str, Any], *, session: Session = None) -> DeleteResult:
        """Delete all documents that match."""
        return await self._delete(match, 0, session)

    async def _delete(self, match: Mapping[str, Any], most: int, session: Session) -> DeleteResult:
        body = {"delete": self._name, "ordered": True, "deletes": [{"q": match, "limit": most}]}
        command = self._prepare_write(body, session, is_retryable=most == 1)
        return DeleteResult(await self._lane.run(command), True)

    async def find_one_and_update(
        self,
        match: Mapping[str, Any],
        update: Update,
        *,
        projection: Mapping[str, Any] | None = None,
        return_document: bool = False,
        session: Session = None,
    ) -> Document | None:
        """Change one document; return it as it was before, or is after."""
        validate_ok_for_update(update)
        body: Document = {"findAndModify": self._name, "query": match, "new": return_document}
        body["update"] = update
        if projection is not None:
            body["fields"] = projection
        body["upsert"] = False
        command = self._prepare_write(body, session)._replace(codec=self._codec, reports_write_concern=True)
        answer = await self._lane.run(command)
        found: Document | None = answer.get("value")
        return found

    def _prepare_write(
        self,
        body: Document,
        session: Session,
        *,
        is_retryable: bool = True,
        check: Callable[[Document], None] = _check_write_command_response,
    ) -> Command:
        if is_outside(session):
            body |= self._write_concern
        return Command(
            self._database,
            body,
            self._lenient,
            is_read=False,
            is_retryable=is_retryable and self._lane.retries_writes,
            session=session,
            check=check,
        )
