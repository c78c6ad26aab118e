"""Who has places behind a gate, and who is next of those who wait.

Each key has a queue. Keys may be of a group, as users are of a tenant: then the groups take turns, and in
each of them its keys. A group leaves some places to others while there are any, or were a moment ago.
"""

import time
from asyncio import Future
from typing import Final, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")
Waiter: TypeAlias = Future[None]

_RECENT_SECONDS: Final = 10.0


class _Seen(NamedTuple):
    """A group that came, and when."""

    group: str = ""
    at: float = -_RECENT_SECONDS


def key_within(group: str, key: str) -> str:
    """Return a key that belongs to a group."""
    return f"{group}\0{key}"


def _group_of(key: str) -> str:
    return key.partition("\0")[0]


class Queues:
    """The queues of one gate, and the places that keys and groups have."""

    def __init__(self) -> None:
        self._held: dict[str, int] = {}
        self._held_by_groups: dict[str, int] = {}
        self._waiting: dict[str, dict[str, dict[Waiter, None]]] = {}
        self._last, self._one_before = _Seen(), _Seen()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def __len__(self) -> int:
        return sum(len(queue) for keys in self._waiting.values() for queue in keys.values())

    def may_enter(self, key: str, most: int) -> bool:
        """Whether a key has less than ``most`` places, and its group too, unless it is alone."""
        return self._held.get(key, 0) < most and not self._is_full(_group_of(key), most)

    def count(self, key: str, change: int) -> None:
        """Note that a key has one place more, or less."""
        group = _group_of(key)
        self._see(group)
        _count(self._held, key, change)
        _count(self._held_by_groups, group, change)

    def add(self, key: str, waiter: Waiter) -> None:
        """Add one who waits, behind the others of the key."""
        group = _group_of(key)
        self._see(group)
        self._waiting.setdefault(group, {}).setdefault(key, {})[waiter] = None

    def remove(self, key: str, waiter: Waiter) -> None:
        """Remove one who waits, or does not any more."""
        group = _group_of(key)
        keys = self._waiting.get(group, {})
        queue = keys.get(key, {})
        queue.pop(waiter, None)
        if not queue:
            keys.pop(key, None)
        if not keys:
            self._waiting.pop(group, None)

    def take_next(self, most: int) -> tuple[str, Waiter] | None:
        """Remove who is next and still waits; None where nobody may enter.

        ``most``: as of ``may_enter``.
        """
        while (key := self._next_key(most)) is not None:
            group = _group_of(key)
            waiter = next(iter(self._waiting[group][key]))
            self.remove(key, waiter)
            if waiter.done():  # its caller has hung up, and has not come to say so
                continue
            _put_behind(self._waiting.get(group, {}), key)
            _put_behind(self._waiting, group)
            return key, waiter
        return None

    def count_turns(self, key: str, most: int) -> tuple[int, bool]:
        """Return with which turn a newcomer would enter, and whether its key is the only one that waits."""
        group = _group_of(key)
        own = self._waiting.get(group, {})
        keys = len(own) + (key not in own)
        full = sum(
            self._is_full(one, most) for one in self._held_by_groups if one != group and one in self._waiting
        )
        groups = len(self._waiting) + (group not in self._waiting) - full
        return (len(own.get(key, ())) + 1) * keys * groups, keys == groups == 1

    def _next_key(self, most: int) -> str | None:
        groups = (keys for group, keys in self._waiting.items() if not self._is_full(group, most))
        return next((key for keys in groups for key in keys if self._held.get(key, 0) < most), None)

    def _is_full(self, group: str, most: int) -> bool:
        return self._held_by_groups.get(group, 0) >= most and not self._is_alone(group)

    def _is_alone(self, group: str) -> bool:
        other = self._one_before if self._last.group == group else self._last
        return other.at <= time.monotonic() - _RECENT_SECONDS

    def _see(self, group: str) -> None:
        if self._last.group != group:
            self._one_before = self._last
        self._last = _Seen(group, time.monotonic())


def _count(numbers: dict[str, int], key: str, change: int) -> None:
    """Change the number of a key; those of which there are none are not remembered."""
    numbers[key] = numbers.get(key, 0) + change
    if not numbers[key]:
        del numbers[key]


def _put_behind(queues: dict[str, T], key: str) -> None:
    """Put a queue behind the others, if it is there."""
    if key in queues:
        queues[key] = queues.pop(key)
