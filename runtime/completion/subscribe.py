"""The events of a completion task group: which of its tasks were completed, as it happens.

A completion is a write that gives a task another ``completion`` stamp; so each is an event, whatever status
it repeats. The last event is that of a group which the application calls complete.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta
from typing import Any, Final

from runtime.access.guard import allow
from runtime.call import Call
from runtime.completion.progress import find_group
from runtime.events import Past, Watch, render_event, start_stream
from runtime.filter import Projection, compile_filter, locate, refers_to
from runtime.model.clock import now
from runtime.model.record_type import RecordType
from runtime.model.scalars import spell_id
from runtime.server_sent import HEADERS, WELCOME_BACK, render_id
from runtime.storage.access import Access, Action
from runtime.storage.hub import Hub
from runtime.storage.store import HistoryLost, Place, Written
from runtime.storage.wire import Json
from runtime.stream import Stream
from runtime.system.record_types import COMPLETION_TASK, COMPLETION_TASK_GROUP

_TASK: Final[RecordType[Any]] = COMPLETION_TASK
_GROUP: Final[RecordType[Any]] = COMPLETION_TASK_GROUP
_COLLECTIONS: Final = frozenset({_TASK.collection, _GROUP.collection})
_SINCE: Final = "completedDate:>=${since}"
_SHOWN: Final = Projection(include=("id", "status", "version", "completedDate"))
_CLOCKS: Final = timedelta(seconds=5)
"""How far the clocks of workers and store may differ."""

_BEGIN_SECONDS: Final = 1.0
"""How long a request waits for the first event behind the end of a group."""


async def subscribe(call: Call, *, id_: str, last_event_id: str | None) -> Stream | Json[Any]:
    """Stream the completions of tasks of a group, from now on or from behind an event.

    Behind the last event of a group there is no stream, but 204, at which clients stop to connect again.
    Ends with the group, with the caller's rights and with their token. Raises ``NotFound``, ``Denied``,
    ``InvalidParameter`` for the id of an event of another stream, and ``StoreUnavailable``.
    """
    id_, last_event_id = spell_id(id_), last_event_id or None  # as events name it; "" is that of no event
    watch = _GroupWatch(call, id_, is_catching_up=last_event_id is not None)
    hub = call.service.hub
    after = None if last_event_id is None else watch.places.read(last_event_id, "Last-Event-ID")
    await watch.enter(call)
    for access in (watch.tasks, watch.group):
        await hub.require_images(access)
    watch.start_behind(after or await _find_now(call))
    place = await hub.join(watch)
    try:
        if (await find_group(call, id_)).get("status") == "COMPLETE":
            return await _finish(watch, hub, after)
        if after is None:
            return start_stream(watch, hub, render_id(watch.name_place(place)))
        return start_stream(watch, hub, WELCOME_BACK, _read_missed(watch, after, place))
    except BaseException:
        hub.leave(watch)
        raise


async def _find_now(call: Call) -> Place:
    return Place.behind(await call.service.store.read_time())


class _GroupWatch(Watch):
    """A watcher of one group. ``tasks``, ``group``: what it may see of them.

    ``is_catching_up``: until the past is read, what was passed on is noted.
    """

    __slots__ = ("_versions", "group", "group_id", "is_catching_up", "joined", "tasks")

    tasks: Access[Any]
    group: Access[Any]

    def __init__(self, call: Call, group_id: str, *, is_catching_up: bool) -> None:
        super().__init__(call, _COLLECTIONS, f"group {group_id}")
        self.group_id = group_id
        self.joined = now()
        self.is_catching_up = is_catching_up
        self._versions: dict[str, int] = {}

    def take(self, written: Written) -> None:
        """Take a write that the hub passes on, unless the stored task was sent with it."""
        if (self._versions or self.is_catching_up) and written.collection == _TASK.collection:
            version = (written.show(self.tasks).after or {}).get("version", 0)
            if version <= self._versions.get(written.record_id, -1):
                return
            if self.is_catching_up:
                self._versions[written.record_id] = version
        super().take(written)

    def note_stored(self, task_id: str, version: int, *, is_recent: bool) -> bool:
        """Return whether a task is sent as it is stored: else the hub has passed on what led to that."""
        if task_id in self._versions:
            return False
        if is_recent:  # the hub may have yet to come to it
            self._versions[task_id] = version
        return True

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


async def _finish(watch: _GroupWatch, hub: Hub, after: Place | None) -> Stream | Json[Any]:
    """Send what is left to be sent of a group that is complete: nothing follows its end."""
    end = await _find_now(watch.call)
    if after is None:
        first = watch.collect()
        first += b"" if watch.is_over else watch.render_complete(end)
        watch.end()
        return start_stream(watch, hub, first)
    past = await _complete_past(watch, _read_missed(watch, after, end), end)
    if past is not None:
        return start_stream(watch, hub, WELCOME_BACK, past)
    hub.leave(watch)
    return Json(b"", 204, HEADERS)


async def _read_missed(watch: _GroupWatch, after: Place, place: Place) -> Past:
    """Yield the events between two places, and nothing at all now and then: reading may take long."""
    writes = watch.call.service.store.read_past(watch.tasks, after, place.time, (watch.group,))
    try:
        async with aclosing(writes):
            async for written in writes:
                if isinstance(written, Place):
                    yield b""
                    continue
                if written.place > place:
                    break  # the hub has this one and all that follow
                if (piece := watch.render(written)) is None:
                    continue
                if is_last := written.collection == _GROUP.collection:
                    watch.end_at_once()  # the hub may have it, too
                yield piece
                if is_last:
                    return
    except HistoryLost:
        async for piece in _read_stored(watch, after):
            yield piece
        yield render_id(watch.name_place(place))
    watch.is_catching_up = False


async def _complete_past(watch: _GroupWatch, missed: Past, place: Place) -> Past | None:
    """Return what is left to be sent of a group that is complete; None if its end was sent already."""
    clock = asyncio.get_running_loop().time
    until, first = clock() + _BEGIN_SECONDS, await anext(missed, None)
    while first == b"" and clock() < until:
        first = await anext(missed, None)
    return None if first is None else _end_past(watch, first, missed, place)


async def _end_past(watch: _GroupWatch, first: bytes, missed: Past, place: Place) -> Past:
    async with aclosing(missed):
        yield first
        async for piece in missed:
            yield piece
    if not watch.is_over:
        watch.end_at_once()
        yield watch.render_complete(place)


async def _read_stored(watch: _GroupWatch, after: Place) -> AsyncGenerator[bytes, None]:
    """Yield the last completion of each task that was completed since a place of which the log has no more.

    Without ids: a client that is cut off in between reads all of them again. Completions of the seconds
    before the place come once more: a place is one of the log, stored tasks have the clocks of workers, and
    what is left out would be lost. What the hub has passed on since the watch joined is left to it.
    """
    since = {"since": (after.date - _CLOCKS).isoformat() + "Z"}
    match = refers_to(["group.entityId"], [watch.group_id]) & compile_filter(_SINCE, _TASK, since)
    recent = watch.joined - _CLOCKS
    rows = await watch.call.service.store.stream(watch.tasks, match, projection=_SHOWN)
    async with aclosing(rows):
        async for batch in rows:
            for task in batch:
                completed = task.get("completedDate")
                is_recent = completed is None or completed > recent
                if watch.note_stored(str(task["_id"]), task["version"], is_recent=is_recent):
                    yield render_event(_name_task(task))
