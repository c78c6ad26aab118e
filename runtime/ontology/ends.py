"""The records at the ends of stored edges, as far as a caller may know of these."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from runtime.errors import TooWide
from runtime.filter import Predicate, Projection, after, by_ids, equals, refers_to
from runtime.ontology.edges import WITH_REASON
from runtime.ontology.rules import Edge
from runtime.ontology.visible import Row, Viewer
from runtime.sources import Ends, Window
from runtime.storage.access import Access

MOST_ENDS: Final = 10_000
"""Records that one condition may match by their ids, which are in the command that follows."""

_SHORT: Final = {
    (own, is_sure): Projection(
        include=(f"{own}.id",) if is_sure else (f"{own}.id", "inferred"), may_fill=True
    )
    for own in ("source", "destination")
    for is_sure in (True, False)
}
"""What an index alone returns of edges."""


class Asked(NamedTuple):
    """The records at the ``own`` end of edges that have a record at the other."""

    own: str
    predicate: str
    record_id: str

    def match(self, window: Window | None) -> Predicate:
        """Match the edges, those of a window alone."""
        other = "destination" if self.own == "source" else "source"
        match = equals(predicate=self.predicate) & refers_to([f"{other}.id"], [self.record_id])
        if window is None or window.after is None:
            return match
        return match & after(((f"{self.own}.id", 1),), [window.after])[0]

    def name_edge(self, row: Row) -> Edge:
        """Return the edge that a row with its own end is."""
        own_id = str(row[self.own]["id"])
        ends = (own_id, self.record_id) if self.own == "source" else (self.record_id, own_id)
        return Edge(self.predicate, *ends)


async def find_ends(viewer: Viewer, asked: Asked, window: Window | None) -> Ends:
    """Find the records by their edges with one that the caller may view. Raises ``TooWide``."""
    own, order = asked.own, ((f"{asked.own}.id", 1),)
    most, is_sure = MOST_ENDS + 1 if window is None else window.most, viewer.sees_all(asked.predicate)
    # Where the records at these ends are looked at later, a stated edge needs nothing but its field.
    is_short = is_sure or (window is not None and viewer.sees_statements(asked.predicate))
    shown = _SHORT[own, is_sure] if is_short else WITH_REASON
    edges: Access[Any] = viewer.edges.access()
    rows = await viewer.call.store.find(edges, asked.match(window), order=order, projection=shown, limit=most)
    if window is None and len(rows) == most:
        message = f"{asked.predicate} connects the record with more than {MOST_ENDS} others"
        raise TooWide(f"{message}: ask for a record with fewer edges", field=asked.predicate)
    reach = rows[-1][own]["id"] if len(rows) == most else None
    if is_short and not is_sure:
        rows = await _find_known(viewer, rows, asked)
    elif not is_short:
        rows = await _find_visible(viewer, rows, own_is_checked=window is not None)
    return Ends(by_ids([row[own]["id"] for row in rows]), reach)


async def _find_visible(viewer: Viewer, rows: Sequence[Row], *, own_is_checked: bool) -> list[Row]:
    """Return those edges of a record, which the caller may view, that they may know of.

    ``own_is_checked``: the records at the other ends will only be used if they may be viewed, so that those
    of stated edges need not be read here.
    """
    stated, others = list[Row](), list[Row]()
    for row in rows:
        (stated if own_is_checked and viewer.shows_statement(row) else others).append(row)
    return [*stated, *(one.row for one in await viewer.find_visible(others))]


async def _find_known(viewer: Viewer, rows: Sequence[Row], asked: Asked) -> list[Row]:
    """Return those edges of a record that are stated or can be proven to the caller."""
    inferred = {asked.name_edge(row): row for row in rows if row["inferred"]}
    proven = await viewer.find_proven(inferred)
    return [*(row for row in rows if not row["inferred"]), *(inferred[edge] for edge in proven)]
