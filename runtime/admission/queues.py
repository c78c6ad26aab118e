"""Who has places behind a gate, and who is next of those who wait.

Each key has a queue. Keys may be of a group, as users are of a tenant: then the groups take turns, and in
each of them its keys. A group leaves some places to others while there are any, or were a moment ago.
"""

import time
from asyncio import Future
from typing import Final, TypeAlias, TypeVar

T = TypeVar("T")
Waiter: TypeAlias = Future[None]

_RECENT_SECONDS: Final = 10.0
_END_OF_GROUP: Final = "\0"


def key_within(group: str, key: str) -> str:
    """Return a key that belongs to a group."""
    return f"{group}{_END_OF_GROUP}{key}"


def _group_of(key: str) -> str:
    return key.partition(_END_OF_GROUP)[0]


class Queues:
    """The queues of one gate, and the places that keys and groups have."""

    def __init__(self) -> None:
        self.waiting: dict[str, dict[str, dict[Waiter, None]]] = {}
        self._held: dict[str, int] = {}
        self._held_by_groups: dict[str, int] = {}
        self._last_group = ""
        self._last_came = self._other_came = -_RECENT_SECONDS

    def count_waiting(self) -> int:
        """Count those who wait."""
        return sum(len(queue) for keys in self.waiting.values() for queue in keys.values())

    def may_enter(self, key: str, most: int) -> bool:
        """Whether a key has less than ``most`` places, and its group too, unless it is alone."""
        return self._held.get(key, 0) < most and not self._is_full(_group_of(key), most)

    def enter(self, key: str) -> None:
        """Note that a key has one place more. Each request comes here, so the steps are written out."""
        group = key.partition(_END_OF_GROUP)[0]
        self._held[key] = self._held.get(key, 0) + 1
        self._held_by_groups[group] = self._held_by_groups.get(group, 0) + 1
        self._see(group)

    def leave(self, key: str) -> None:
        """Note that a key has one place less; those without any are not remembered."""
        for held, name in ((self._held, key), (self._held_by_groups, key.partition(_END_OF_GROUP)[0])):
            held[name] -= 1
            if not held[name]:
                del held[name]

    def add(self, key: str, waiter: Waiter) -> None:
        """Add one who waits, behind the others of the key."""
        group = _group_of(key)
        self._see(group)
        self.waiting.setdefault(group, {}).setdefault(key, {})[waiter] = None

    def remove(self, key: str, waiter: Waiter) -> None:
        """Remove one who waits, or does not any more."""
        group = _group_of(key)
        keys = self.waiting.get(group, {})
        queue = keys.get(key, {})
        queue.pop(waiter, None)
        if not queue:
            keys.pop(key, None)
        if not keys:
            self.waiting.pop(group, None)

    def take_next(self, most: int) -> tuple[str, Waiter] | None:
        """Remove who is next and still waits; None where nobody may enter.

        ``most``: as of ``may_enter``.
        """
        while (key := self._next_key(most)) is not None:
            group = _group_of(key)
            waiter = next(iter(self.waiting[group][key]))
            self.remove(key, waiter)
            if waiter.done():  # its caller has hung up, and has not come to say so
                continue
            _put_behind(self.waiting.get(group, {}), key)
            _put_behind(self.waiting, group)
            return key, waiter
        return None

    def count_turns(self, key: str, most: int) -> tuple[int, bool]:
        """Return with which turn a newcomer would enter, and whether its key is the only one that waits."""
        group = _group_of(key)
        own = self.waiting.get(group, {})
        keys = len(own) + (key not in own)
        full = sum(
            self._is_full(one, most) for one in self._held_by_groups if one != group and one in self.waiting
        )
        groups = len(self.waiting) + (group not in self.waiting) - full
        return (len(own.get(key, ())) + 1) * keys * groups, keys == groups == 1

    def _next_key(self, most: int) -> str | None:
        groups = (keys for group, keys in self.waiting.items() if not self._is_full(group, most))
        return next((key for keys in groups for key in keys if self._held.get(key, 0) < most), None)

    def _is_full(self, group: str, most: int) -> bool:
        return self._held_by_groups.get(group, 0) >= most and not self._is_alone(group)

    def _is_alone(self, group: str) -> bool:
        came = self._other_came if self._last_group == group else self._last_came
        return came <= time.monotonic() - _RECENT_SECONDS

    def _see(self, group: str) -> None:
        if self._last_group != group:
            self._last_group, self._other_came = group, self._last_came
        self._last_came = time.monotonic()


def _put_behind(queues: dict[str, T], key: str) -> None:
    """Put a queue behind the others, if it is there."""
    if key in queues:
        queues[key] = queues.pop(key)
