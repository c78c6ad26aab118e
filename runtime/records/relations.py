"""The filter of a caller: compiled with what it asks the store for: relation blocks, text searches, edges.

``customer{active:true}`` becomes the ids of the customers that match, as far as the caller may view them:
scope, rules and hidden fields of the target's own ``Access`` apply, and archived records are left out. So a
record outside the caller's reach narrows no answer. Everything that can be refused by the text and the rules
alone is refused before the first command; each block is one command that returns ids.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from runtime.call import Call
from runtime.errors import TooWide
from runtime.fast.wire_rows import WireRows
from runtime.filter import (
    EVERYTHING,
    NOTHING,
    Predicate,
    Projection,
    differs,
    list_besides_edge,
    named_fields,
)
from runtime.filter.syntax import Filter, TextSearch, conjunction
from runtime.records.questions import EdgeQuestion, Question, compile_text, find_questions, key_of, text_of
from runtime.sources import Ends, Window
from runtime.storage.access import Access
from runtime.storage.store import Linked, Links, Provided

MOST_TARGETS: Final = 10_000
"""Records that one block or search may match; each is an id in the command that follows."""

_MAY_ASK: Final = re.compile(r"\{|text|Edge")
_NOT_ARCHIVED: Final = differs(activeStatus="ARCHIVED")
_ID: Final = Projection(include=("id",))


async def compile_callers_filter(call: Call, access: Access, source: str | Filter | None) -> Predicate:
    """Compile the filter of a caller: without archived records unless it names ``activeStatus``.

    Raises what ``compile_filter`` does, ``Denied`` for a block on records that the caller may not view, and
    ``TooWide`` for one that matches too many of them.
    """
    return await read_callers_filter(call, access, source).compile()


def read_callers_filter(call: Call, access: Access, source: str | Filter | None) -> CallersFilter:
    """Read the filter of a caller, and check what can be checked without the store."""
    asks = source and _MAY_ASK.search(text_of(source))
    questions = tuple(find_questions(call, access, source)) if source and asks else ()
    return CallersFilter(call, access, source, questions)


def check_callers_filter(call: Call, access: Access, source: str | Filter) -> None:
    """Check the filter of a caller as ``compile_callers_filter`` does; the store is not asked."""
    tuple(find_questions(call, access, source))


@dataclass(slots=True)
class CallersFilter:
    """A filter with what it asks the store for. ``is_of_all``: archived records are not left out."""

    call: Call
    access: Access
    source: str | Filter | None
    questions: Sequence[Question | EdgeQuestion]
    is_of_all: bool = False
    _answers: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def asks_for_edges(self) -> bool:
        """Whether the filter says which edges records have, outside of relation blocks."""
        return any(isinstance(one, EdgeQuestion) for one in self.questions)

    async def compile(self) -> Predicate:
        """Compile it for all records. Raises ``TooWide``."""
        return (await self.compile_within(None))[0]

    async def compile_within(self, window: Window | None) -> tuple[Predicate, Any | None]:
        """Compile it for a window of ids, with the last id that it is right for; None: for all.

        Answers about edges end with the window, each at an id of its own. Up to the first of these ids all
        are whole, hence the filter is right, whatever it makes of them. Blocks and searches are asked once.
        """
        known, reaches = self._answers, []
        for one in self.questions:
            if isinstance(one, EdgeQuestion):
                ends = await _find_ends(self.call, one, window)
                known[one.key] = ends.match
                reaches += [] if ends.reach is None else [ends.reach]
            elif one.key not in known:
                known[one.key] = await _find_ids(self.call, one)
        return self.compile_known(), min(reaches, default=None)

    async def find_linked(
        self, window: Window, projection: Projection | None, wire: WireRows | None
    ) -> Linked[Any] | None:
        """Find the records of a window together with their edges; None where that takes several commands."""
        call, edges, asked = self.call, self.call.service.edges, self.questions[0]
        others = list_besides_edge(self.source) if self.source and len(self.questions) == 1 else None
        if others is None or edges is None or not isinstance(asked, EdgeQuestion):
            return None
        rest = Filter(conjunction(others), text_of(self.source or "")) if others else None
        match = CallersFilter(call, self.access, rest, (), self.is_of_all).compile_known()

        async def read(page: Links | Provided) -> Linked[Any] | None:
            return await call.store.find_linked(self.access, page, match, projection=projection, wire=wire)

        place = asked.access.kind, asked.side, asked.predicate, asked.record_id
        return await edges.find_linked(call, *place, window, read)

    def compile_known(self) -> Predicate:
        """Compile it by the answers that are there; the store is not asked."""
        access, source, known = self.access, self.source, self._answers
        match = EVERYTHING
        if source:
            match = compile_text(
                self.call,
                access,
                source,
                lambda target, block: known[key_of(target, block)],
                lambda search: known[search],
                lambda side, predicate, record_id: known[side, predicate, record_id],
            )
        if self.is_of_all or access.kind.on_delete != "archive":
            return match
        return match if source and "activeStatus" in named_fields(source) else _NOT_ARCHIVED & match


async def _find_ends(call: Call, asked: EdgeQuestion, window: Window | None) -> Ends:
    source, kind = call.service.edges, asked.access.kind
    if source is None:
        return Ends(NOTHING)
    return await source.find_ends(call, kind, asked.side, asked.predicate, asked.record_id, window)


async def _find_ids(call: Call, question: Question) -> Sequence[Any]:
    is_search = isinstance(question.node, TextSearch)
    inner = CallersFilter(call, question.access, question.inner, question.questions, is_of_all=is_search)
    match = await inner.compile()
    rows = await call.store.find(question.access, match, projection=_ID, limit=MOST_TARGETS + 1)
    if len(rows) > MOST_TARGETS:
        raise _too_wide(question)
    return [row["_id"] for row in rows]


def _too_wide(question: Question) -> TooWide:
    if isinstance(question.node, TextSearch):
        message = f"text(…) matches more than {MOST_TARGETS} records: search for rarer words"
        return TooWide(f"{message}, or put it into the outermost &&", field="text(…)")
    path, target = question.node.path, question.access.kind.shown_name
    message = f"{path}{{…}} matches more than {MOST_TARGETS} {target} records: add a condition"
    return TooWide(f"{message} to the block, or compare {path}.entityRefName", field=path)
