"""The events of a completion task group: which of its tasks were completed, as it happens.

A completion is a write that gives a task another ``completion`` stamp; so each is an event, whatever status
it repeats. The last event is that of a group which the application calls complete.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta
from typing import Any, Final

from runtime.access.guard import allow
from runtime.call import Call
from runtime.completion.progress import find_group
from runtime.events import Past, Watch, render_event, start_stream
from runtime.events.server_sent import WELCOME_BACK, render_id
from runtime.filter import Predicate, Projection, compile_filter, locate, refers_to
from runtime.model.record_type import RecordType
from runtime.storage.access import Access, Action
from runtime.storage.store import HistoryLost, Place, Written
from runtime.stream import Stream
from runtime.system.record_types import COMPLETION_TASK, COMPLETION_TASK_GROUP

_TASK: Final[RecordType[Any]] = COMPLETION_TASK
_GROUP: Final[RecordType[Any]] = COMPLETION_TASK_GROUP
_COLLECTIONS: Final = frozenset({_TASK.collection, _GROUP.collection})
_SINCE: Final = "completedDate:>=${since}"
_SHOWN: Final = Projection(include=("id", "status"))
_CLOCKS: Final = timedelta(seconds=5)
"""How far the clocks of workers and store may differ."""


async def subscribe(call: Call, *, id_: str, last_event_id: str | None) -> Stream:
    """Stream the completions of tasks of a group, from now on or from behind an event.

    Ends with the group, with the caller's rights and with their token. Raises ``NotFound``, ``Denied``,
    ``InvalidParameter`` for the id of an event of another stream, and ``StoreUnavailable``.
    """
    watch = _GroupWatch(call, id_)
    hub = call.service.hub
    after = None if last_event_id is None else watch.places.read(last_event_id, "Last-Event-ID")
    await watch.enter(call)
    for access in (watch.tasks, watch.group):
        await hub.require_images(access)
    watch.start_behind(after or await _find_now(call))
    place = await hub.join(watch)
    try:
        is_complete = (await find_group(call, id_)).get("status") == "COMPLETE"
        if after is not None:
            end = await _find_now(call) if is_complete else place  # nothing follows the end of a group
            past = _read_missed(watch, after, end, is_complete=is_complete)
            return start_stream(watch, hub, WELCOME_BACK, past)
        first = render_id(watch.name_place(place))
        if is_complete:
            first += watch.collect()
            first += b"" if watch.is_over else watch.render_complete(place.start_of_time)
            watch.end()
        return start_stream(watch, hub, first)
    except BaseException:
        hub.leave(watch)
        raise


async def _find_now(call: Call) -> Place:
    return Place.behind(await call.service.store.read_time())


class _GroupWatch(Watch):
    """A watcher of one group. ``tasks``, ``group``: what it may see of them."""

    __slots__ = ("group", "group_id", "tasks")

    tasks: Access[Any]
    group: Access[Any]

    def __init__(self, call: Call, group_id: str) -> None:
        super().__init__(call, _COLLECTIONS, f"group {group_id}")
        self.group_id = group_id

    async def enter(self, call: Call) -> None:
        """Find what the caller may see; a caller from whom rules hide what events say may not watch."""
        is_first = not hasattr(self, "group")
        group, tasks = allow(call, _GROUP, Action.VIEW), allow(call, _TASK, Action.VIEW)
        for kind, access, names in ((_GROUP, group, ("status",)), (_TASK, tasks, ("group", "status"))):
            for name in names:
                locate(kind, name, access.hidden)
        if not is_first and group is not self.group:
            await find_group(call, self.group_id)
        self.group, self.tasks = group, tasks

    def render(self, written: Written) -> bytes | None:
        """Return the event of a completion, or of the end of the group."""
        if written.collection == _TASK.collection:
            return self._render_task(written)
        if written.record_id != self.group_id:
            return None
        before, after = written.show(self.group)
        if after is None:  # removed, or out of the watcher's scope
            self.end()
            return None
        if after.get("status") != "COMPLETE" or (before or {}).get("status") == "COMPLETE":
            return None
        self.end()
        return self.render_complete(written.place)

    def _render_task(self, written: Written) -> bytes | None:
        if not written.has_changed("completion"):
            return None
        after = written.show(self.tasks).after
        if after is None or str((after.get("group") or {}).get("entityId")) != self.group_id:
            return None
        return render_event(_name_task(after), self.name_event(written.place))

    def render_complete(self, place: Place) -> bytes:
        """Return the last event."""
        return render_event(f"group:{self.group_id}:COMPLETE".encode(), self.name_event(place))


def _name_task(task: dict[str, Any]) -> bytes:
    return f"task:{task['_id']}:{task.get('status')}".encode()


async def _read_missed(watch: _GroupWatch, after: Place, place: Place, *, is_complete: bool) -> Past:
    """Yield the events between two places, and the end of a group that is complete."""
    writes = watch.call.service.store.read_past(watch.tasks, after, place.time, (watch.group,))
    try:
        async with aclosing(writes):
            async for written in writes:
                if isinstance(written, Place):
                    continue
                if written.place > place:
                    break  # the hub has this one and all that follow
                if (piece := watch.render(written)) is None:
                    continue
                if is_last := written.collection == _GROUP.collection:
                    watch.drop()  # the hub may have it, too
                yield piece
                if is_last:
                    return
    except HistoryLost:
        async for piece in _read_stored(watch, after):
            yield piece
        yield render_id(watch.name_place(place))
    if is_complete:
        watch.drop()
        yield watch.render_complete(place)


async def _read_stored(watch: _GroupWatch, after: Place) -> AsyncGenerator[bytes, None]:
    """Yield the last completion of each task that was completed since a place of which the log has no more.

    Without ids: a client that is cut off in between reads all of them again.
    """
    match = _completed_since(watch, after)
    rows = await watch.call.service.store.stream(watch.tasks, match, projection=_SHOWN)
    async with aclosing(rows):
        async for batch in rows:
            for task in batch:
                yield render_event(_name_task(task))


def _completed_since(watch: _GroupWatch, after: Place) -> Predicate:
    since = {"since": (after.date - _CLOCKS).isoformat() + "Z"}
    return refers_to(["group.entityId"], [watch.group_id]) & compile_filter(_SINCE, _TASK, since)
