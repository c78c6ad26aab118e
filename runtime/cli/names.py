"""From refNames to ids, through the public API."""

import asyncio
from collections.abc import Iterator
from urllib.parse import quote

from runtime.cli.api import Api, Refused
from runtime.filter.print import print_filter
from runtime.filter.syntax import InList
from runtime.filter.syntax_literals import Text

_NAMES_PER_LIST = 50
_NOT_OFFERED = 501


class Names:
    """The ids of one record type by refName. What was found is remembered; what was not is asked again."""

    def __init__(self, api: Api, base_path: str) -> None:
        self._api = api
        self._base_path = base_path
        self._known: dict[str, str] = {}

    async def find_ids(self, ref_names: set[str]) -> dict[str, str]:
        """refName → id, of those that exist and that the caller sees."""
        for chunk in _split(sorted(ref_names - self._known.keys())):
            try:
                self._known |= await self._list_ids(chunk)
            except Refused as refusal:
                if refusal.status != _NOT_OFFERED:
                    raise
                self._known |= await self._find_one_by_one(chunk)
        return {name: self._known[name] for name in ref_names if name in self._known}

    async def _list_ids(self, ref_names: list[str]) -> dict[str, str]:
        names = tuple(Text(name, quoted=True) for name in ref_names)
        parameters = {
            "filter": print_filter(InList("refName", names)),
            "projection": "+refName",
            "limit": str(len(ref_names)),
        }
        page = await self._api.get(f"{self._base_path}/list", parameters)
        return {row["refName"]: row["id"] for row in page["rows"]}

    async def _find_one_by_one(self, ref_names: list[str]) -> dict[str, str]:
        found = await asyncio.gather(*map(self._get, ref_names))
        return {name: record_id for name, record_id in zip(ref_names, found, strict=True) if record_id}

    async def _get(self, ref_name: str) -> str | None:
        try:
            record = await self._api.get(f"{self._base_path}/refName/{quote(ref_name, safe='')}")
        except Refused as refusal:
            if refusal.status != 404:
                raise
            return None
        return str(record["id"])


def _split(names: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(names), _NAMES_PER_LIST):
        yield names[start : start + _NAMES_PER_LIST]
