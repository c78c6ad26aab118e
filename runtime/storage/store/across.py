"""Reads of several record types at once, in one command or together with what other requests ask for."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

from runtime.filter import EVERYTHING, Predicate, Projection
from runtime.storage.access import Access
from runtime.storage.lane import Alone, Answer, LaneCollection
from runtime.storage.store.changes import Document
from runtime.storage.store.reads import Reads
from runtime.storage.store.stages import SOURCE, build_projection, build_union_part

_FEW: Final = 8
"""Ids that are looked up together with those of other requests."""


class Across(Reads):
    """What the store answers about records of several types."""

    async def find_across(
        self,
        access: Access[Any],
        match: Predicate,
        others: Sequence[tuple[Access[Any], Predicate]],
        projection: Projection,
        *,
        limit: int = 0,
    ) -> list[list[Document]]:
        """Return what ``find`` would for this and for each of ``others``, in one command. One database.

        With ``limit`` the first of each by ``_id``.
        """
        if self._session is not None:  # a transaction cannot join what it finds
            asked, first = ((access, match), *others), (("_id", 1),) if limit else ()
            return [
                await self.find(one, its, order=first, projection=projection, limit=limit)
                for one, its in asked
            ]
        found: list[list[Document] | None] = [None] * (1 + len(others))
        if not limit:
            found = await self._find_gathered(access, match, others, projection)
        left = [at for at, rows in enumerate(found) if rows is None]
        if left:
            (its, its_match), *rest = (((access, match), *others)[at] for at in left)
            united = await self._find_united(its, its_match, rest, projection, limit)
            for at, rows in zip(left, united, strict=True):
                found[at] = rows
        return [rows or [] for rows in found]

    async def _find_united(
        self,
        access: Access[Any],
        match: Predicate,
        others: Sequence[tuple[Access[Any], Predicate]],
        projection: Projection,
        limit: int,
    ) -> list[list[Document]]:
        pipeline = build_union_part(self._spell(access), match, projection, 0, limit)
        for at, (other, other_match) in enumerate(others, start=1):
            rows = build_union_part(self._spell(other), other_match, projection, at, limit)
            pipeline.append({"$unionWith": {"coll": other.kind.collection, "pipeline": rows}})
        found: list[list[Document]] = [[] for _each in (access, *others)]
        with self._command(access):
            cursor = await self._collection(access).aggregate(pipeline, session=self._session)
            for document in await cursor.to_list():
                found[document.pop(SOURCE)].append(document)
        return found

    async def _find_gathered(
        self,
        access: Access[Any],
        match: Predicate,
        others: Sequence[tuple[Access[Any], Predicate]],
        projection: Projection,
    ) -> list[list[Document] | None]:
        """Find what names a few ids together with what other requests ask for; None where that cannot be."""
        asked = ((access, match), *others)
        answers = [self._ask(*one, projection) for one in asked]
        try:
            return [
                None if some is None else await self._receive(its, some)
                for (its, _match), some in zip(asked, answers, strict=True)
            ]
        finally:
            for answer in chain.from_iterable(some or () for some in answers):
                answer.cancel()

    async def _receive(self, access: Access[Any], answers: Sequence[Answer]) -> list[Document] | None:
        with self._command(access):
            try:
                return [row for answer in answers if (row := await answer) is not None]
            except Alone:
                return None

    def _ask(self, access: Access[Any], match: Predicate, projection: Projection) -> list[Answer] | None:
        access, collection = self._spell(access), self._collection(access)
        is_plain = access.spelling is None and not access.renamed
        if not (is_plain and isinstance(collection, LaneCollection) and 0 < len(match.record_ids) <= _FEW):
            return None
        shown, answers = build_projection(access, projection), list[Answer]()
        match, numbers = EVERYTHING, dict.fromkeys(match.record_ids)
        try:
            for number in numbers:
                answers.append(collection.ask_by_id(access.scoped(match), shown, number))
        except Alone:
            for answer in answers:
                answer.cancel()
            return None
        return answers
