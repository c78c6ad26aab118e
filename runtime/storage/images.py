"""Images of records: what MongoDB stores of a record before each write, so that change streams can show it.

Record types with ``changes: true`` have them, by an option of their collection. They are stored for as long
as the log of the store reaches, and cost each write of such a record another one.
"""

from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias

from runtime.bounded_cache import BoundedCache
from runtime.errors import IndexMissing
from runtime.model.record_type import RecordType
from runtime.storage.access import Access
from runtime.storage.store import FaultTranslation, Store

_OPTION: Final = "changeStreamPreAndPostImages"
Switch: TypeAlias = Literal["on", "off"]

_MOST_REMEMBERED: Final = 10_000


async def apply_images(store: Store, realm: str, kinds: Iterable[RecordType[Any]]) -> None:
    """Let the collections of a realm keep images exactly where their record types ask for it.

    The collections exist. Raises ``StoreUnavailable``.
    """
    for collection, switch in (await plan_images(store, realm, kinds)).items():
        option = {"collMod": collection, _OPTION: {"enabled": switch == "on"}}
        with FaultTranslation(None):
            await store.bare_database(realm).command(option)


async def plan_images(store: Store, realm: str, kinds: Iterable[RecordType[Any]]) -> dict[str, Switch]:
    """Return the collections of which images are to be switched on or off. Raises ``StoreUnavailable``."""
    kept = await _list_with_images(store, realm)
    wanted = {kind.collection: kind.changes for kind in kinds}
    return {name: "on" if on else "off" for name, on in wanted.items() if on is not (name in kept)}


class Images:
    """Which collections keep images, as far as one process has seen it: once they do, they go on."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: BoundedCache[str, frozenset[str]] = BoundedCache(_MOST_REMEMBERED)

    async def require(self, access: Access[Any]) -> None:
        """Raise ``IndexMissing`` for a record type whose writes cannot be shown; ``StoreUnavailable``."""
        kept = self._known.get(access.database)
        if kept is None or access.kind.collection not in kept:
            kept = await _list_with_images(self._store, access.database)
            self._known.keep(access.database, kept)
        if access.kind.collection not in kept:
            raise IndexMissing(
                f"writes of {access.kind.shown_name} cannot be followed, its collection keeps no images: "
                "an operator changes that with `recordsmith indexes apply`"
            )


async def _list_with_images(store: Store, realm: str) -> frozenset[str]:
    with FaultTranslation(None):
        found = await (await store.bare_database(realm).list_collections()).to_list()
    return frozenset(one["name"] for one in found if one.get("options", {}).get(_OPTION, {}).get("enabled"))
