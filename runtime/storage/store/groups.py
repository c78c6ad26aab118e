"""The aggregates of the store: groups of records in scope, in one command."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from pymongo.errors import OperationFailure

from runtime.errors import InvalidParameter, TooWide
from runtime.filter import Predicate
from runtime.storage.access import Access
from runtime.storage.store.commands import Commands
from runtime.storage.store.faults import TOO_LARGE
from runtime.storage.store.grouping import MOST_GROUPS, NUMBER, ROWS, Grouping, build_group_stages

_UNKNOWN_ZONE: Final = 40485
_TOO_LARGE: Final = {
    146: "a group holds too many different values",
    **dict.fromkeys(TOO_LARGE, "the rows are larger than 16 MB"),
}
_ADVICE: Final = "narrow the query, group by less or lower the limit"


class Groups(Commands):
    """What the store works out of records, hidden fields left out."""

    async def group(
        self, access: Access[Any], match: Predicate, grouping: Grouping
    ) -> list[Mapping[str, Any]]:
        """Return the groups of the records in scope that match, by columns (``k0``, ``m0``).

        Raises ``TooWide`` for more groups, or larger ones, than the store works out in one command.
        """
        access = self._spell(access)
        await self._require_searchable(access, match)
        stages = build_group_stages(access, match, grouping)
        with self._command(access), _translate_refusals(grouping):
            cursor = await self._collection(access).aggregate(
                stages, session=self._session, allowDiskUse=True
            )
            (found,) = await cursor.to_list()
        if any(one[NUMBER] > MOST_GROUPS for one in found[NUMBER]):
            raise TooWide(f"there are more than {MOST_GROUPS} groups: {_ADVICE}")
        rows: list[Mapping[str, Any]] = found[ROWS]
        return rows


@contextmanager
def _translate_refusals(grouping: Grouping) -> Iterator[None]:
    try:
        yield
    except OperationFailure as error:
        if error.code == _UNKNOWN_ZONE:
            message = f"the store does not know the time zone {grouping.time_zone}"
            raise InvalidParameter(message, parameter="timeZone") from error
        if (reason := _TOO_LARGE.get(error.code or 0)) is not None:
            raise TooWide(f"{reason}: {_ADVICE}", cause=error) from error
        raise
