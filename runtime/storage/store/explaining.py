"""How MongoDB would look for records: its own ``explain``, bound to the scope of an ``Access``."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from runtime.filter import SCORE, Order, Predicate
from runtime.storage.access import Access
from runtime.storage.store.commands import Commands
from runtime.storage.store.spellings import widen
from runtime.storage.store.stages import AnyOrder, build_collation, require_search, scope

_INNER: Final = frozenset(
    {"inputStage", "inputStages", "outerStage", "innerStage", "thenStage", "elseStage"}
    | {"queryPlan", "shards", "winningPlan"}
)
"""Members of a stage that have further stages."""


class FoundBy(NamedTuple):
    """The indexes of a query plan. ``scans``: it reads a whole collection; ``sorts``: it sorts in memory."""

    indexes: tuple[str, ...]
    scans: bool
    sorts: bool


class Explains(Commands):
    """Reads of the store about queries, without running them."""

    async def explain(
        self, access: Access[Any], match: Predicate, *, order: AnyOrder = (), limit: int = 0
    ) -> FoundBy:
        """Return how the records in scope that match would be found; nothing is read of any record."""
        access = self._spell(access)
        await self._require_searchable(access, match)
        collection, order = self._driver_collection(access), Order.of(order)
        require_search(match, order)
        first = widen(access, scope(access, match, order))
        find = {"find": collection.name, "filter": first, "limit": limit}
        keys = {path: {"$meta": "textScore"} if path == SCORE else way for path, way in order.keys}
        sort = {"sort": keys} if keys else {}
        collation = build_collation(order)
        by_language = {"collation": collation.document} if collation else {}
        with self._command(access):
            explained = await collection.database.command(
                {"explain": {**find, **sort, **by_language}, "verbosity": "queryPlanner"},
                session=self._session,
            )
        stages = list(_stages(explained["queryPlanner"]["winningPlan"]))
        names = [stage["indexName"] for stage in stages if "indexName" in stage]
        kinds = {stage.get("stage") for stage in stages}
        return FoundBy(tuple(dict.fromkeys(names)), "COLLSCAN" in kinds, "SORT" in kinds)


def _stages(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield each stage of a plan, of all shards and in every form that servers describe it.

    Filters and bounds in it have members that are called as fields are, which may be ``stage``.
    """
    yield plan
    for name, inner in plan.items():
        if name in _INNER:
            for one in inner if isinstance(inner, list) else [inner]:
                yield from _stages(one)
