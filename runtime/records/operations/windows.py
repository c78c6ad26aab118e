"""Pages of records by their edges, where a record may have a million.

In the order of ids a page needs the first edges alone: they are read in windows, each of which begins where
the one before ended and is longer, until the page is full. The first has room for the whole page, so a page
costs the same however many edges there are. What else the filter says may let few of the records through;
then more is read, but no more than an answer without windows may have. Then the page ends early.

Where the filter requires one edge, the first window may be one command (``find_linked``).
"""

from typing import Any, Final

from runtime.contract.pages import FindBody
from runtime.errors import TooWide
from runtime.fast.wire_rows import WireRows
from runtime.filter import Order, Predicate, Projection, RowOrder, by_id_range
from runtime.records.relations import MOST_TARGETS, CallersFilter
from runtime.sources import Window
from runtime.storage.store import Part
from runtime.storage.wire import parse_id

Document = dict[str, Any]

_LONGER: Final = 8


def has_windows(asked: CallersFilter, query: FindBody, order: RowOrder) -> bool:
    """Return whether a page can be read in windows: by edges, in the order of ids, and without a count."""
    return asked.asks_for_edges and order.keys == (("_id", 1),) and query.skip == 0 and query.count == "none"


async def compile_first(asked: CallersFilter, most: int) -> Predicate:
    """Compile a filter for the ids up to the one at which the first ``most`` edges end."""
    match, reach = await asked.compile_within(Window(None, most))
    return by_id_range(None, reach) & match


async def find_in_windows(
    asked: CallersFilter,
    order: Order,
    after: Any | None,
    projection: Projection | None,
    limit: int,
    *,
    wire: WireRows | None = None,
) -> Part[Document]:
    """Find the first records behind an id, as ``find_page`` does.

    With ``wire`` rows may have text in place of ids, decimals and timestamps.
    Raises ``TooWide`` where there is not one among as many edges as are read.
    """
    rows: list[Document] = []
    most, left = limit, MOST_TARGETS
    while True:
        window = Window(after, min(most, left))
        found, reach = await _read_window(asked, order, window, projection, limit - len(rows), wire)
        rows += found.rows
        if found.is_cut or reach is None or len(rows) == limit:
            return Part(rows, found.is_cut)
        left -= window.most
        if not left and rows:
            return Part(rows, is_cut=True)
        if not left:
            message = (
                f"none of the first {MOST_TARGETS} records with these edges matches the rest of the filter"
            )
            raise TooWide(f"{message}: ask for a record with fewer edges", field="hasEdge")
        after, most = reach, most * _LONGER


async def _read_window(
    asked: CallersFilter,
    order: Order,
    window: Window,
    projection: Projection | None,
    limit: int,
    wire: WireRows | None,
) -> tuple[Part[Document], Any | None]:
    """Find the first records of a window, and the id that it reaches; in one command where that will do."""
    if window.most <= limit:
        linked = await asked.find_linked(window, projection, wire)
        if linked is not None:
            return Part(linked.rows, is_cut=False), linked.reach
    match, reach = await asked.compile_within(window)
    found = await asked.call.store.find_page(
        asked.access,
        (by_id_range(window.after, reach),),
        match=match,
        order=order,
        projection=projection,
        limit=limit,
        wire=wire,
    )
    return found, reach


def read_place(row: Document) -> Document:
    """Return what a cursor needs of a row of such a page: its id as it is stored."""
    return {"_id": parse_id(str(row["_id"]))}
