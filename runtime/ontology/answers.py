"""``hasEdge`` in filters: which records have an edge with a record, as far as the caller may know."""

from collections.abc import Iterator
from typing import Any, Final

from runtime.access.guard import allow
from runtime.bounded_cache import BoundedCache
from runtime.call import Call
from runtime.errors import FilterType
from runtime.filter import Projection, any_of, by_id, by_id_range, in_tenant
from runtime.filter.syntax import EdgeKind
from runtime.model.catalog import Catalog
from runtime.model.documents import tenant_of
from runtime.model.nearest import did_you_mean, nearest
from runtime.model.record_type import RecordType
from runtime.ontology.by_field import ByField, find_field
from runtime.ontology.edges import EdgeStore
from runtime.ontology.ends import Asked, find_ends
from runtime.ontology.rules import Around, Rules
from runtime.ontology.visible import Viewer, ends_of, list_visible
from runtime.sources import Ends, ReadLinked, Window
from runtime.storage.access import Access, Action
from runtime.storage.store import Linked, Links, Opposed, Provided

_MOST_INFERRED: Final = 1000
"""Questions that a field did not answer alone: their pages are first read by edges."""

_PLACE: Final = Projection(include=("dataDomain",))


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
        self._inferred: BoundedCache[tuple[str, str, Asked], bool] = BoundedCache(_MOST_INFERRED)

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
        """Find the records of a type that have such an edge with a record. Raises ``TooWide``.

        A record that the caller may not view has no edges. What is found may match records that the caller
        may not view: who asks looks for records under an ``Access`` to view them.
        """
        parts = []
        for own, other in self._list_sides(kind, side, predicate):
            access = allow(call, call.service.catalog[other], Action.VIEW)
            asked = Asked(own, predicate, record_id)
            viewer = await self._find_viewer(call, access, asked)
            if viewer is not None:
                by_field = await self._find_by_field(viewer, asked)
                parts.append(by_field or await find_ends(viewer, asked, window))
        reaches = [part.reach for part in parts if part.reach is not None]
        return Ends(any_of([part.match for part in parts]), min(reaches, default=None))

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
        viewer, asked = self._view(call, tenant), Asked(own, predicate, record_id)
        by_field = self._plan_by_field(viewer, access, asked, window)
        if by_field is not None:
            try:
                if (found := await read(by_field)) is not None:
                    return found
            except Opposed:
                self._inferred.keep((call.database, tenant, asked), True)
        if not viewer.sees_all(predicate):
            return None
        return await read(Links(viewer.edges.access(), asked.match(window), f"{own}.id", window.most))

    def _plan_by_field(self, viewer: Viewer, access: Access, asked: Asked, window: Window) -> Provided | None:
        """Plan to read the records whose field states an edge; None where others probably have one.

        ``access``: to view the record at the other end, which who sees all need not view.
        """
        field = self._choose_field(viewer, asked)
        if field is None or self._inferred.use((viewer.call.database, viewer.edges.tenant, asked)):
            return None
        sees_all, roots = viewer.sees_all(asked.predicate), field.list_roots(asked.record_id)
        return Provided(
            by_id_range(window.after, None) & field.match(asked.record_id),
            window.most,
            unless=(viewer.edges.access(), viewer.edges.match(roots)) if roots else None,
            given=None if sees_all else (access.to_decide(), by_id(asked.record_id)),
        )

    async def _find_by_field(self, viewer: Viewer, asked: Asked) -> Ends | None:
        """Find the records whose field states an edge with a record; None where others may have one."""
        field = self._choose_field(viewer, asked)
        if field is None or await viewer.edges.find_any(field.list_roots(asked.record_id)):
            return None
        return Ends(in_tenant(viewer.edges.tenant) & field.match(asked.record_id))

    def _choose_field(self, viewer: Viewer, asked: Asked) -> ByField | None:
        """Choose the field that states such edges, as far as the caller may see it."""
        field = self._fields[asked.own, asked.predicate]
        return field if field is not None and viewer.sees_statements(field.predicate) else None

    async def _find_viewer(self, call: Call, access: Access, asked: Asked) -> Viewer | None:
        """Return what the caller sees of the edges around a record; None where it may not view the record.

        Who sees all of its own tenant that such edges follow from sees what they lead to: that is not read.
        """
        own = access.domain.tenant_id
        if own is not None and (viewer := self._view(call, own)).sees_all(asked.predicate):
            return viewer
        target = await call.store.find_one(access.to_decide(), by_id(asked.record_id), projection=_PLACE)
        return None if target is None else self._view(call, tenant_of(target))

    def _view(self, call: Call, tenant: str) -> Viewer:
        return Viewer(call, EdgeStore(self.rules, call.store, call.database, tenant), self._most)

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
            message += f", and {kind.shown_name} is not at that end"
            message += f": name one of {', '.join(fitting)}" if fitting else ""
        else:
            message = f"no predicate is called {predicate[:80]}{did_you_mean(near)}"
        return FilterType(message, field=str(side), type="predicate", value=predicate[:80], nearest=near)
