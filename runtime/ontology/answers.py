"""``hasEdge`` in filters: which records have an edge with a record, as far as the caller may know."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from runtime.access.guard import allow
from runtime.call import Call
from runtime.errors import FilterType, TooWide
from runtime.filter import Projection, by_id, equals, refers_to
from runtime.filter.syntax import EdgeKind
from runtime.model.documents import tenant_of
from runtime.model.nearest import did_you_mean, nearest
from runtime.model.record_type import Catalog, RecordType
from runtime.ontology.edges import ENDS, WITH_REASON, EdgeStore, read_ends
from runtime.ontology.rules import Rules
from runtime.ontology.visible import Viewer, ends_of
from runtime.storage.access import Action

MOST_ENDS: Final = 10_000
"""Records that one condition may match; each is an id in the command that follows."""

_PLACE: Final = Projection(include=("dataDomain",))


class EdgeAnswers:
    """The edges of all tenants, as one caller at a time may ask for them."""

    def __init__(self, catalog: Catalog, most: int) -> None:
        self.rules = Rules(catalog.relationships)
        self._most = most

    def check(self, call: Call, kind: RecordType[Any], side: EdgeKind, predicate: str) -> None:
        """Check that records of a type can have such edges.

        Raises ``FilterType``, and ``Denied`` where the caller may not view what they lead to.
        """
        sides = list(self._list_sides(kind, side, predicate))
        if not sides:
            raise self._refuse(kind, side, predicate)
        for _key, other in sides:
            allow(call, call.service.catalog[other], Action.VIEW)

    async def find_ends(
        self, call: Call, kind: RecordType[Any], side: EdgeKind, predicate: str, record_id: str
    ) -> Sequence[str]:
        """Find the records of a type that have such an edge with a record. Raises ``TooWide``.

        A record that the caller may not view has no edges.
        """
        found: dict[str, None] = {}
        for own, other in self._list_sides(kind, side, predicate):
            access = allow(call, call.service.catalog[other], Action.VIEW)
            target = await call.store.find_one(access.to_decide(), by_id(record_id), projection=_PLACE)
            if target is None:
                continue
            edges = EdgeStore(self.rules, call.store, call.database, tenant_of(target))
            found |= dict.fromkeys(await self._find_with(call, edges, own, predicate, record_id))
        return list(found)

    async def _find_with(
        self, call: Call, edges: EdgeStore, own: str, predicate: str, record_id: str
    ) -> list[str]:
        """Find the ids at one end of the edges of a predicate that have a record at the other."""
        other = "destination" if own == "source" else "source"
        match = equals(predicate=predicate) & refers_to([f"{other}.id"], [record_id])
        viewer = Viewer(call, edges, self._most)
        is_sure = viewer.sees_all(predicate)
        shown = ENDS if is_sure else WITH_REASON
        rows = await call.store.find(edges.access(), match, projection=shown, limit=MOST_ENDS + 1)
        if len(rows) > MOST_ENDS:
            message = f"{predicate} connects the record with more than {MOST_ENDS} others"
            raise TooWide(f"{message}: ask for a record with fewer edges", field=predicate)
        if is_sure:
            return [str(getattr(read_ends(row), own)) for row in rows]
        return [str(getattr(one.edge, own)) for one in await viewer.find_visible(rows)]

    def _list_sides(self, kind: RecordType[Any], side: EdgeKind, predicate: str) -> Iterator[tuple[str, str]]:
        """Yield which ends of such edges records of a type can be, with the type of the other end."""
        if predicate not in self.rules.relationships:
            return
        domain, range_ = ends_of(self.rules, predicate)
        if side is not EdgeKind.INCOMING and domain == kind.name:
            yield "source", range_
        if side is not EdgeKind.OUTGOING and range_ == kind.name:
            yield "destination", domain

    def _refuse(self, kind: RecordType[Any], side: EdgeKind, predicate: str) -> FilterType:
        fitting = [name for name in self.rules.relationships if any(self._list_sides(kind, side, name))]
        near = nearest(predicate, fitting)
        if predicate in self.rules.relationships:
            domain, range_ = ends_of(self.rules, predicate)
            message = f"{side}({predicate}, …): {predicate} leads from {domain} to {range_}"
            message += f", and a {kind.name} is not at that end"
        else:
            message = f"no predicate is called {predicate[:80]}{did_you_mean(near)}"
        return FilterType(message, field=str(side), type="predicate", value=predicate[:80], nearest=near)
