"""``hasEdge`` in filters: which records have an edge with a record, as far as the caller may know."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from runtime.access.guard import allow
from runtime.bounded_cache import BoundedCache
from runtime.call import Call
from runtime.errors import FilterType, TooWide
from runtime.filter import Predicate, Projection, after, by_id, by_id_range, equals, refers_to
from runtime.filter.syntax import EdgeKind
from runtime.model.catalog import Catalog
from runtime.model.documents import tenant_of
from runtime.model.nearest import did_you_mean, nearest
from runtime.model.record_type import RecordType
from runtime.ontology.by_field import find_field
from runtime.ontology.edges import WITH_REASON, EdgeStore
from runtime.ontology.rules import Around, Edge, Rules
from runtime.ontology.visible import Row, Viewer, ends_of, list_visible
from runtime.sources import Ends, ReadLinked, Window
from runtime.storage.access import Access, Action
from runtime.storage.store import Linked, Links, Provided

MOST_ENDS: Final = 10_000
"""Records that one condition may match; each is an id in the command that follows."""

_MOST_INFERRED: Final = 1000
"""Questions that a field did not answer alone; it is not asked again."""

_PLACE: Final = Projection(include=("dataDomain",))
_SHORT: Final = {
    (own, is_sure): Projection(
        include=(f"{own}.id",) if is_sure else (f"{own}.id", "inferred"), may_fill=True
    )
    for own in ("source", "destination")
    for is_sure in (True, False)
}
"""What an index alone returns of edges."""


class _Asked(NamedTuple):
    """The records at the ``own`` end of edges that have a record at the other."""

    own: str
    predicate: str
    record_id: str


class EdgeAnswers:
    """The edges of all tenants, as one caller at a time may ask for them."""

    def __init__(self, catalog: Catalog, most: int) -> None:
        self.rules = Rules(catalog.relationships)
        self._catalog = catalog
        self._most = most
        references = [one for kind in catalog for one in kind.references]
        self._fields = {
            (own, name): find_field(references, self.rules, Around(name, "", is_leaving=own == "destination"))
            for own in ("source", "destination")
            for name in self.rules.relationships
        }
        self._inferred: BoundedCache[tuple[str, _Asked], bool] = BoundedCache(_MOST_INFERRED)

    def check(self, call: Call, kind: RecordType[Any], side: EdgeKind, predicate: str) -> None:
        """Check that records of a type can have such edges.

        Raises ``FilterType``, and ``Denied`` where the caller may not view what they lead to.
        """
        sides = list(self._list_sides(kind, side, predicate))
        if not sides:
            raise self._refuse(call, kind, side, predicate)
        for _key, other in sides:
            allow(call, call.service.catalog[other], Action.VIEW)

    async def find_ends(
        self,
        call: Call,
        kind: RecordType[Any],
        side: EdgeKind,
        predicate: str,
        record_id: str,
        window: Window | None = None,
    ) -> Ends:
        """Find the ids of the records of a type that have such an edge with a record. Raises ``TooWide``.

        A record that the caller may not view has no edges. With a ``window`` the ids may be of records that
        the caller may not view: who asks so looks for records under an ``Access`` to view them.
        """
        parts = []
        for own, other in self._list_sides(kind, side, predicate):
            access = allow(call, call.service.catalog[other], Action.VIEW)
            viewer = await self._find_viewer(call, access, predicate, record_id)
            if viewer is not None:
                parts.append(await self._find_with(viewer, own, predicate, record_id, window))
        if len(parts) == 1:
            return parts[0]
        reaches = [part.reach for part in parts if part.reach is not None]
        return Ends(list({one: None for part in parts for one in part.ids}), min(reaches, default=None))

    async def find_linked(
        self,
        call: Call,
        kind: RecordType[Any],
        side: EdgeKind,
        predicate: str,
        record_id: str,
        window: Window,
        read: ReadLinked,
    ) -> Linked[Any] | None:
        """Find these records and what shows their edges in one command; None where that takes several.

        That is where edges have to be looked at: inferred ones, and those of fields that the caller may not
        see, if they do not see all that such edges follow from.
        """
        sides = list(self._list_sides(kind, side, predicate))
        if len(sides) != 1:
            return None
        ((own, other),) = sides
        access = allow(call, call.service.catalog[other], Action.VIEW)
        tenant = access.domain.tenant_id
        if tenant is None:
            return None
        viewer, asked = self._view(call, tenant), _Asked(own, predicate, record_id)
        by_field = self._plan_by_field(viewer, access, asked, window)
        if by_field is not None:
            if (found := await read(by_field)) is not None:
                return found
            self._inferred.keep((call.database, asked), True)
        if not viewer.sees_all(predicate):
            return None
        match = _match_edges(own, predicate, record_id, window)
        return await read(Links(viewer.edges.access(), match, f"{own}.id", window.most))

    def _plan_by_field(
        self, viewer: Viewer, access: Access, asked: _Asked, window: Window
    ) -> Provided | None:
        """Plan to read the records whose field states an edge; None where others are known to have one.

        ``access``: to view the record at the other end, which who sees all need not view.
        """
        field = self._fields[asked.own, asked.predicate]
        if field is None or not viewer.sees_statements(field.predicate):
            return None
        if self._inferred.use((viewer.call.database, asked)):
            return None
        sees_all, roots = viewer.sees_all(asked.predicate), field.list_roots(asked.record_id)
        return Provided(
            by_id_range(window.after, None) & field.match(asked.record_id),
            window.most,
            unless=(viewer.edges.access(), viewer.edges.match(roots)) if roots else None,
            given=None if sees_all else (access.to_decide(), by_id(asked.record_id)),
        )

    async def _find_viewer(self, call: Call, access: Access, predicate: str, record_id: str) -> Viewer | None:
        """Return what the caller sees of the edges around a record; None where it may not view the record.

        Who sees all of its own tenant that such edges follow from sees what they lead to: that is not read.
        """
        own = access.domain.tenant_id
        if own is not None and (viewer := self._view(call, own)).sees_all(predicate):
            return viewer
        target = await call.store.find_one(access.to_decide(), by_id(record_id), projection=_PLACE)
        return None if target is None else self._view(call, tenant_of(target))

    def _view(self, call: Call, tenant: str) -> Viewer:
        return Viewer(call, EdgeStore(self.rules, call.store, call.database, tenant), self._most)

    async def _find_with(
        self, viewer: Viewer, own: str, predicate: str, record_id: str, window: Window | None
    ) -> Ends:
        """Find the ids at one end of the edges of a predicate that have a record at the other."""
        match, order = _match_edges(own, predicate, record_id, window), ((f"{own}.id", 1),)
        most, is_sure = MOST_ENDS + 1 if window is None else window.most, viewer.sees_all(predicate)
        # Where the records at these ends are looked at later, a stated edge needs nothing but its field.
        is_short = is_sure or (window is not None and viewer.sees_statements(predicate))
        shown = _SHORT[own, is_sure] if is_short else WITH_REASON
        edges: Access[Any] = viewer.edges.access()
        rows = await viewer.call.store.find(edges, match, order=order, projection=shown, limit=most)
        if window is None and len(rows) == most:
            message = f"{predicate} connects the record with more than {MOST_ENDS} others"
            raise TooWide(f"{message}: ask for a record with fewer edges", field=predicate)
        reach = rows[-1][own]["id"] if len(rows) == most else None
        if is_short and not is_sure:
            return Ends(await _find_known(viewer, rows, own, predicate, record_id), reach)
        if not is_sure:
            rows = await _find_visible(viewer, rows, own_is_checked=window is not None)
        return Ends([row[own]["id"] for row in rows], reach)

    def _list_sides(self, kind: RecordType[Any], side: EdgeKind, predicate: str) -> Iterator[tuple[str, str]]:
        """Yield which ends of such edges records of a type can be, with the type of the other end."""
        if predicate not in self.rules.relationships:
            return
        domain, range_ = ends_of(self.rules, predicate)
        if side is not EdgeKind.INCOMING and domain == kind.name:
            yield "source", range_
        if side is not EdgeKind.OUTGOING and range_ == kind.name:
            yield "destination", domain

    def _refuse(self, call: Call, kind: RecordType[Any], side: EdgeKind, predicate: str) -> FilterType:
        visible = list_visible(call, self.rules)
        fitting = [name for name in visible if any(self._list_sides(kind, side, name))]
        near = nearest(predicate, fitting)
        if predicate in visible:
            domain, range_ = (self._catalog[one].shown_name for one in ends_of(self.rules, predicate))
            message = f"{side}({predicate}, …): {predicate} leads from {domain} to {range_}"
            message += f", and a {kind.shown_name} is not at that end"
        else:
            message = f"no predicate is called {predicate[:80]}{did_you_mean(near)}"
        return FilterType(message, field=str(side), type="predicate", value=predicate[:80], nearest=near)


def _match_edges(own: str, predicate: str, record_id: str, window: Window | None) -> Predicate:
    """Match the edges that a record has by a predicate; ``own``: the other end of them."""
    other = "destination" if own == "source" else "source"
    match = equals(predicate=predicate) & refers_to([f"{other}.id"], [record_id])
    if window is None or window.after is None:
        return match
    return match & after(((f"{own}.id", 1),), [window.after])[0]


async def _find_visible(viewer: Viewer, rows: Sequence[Row], *, own_is_checked: bool) -> list[Row]:
    """Return those edges of a record, which the caller may view, that they may know of.

    ``own_is_checked``: the records at the other ends will only be used if they may be viewed, so that those
    of stated edges need not be read here.
    """
    stated, others = list[Row](), list[Row]()
    for row in rows:
        (stated if own_is_checked and viewer.shows_statement(row) else others).append(row)
    return [*stated, *(one.row for one in await viewer.find_visible(others))]


async def _find_known(
    viewer: Viewer, rows: Sequence[Row], own: str, predicate: str, record_id: str
) -> list[Any]:
    """Find the ids at one end of those edges of a record that are stated or can be proven to the caller."""
    inferred = {
        Edge(predicate, str(row[own]["id"]), record_id)
        if own == "source"
        else Edge(predicate, record_id, str(row[own]["id"])): row[own]["id"]
        for row in rows
        if row["inferred"]
    }
    proven = await viewer.find_proven(inferred)
    stated = [row[own]["id"] for row in rows if not row["inferred"]]
    return [*stated, *(inferred[edge] for edge in proven)]
