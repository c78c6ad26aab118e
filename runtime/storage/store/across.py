"""Reads of several record types at once, in one command or together with what other requests ask for."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
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
    """Reads of the store about records of several types."""

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
        found = None if limit else await self._find_gathered(access, match, others, projection)
        return found or await self._find_united(access, match, others, projection, limit)

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
        for document in await self._aggregate(access, pipeline):
            found[document.pop(SOURCE)].append(document)
        return found

    async def _find_gathered(
        self,
        access: Access[Any],
        match: Predicate,
        others: Sequence[tuple[Access[Any], Predicate]],
        projection: Projection,
    ) -> list[list[Document]] | None:
        """Find what names a few ids together with what other requests ask for; None where that cannot be.

        Its time is recorded as that of one command, unless there was none.
        """
        asked = [(self._spell(one), its) for one, its in ((access, match), *others)]
        if not all(self._may_gather(one, its) for one, its in asked):
            return None
        answers: list[list[Answer]] = [[] for _each in asked]
        try:
            with suppress(Alone), self._command(access):
                for (one, its), own in zip(asked, answers, strict=True):
                    own.extend(self._ask(one, its, projection))
                return [[row for answer in own if (row := await answer) is not None] for own in answers]
        finally:
            _cancel_all(answers)
        return None

    def _may_gather(self, access: Access[Any], match: Predicate) -> bool:
        is_plain = access.spelling is None and not access.renamed
        return is_plain and 0 < len(match.record_ids) <= _FEW

    def _ask(self, access: Access[Any], match: Predicate, projection: Projection) -> Iterator[Answer]:
        collection, shown = self._collection(access), build_projection(access, projection)
        if not isinstance(collection, LaneCollection):
            raise Alone
        match, numbers = EVERYTHING, dict.fromkeys(match.record_ids)
        for number in numbers:
            yield collection.ask_by_id(access.scoped(match), shown, number)


def _cancel_all(answers: Iterable[list[Answer]]) -> None:
    """Cancel what is not answered, and empty the lists: the traceback of an error holds them, and they it."""
    for own in answers:
        for answer in own:
            answer.cancel()
        own.clear()
