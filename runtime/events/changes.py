"""The changes of records of a type, as a stream of events or as pages.

What is reported of a write follows from the record before and after it, as the caller may see both now: no
memory of what was sent is needed, and a stream that begins again behind an event reports what the first one
would have. A record that has left the filter or the caller's scope is ``gone``, by its id alone.
"""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any, Final

from runtime.access.guard import allow
from runtime.access.variables import filter_variables
from runtime.call import Call
from runtime.contract.changes import ChangesParameters
from runtime.errors import FeedExpired, InvalidParameter
from runtime.events.missed import Missed, begin_reading, build_expired
from runtime.events.sending import Past, start_stream
from runtime.events.watch import Watch
from runtime.filter import (
    EVERYTHING,
    Predicate,
    WeighedFilter,
    admits,
    compile_filter,
    differs,
    named_fields,
    refuse_blocks,
)
from runtime.model.record_type import RecordType
from runtime.records.document.page_size import page_limit
from runtime.server_sent import WELCOME_BACK, render_comment, render_event, render_id
from runtime.storage.access import Access, Action
from runtime.storage.store import Place, Seen, Written
from runtime.storage.wire import Json, to_json, to_wire
from runtime.stream import Stream

Document = dict[str, Any]

LARGEST_PAGE: Final = 4 * 2**20
"""Bytes behind which a page ends."""

PAGE_SECONDS: Final = 1.5
"""How long changes are looked for that the caller sees; then the page ends, and has a cursor behind them."""


_NOW: Final = "now"
_NOT_ARCHIVED: Final = differs(activeStatus="ARCHIVED")


async def follow_changes(
    call: Call, kind: RecordType[Any], query: ChangesParameters, last_event_id: str | None = None
) -> Stream | Json[Any]:
    """Stream the changes of records, from now on or from behind an event; with ``since`` return a page.

    Raises ``Denied``, ``InvalidParameter``, ``FeedExpired`` and what the filter does.
    """
    watch = _ChangesWatch(call, kind, query.filter)
    await watch.enter(call)
    await call.service.hub.require_images(watch.access)
    if query.since is not None:
        if last_event_id:
            raise InvalidParameter("send since or Last-Event-ID, not both", parameter="since")
        return await _list_changes(watch, query.since, page_limit(call, query.limit))
    if query.limit is not None:
        raise InvalidParameter(
            "limit is for pages: send since as well, or leave limit out", parameter="limit"
        )
    return await _stream_changes(watch, last_event_id or None)  # "" is that of no event


class _ChangesWatch(Watch):
    """A watcher of the records of a type that match a filter."""

    __slots__ = ("access", "kind", "text", "wanted")

    access: Access[Any]
    wanted: WeighedFilter

    def __init__(self, call: Call, kind: RecordType[Any], text: str | None) -> None:
        super().__init__(call, frozenset({kind.collection}), f"changes {kind.name}")
        self.kind = kind
        self.text = text

    async def enter(self, call: Call) -> None:
        """Find what the caller may see, and compile the filter, which rules may refuse by now."""
        access = allow(call, self.kind, Action.VIEW)
        self.wanted = WeighedFilter.of(_compile(call, access, self.text))
        self.access = access

    def estimate(self, written: Written) -> float:
        """Estimate by the weights of filter and record."""
        return written.estimate_seconds(self.access, self.wanted)

    def decide(self, written: Written) -> Seen:
        """Return both sides of a write as far as the caller sees them through the filter."""
        return written.find(self.access, self.wanted)

    async def check_shown(self, written: Written) -> bool:
        """Return whether a write that was missed is reported."""
        await self.prepare_missed(written)
        return self.describe(written) is not None

    def render(self, written: Written) -> bytes | None:
        change = self.describe(written)
        return None if change is None else render_event(to_json(change), self.name_event(written.place))

    def describe(self, written: Written) -> Document | None:
        """Return what is reported of a write; None for a record that the caller does not see.

        Nothing is reported either of a write that changes nothing the caller sees.
        """
        before, after = self.decide(written)
        if after is not None:
            if before == after:
                return None
            head = {"id": written.record_id, "op": written.operation, "version": after.get("version")}
            return head | {"record": to_wire(after)}
        if before is None:
            return None
        if written.operation == "deleted":
            last = before.get("version")  # None where a rule withholds it
            return {"id": written.record_id, "op": "deleted", "version": last and last + 1}
        return {"id": written.record_id, "op": "gone"}


