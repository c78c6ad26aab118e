"""Records to which documents of another type lead, as references do: both are read in one command."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple

from bson import ObjectId
from pymongo.errors import OperationFailure

from runtime.fast.wire_rows import WireRows
from runtime.filter import Predicate, Projection
from runtime.storage.access import Access, DocumentT
from runtime.storage.lane import LaneCollection
from runtime.storage.store.across import Across
from runtime.storage.store.batches import AnyCursor, read_one_answer
from runtime.storage.store.faults import TOO_LARGE
from runtime.storage.store.stages import Stages, build_projection, needs_stages

_TOO_LARGE: Final = (*TOO_LARGE, 13548)
"""The last is what MongoDB says of joined records of more than 64 MB."""

_IDS, _DOUBT, _LINKS, _ROWS = "ids", "doubt", "links", "rows"


class Links(NamedTuple):
    """Documents that lead to records: the first ``most`` that match, in the order of the ids they lead to.

    ``path``: where in them the id is. ``doubt``: a boolean member; who asks has to look at a document in
    which it is true before they follow it. ``around``: a record that has to be found; without it nothing is.
    """

    access: Access[Any]
    match: Predicate
    path: str
    most: int
    doubt: str | None = None
    around: tuple[Access[Any], Predicate] | None = None


class Linked(NamedTuple, Generic[DocumentT]):
    """Records that were found. ``reach``: the id up to which all were looked for; None: to the last."""

    rows: list[DocumentT]
    reach: Any | None


class Linking(Across):
    """Reads of the store about records and what leads to them."""

    async def find_linked(
        self,
        access: Access[DocumentT],
        links: Links,
        match: Predicate,
        *,
        projection: Projection | None = None,
        wire: WireRows | None = None,
    ) -> Linked[DocumentT] | None:
        """Find the matching records that documents lead to, by id, in one command; all in one database.

        Each type is bound to its scope. None where one command cannot tell: in a transaction, for a text
        search, a document in doubt, records of more than 16 MB, and while a type changes its shape. With
        ``wire`` rows may have text in place of ids, decimals and timestamps.
        """
        access, first = self._spell(access), links.access if links.around is None else links.around[0]
        links = links._replace(access=self._spell(links.access))
        if self._session is not None or match.has_search:
            return None
        if any(needs_stages(self._spell(one)) for one in (access, links.access, first)):
            return None
        collection = self._collection(first)
        takes_wire = wire is not None and isinstance(collection, LaneCollection)
        decoding: dict[str, Any] = {"rows": wire} if takes_wire else {}
        stages = _build_stages(access, links, match, build_projection(access, projection))
        with self._command(access):
            try:
                cursor: AnyCursor = await collection.aggregate(stages, batchSize=2, **decoding)
                answer, _has_more = await read_one_answer(cursor)
            except OperationFailure as error:
                if error.code in _TOO_LARGE:
                    return None
                raise
        return _read_answer(answer, links)


def _build_stages(access: Access[Any], links: Links, match: Predicate, shown: Mapping[str, Any]) -> Stages:
    gathered: Stages = [
        {"$match": links.access.scoped(links.match)},
        {"$sort": {links.path: 1}},
        {"$limit": links.most},
        {"$group": {"_id": None, **_gather(links)}},
    ]
    rows = [{"$match": access.scoped(match)}, {"$project": dict(shown)}]
    joined = {"from": access.kind.collection, "foreignField": "_id", "pipeline": rows, "as": _ROWS}
    if links.around is None:
        return [*gathered, {"$lookup": {**joined, "localField": _IDS}}]
    around, condition = links.around
    leading = {"from": links.access.kind.collection, "pipeline": gathered, "as": _LINKS}
    return [
        {"$match": around.scoped(condition)},
        {"$project": {"_id": 1}},
        {"$lookup": leading},
        {"$lookup": {**joined, "localField": f"{_LINKS}.{_IDS}"}},
    ]


def _gather(links: Links) -> dict[str, Any]:
    """Gather all in one document; ``$firstN`` takes MongoDB half of what ``$push`` does."""
    ids = {"$firstN": {"input": f"${links.path}", "n": links.most}}
    return {_IDS: ids} if links.doubt is None else {_IDS: ids, _DOUBT: {"$max": f"${links.doubt}"}}


def _read_answer(answer: Sequence[Mapping[str, Any]], links: Links) -> Linked[Any] | None:
    gathered = answer if links.around is None else [one for row in answer for one in row[_LINKS]]
    if not gathered:
        return Linked([], None)
    if gathered[0].get(_DOUBT):
        return None
    ids = gathered[0][_IDS]
    reach = ObjectId(ids[-1]) if len(ids) == links.most else None
    rows = sorted(answer[0][_ROWS], key=itemgetter("_id"))  # most often they are; MongoDB takes 50 µs for it
    return Linked(rows, reach)
