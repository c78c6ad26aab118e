"""Pages of records that depend on documents of other types, read with them in one command."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, TypeAlias

from bson import ObjectId
from pymongo.errors import OperationFailure

from runtime.fast.wire_rows import WireRows
from runtime.filter import Order, Predicate, Projection
from runtime.storage.access import Access, DocumentT
from runtime.storage.lane import LaneCollection
from runtime.storage.store.across import Across
from runtime.storage.store.batches import AnyCursor, read_one_answer
from runtime.storage.store.changes import Document
from runtime.storage.store.faults import TOO_LARGE
from runtime.storage.store.stages import SOURCE, Stages, build_find_stages, build_projection, needs_stages

_TOO_LARGE: Final = (*TOO_LARGE, 13548)
"""The last is what MongoDB says of joined records of more than 64 MB."""

_BY_ID: Final = Order((("_id", 1),))
_IDS, _ROWS = "ids", "rows"
_UNLESS, _GIVEN = "unless", "given"
_MOST_SIGNS: Final = 2

Sought: TypeAlias = tuple[Access[Any], Predicate]
"""Which documents of a type are looked for."""


class Linked(NamedTuple, Generic[DocumentT]):
    """Records that were found. ``reach``: the id up to which all were looked for; None: to the last."""

    rows: list[DocumentT]
    reach: Any | None


class Opposed(Exception):
    """A document stands against an answer."""


class Links(NamedTuple):
    """The records to which the first ``most`` of some documents lead, in the order of the ids they lead to.

    ``path``: where in the documents the id is.
    """

    access: Access[Any]
    match: Predicate
    path: str
    most: int

    def accesses(self, access: Access[Any]) -> Sequence[Access[Any]]:
        """Return whatever is read, beginning with what the command is sent to."""
        return self.access, access

    def build_stages(self, access: Access[Any], match: Predicate, projection: Projection | None) -> Stages:
        """Build what gathers the ids and joins the records; ``$firstN`` takes MongoDB half of ``$push``."""
        ids = {"$firstN": {"input": f"${self.path}", "n": self.most}}
        rows = [{"$match": access.scoped(match)}, {"$project": build_projection(access, projection)}]
        joined = {"localField": _IDS, "foreignField": "_id", "pipeline": rows, "as": _ROWS}
        return [
            {"$match": self.access.scoped(self.match)},
            {"$sort": {self.path: 1}},
            {"$limit": self.most},
            {"$group": {"_id": None, _IDS: ids}},
            {"$lookup": {"from": access.kind.collection, **joined}},
        ]

    def read(self, answer: Sequence[Document]) -> Linked[Any]:
        if not answer:
            return Linked([], None)
        (found,) = answer
        rows = sorted(found[_ROWS], key=itemgetter("_id"))  # most often they are; MongoDB takes 50 µs for it
        return _link(rows, found[_IDS], self.most)


class Provided(NamedTuple):
    """The first ``most`` records that match, by id, as far as documents of other types allow this answer.

    ``unless``: one of these stands against it (``Opposed``). ``given``: without one of these it is empty.
    """

    match: Predicate
    most: int
    unless: Sought | None = None
    given: Sought | None = None

    def accesses(self, access: Access[Any]) -> Sequence[Access[Any]]:
        """Return whatever is read, beginning with what the command is sent to."""
        return access, *(one for one, _match in self._sought().values())

    def build_stages(self, access: Access[Any], match: Predicate, projection: Projection | None) -> Stages:
        """Build what finds the records, and behind them a sign of each that is sought and there."""
        shown = build_projection(access, projection)
        page = build_find_stages(access, self.match & match, _BY_ID, shown, limit=self.most)
        return [*page, *(_build_sign(name, *sought) for name, sought in self._sought().items())]

    def read(self, answer: Sequence[Document]) -> Linked[Any]:
        """Return what was found. Raises ``Opposed``."""
        rows, signs = list(answer), set()
        while rows and (sign := rows[-1].get(SOURCE)):
            signs.add(sign)
            rows.pop()
        if _UNLESS in signs:
            raise Opposed
        if self.given and _GIVEN not in signs:
            return Linked([], None)
        return _link(rows, [row["_id"] for row in rows], self.most)

    def _sought(self) -> Mapping[str, Sought]:
        both = {_UNLESS: self.unless, _GIVEN: self.given}
        return {name: sought for name, sought in both.items() if sought}


class Linking(Across):
    """Reads of the store about records and documents on which they depend."""

    async def find_linked(
        self,
        access: Access[DocumentT],
        asked: Links | Provided,
        match: Predicate,
        *,
        projection: Projection | None = None,
        wire: WireRows | None = None,
    ) -> Linked[DocumentT] | None:
        """Find those of the records that match, by id, in one command; all in one database.

        Each type is bound to its scope. None where one command cannot tell: in a transaction, for a text
        search, for records of more than 16 MB, and while a type changes its shape. Raises ``Opposed``.
        With ``wire`` rows may have text in place of ids, decimals and timestamps.
        """
        read = [self._spell(one) for one in asked.accesses(access)]
        if self._session is not None or match.has_search or any(map(needs_stages, read)):
            return None
        collection, stages = self._collection(read[0]), asked.build_stages(access, match, projection)
        takes_wire = wire is not None and isinstance(collection, LaneCollection)
        decoding: dict[str, Any] = {"rows": wire} if takes_wire else {}
        with self._command(access):
            try:
                # A batch that is not filled ends the cursor.
                cursor: AnyCursor = await collection.aggregate(
                    stages, batchSize=asked.most + _MOST_SIGNS + 1, **decoding
                )
                answer, is_cut = await read_one_answer(cursor)
            except OperationFailure as error:
                if error.code in _TOO_LARGE:
                    return None
                raise
        return None if is_cut else asked.read(answer)


def _build_sign(name: str, access: Access[Any], match: Predicate) -> Document:
    stages = [
        {"$match": access.scoped(match)},
        {"$limit": 1},
        {"$project": {"_id": 0, SOURCE: {"$literal": name}}},
    ]
    return {"$unionWith": {"coll": access.kind.collection, "pipeline": stages}}


def _link(rows: list[Document], ids: Sequence[Any], most: int) -> Linked[Any]:
    return Linked(rows, ObjectId(ids[-1]) if len(ids) == most else None)