def _compile(call: Call, access: Access[Any], text: str | None) -> Predicate:
    """Compile a filter that is decided on one record in memory: without relation blocks and text searches."""
    match = EVERYTHING
    if text:
        variables = filter_variables(call, access.kind)
        match = compile_filter(
            text,
            access.kind,
            variables,
            hidden=access.hidden,
            relations=refuse_blocks("change streams", text, access.kind, access.hidden),
            searches=_refuse_search,
            moment=call.moment,
        )
        _require_decidable(match)
    if access.kind.on_delete == "archive" and not (text and "activeStatus" in named_fields(text)):
        return _NOT_ARCHIVED & match
    return match


def _require_decidable(match: Predicate) -> None:
    """Raise ``InvalidParameter`` for what only MongoDB can decide: text searches, by words or by prefixes."""
    try:
        admits(match, {"_id": None})
    except ValueError as error:
        raise _build_search_refusal() from error


def _refuse_search(_search: object, /) -> Sequence[Any]:
    raise _build_search_refusal()


def _build_search_refusal() -> InvalidParameter:
    return InvalidParameter("changes cannot be searched by text(…): compare fields", parameter="filter")


async def _stream_changes(watch: _ChangesWatch, last_event_id: str | None) -> Stream:
    hub, store = watch.call.service.hub, watch.call.service.store
    after = None if last_event_id is None else watch.places.read(last_event_id, "Last-Event-ID")
    watch.start_behind(after or Place.behind(await store.read_time()))
    place = await hub.join(watch)
    try:
        if after is None:
            return start_stream(watch, hub, render_id(watch.name_place(place)))
        missed = await begin_reading(
            store.read_past(watch.access, after, place.time), after, watch.check_shown
        )
        past = _render_missed(watch, missed, after, place)
        return start_stream(watch, hub, WELCOME_BACK, past)
    except BaseException:
        hub.leave(watch)
        raise


async def _render_missed(watch: _ChangesWatch, missed: Missed, after: Place, place: Place) -> Past:
    """Yield the events up to the place at which the hub takes over, or up to a gap in the log.

    A client that goes on behind the gap is answered 410: so its place is next to it, whatever it was shown.
    """
    shown = read = after
    try:
        async with aclosing(missed):
            async for one in missed:
                read = one if isinstance(one, Place) else one.place
                if isinstance(one, Place):
                    continue
                if read > place:
                    return
                if not one.is_whole:
                    raise build_expired()
                await watch.prepare_missed(one)
                if (piece := watch.render(one)) is not None:
                    shown = read
                    yield piece
    except FeedExpired:
        watch.end_at_once()
        yield render_comment("a write cannot be shown", watch.places.write(max(shown, read.start_of_time)))


async def _list_changes(watch: _ChangesWatch, since: str, limit: int) -> Json[Any]:
    """Return the changes behind a place, as many as a page has, and the place behind the last."""
    store = watch.call.service.store
    until = await store.read_time()
    if since == _NOW:
        return _render_page(watch, [], Place.behind(until), has_more=False)
    after, changes, size = watch.places.read(since, "since", or_else=f"{_NOW}, a cursor"), [], 0
    place, clock = after, asyncio.get_running_loop().time
    end = clock() + PAGE_SECONDS
    past = store.read_past(watch.access, after, until)
    async with aclosing(await begin_reading(past, after, watch.check_shown)) as missed:
        async for one in missed:
            if isinstance(one, Place):
                place = max(place, one.start_of_time)
                continue
            if not one.is_whole:
                raise build_expired()
            await watch.prepare_missed(one)
            place = max(place, one.place.start_of_time)  # it names no write that the caller does not see
            if (change := watch.describe(one)) is not None:
                body = to_json(change)
                changes.append(body)
                size += len(body)
                place = one.place
            is_late = clock() > end and place > after
            if len(changes) == limit or size > LARGEST_PAGE or is_late:
                return _render_page(watch, changes, place, has_more=True)
    return _render_page(watch, changes, max(place, Place.behind(until)), has_more=False)


def _render_page(watch: _ChangesWatch, changes: list[bytes], place: Place, *, has_more: bool) -> Json[Any]:
    rest = to_json({"cursor": watch.places.write(place), "hasMore": has_more})
    return Json(b'{"changes":[' + b",".join(changes) + b"]," + rest[1:], 200, {"Cache-Control": "no-store"})
