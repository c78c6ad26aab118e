"""The filter of a caller: compiled with what it asks the store for: relation blocks, text searches, edges.

``customer{active:true}`` becomes the ids of the customers that match, as far as the caller may view them:
scope, rules and hidden fields of the target's own ``Access`` apply, and archived records are left out. So a
record outside the caller's reach narrows no answer. Everything that can be refused by the text and the rules
alone is refused before the first command; each block is one command that returns ids.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from runtime.access.variables import filter_variables
from runtime.call import Call
from runtime.errors import FilterSyntax, TooWide
from runtime.fast.wire_rows import WireRows
from runtime.filter import (
    EVERYTHING,
    NOTHING,
    EdgeResolver,
    Predicate,
    Projection,
    RelationResolver,
    SearchResolver,
    ask_edges_alone,
    compile_filter,
    compile_for_all,
    differs,
    list_besides_edge,
    named_fields,
)
from runtime.filter.syntax import EdgeKind, Filter, RelationBlock, TextSearch, conjunction
from runtime.records.viewing import allow_target
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
    asks = source and _MAY_ASK.search(_text_of(source))
    questions = tuple(_find_questions(call, access, source)) if source and asks else ()
    return CallersFilter(call, access, source, questions)


def check_callers_filter(call: Call, access: Access, source: str | Filter) -> None:
    """Check the filter of a caller as ``compile_callers_filter`` does; the store is not asked."""
    tuple(_find_questions(call, access, source))


@dataclass(frozen=True, slots=True)
class _EdgeQuestion:
    """Which records of the filtered type have an edge with a record."""

    access: Access
    side: EdgeKind
    predicate: str
    record_id: str

    @property
    def key(self) -> Hashable:
        return self.side, self.predicate, self.record_id


@dataclass(frozen=True, slots=True)
class _Question:
    """One block, or one text search that is no operand of the outermost ``&&``: the records it asks for.

    ``inner``: what they match, with questions of its own.
    """

    key: Hashable
    node: RelationBlock | TextSearch
    access: Access
    inner: Filter
    questions: tuple[_Question | _EdgeQuestion, ...] = ()


def _text_of(source: str | Filter) -> str:
    return source if isinstance(source, str) else source.text


def _key_of(target: str, block: RelationBlock) -> Hashable:
    return target, block.where


def _find_questions(call: Call, access: Access, source: str | Filter) -> Iterator[_Question | _EdgeQuestion]:
    """Yield what a filter asks for, each once; checks all of it."""
    blocks: dict[Hashable, tuple[str, RelationBlock]] = {}
    searches: dict[TextSearch, None] = {}
    edges: dict[Hashable, _EdgeQuestion] = {}

    def note_block(target: str, block: RelationBlock) -> Sequence[Any]:
        blocks.setdefault(_key_of(target, block), (target, block))
        return ()

    def note_search(search: TextSearch) -> Sequence[Any]:
        searches[search] = None
        return ()

    def note_edge(side: EdgeKind, predicate: str, record_id: str) -> Predicate:
        if call.service.edges is None:
            raise FilterSyntax("the ontology is off: ontology.enabled switches it on", expected=[])
        call.service.edges.check(call, access.kind, side, predicate)
        asked = _EdgeQuestion(access, side, predicate, record_id)
        edges[asked.key] = asked
        return NOTHING

    may_have_edges = isinstance(source, str) and call.service.edges is not None
    if not (may_have_edges and ask_edges_alone(_text_of(source), note_edge)):
        _compile_text(call, access, source, note_block, note_search, note_edge)
    text = _text_of(source)
    for key, (target, block) in blocks.items():
        theirs = allow_target(call, call.service.catalog[target], block.path)
        inner = Filter(block.where, text)
        yield _Question(key, block, theirs, inner, tuple(_find_questions(call, theirs, inner)))
    for search in searches:
        yield _Question(search, search, access, Filter(search, text))
    yield from edges.values()


def _compile_text(
    call: Call,
    access: Access,
    source: str | Filter,
    relations: RelationResolver,
    searches: SearchResolver,
    edges: EdgeResolver,
) -> Predicate:
    known = compile_for_all(source, access.kind, access.hidden, call.moment.zone)
    return known or compile_filter(
        source, access.kind, filter_variables(call, access.kind), hidden=access.hidden, relations=relations,
        searches=searches, edges=edges, moment=call.moment,
    )  # fmt: skip


@dataclass(slots=True)
class CallersFilter:
    """A filter with what it asks the store for. ``is_of_all``: archived records are not left out."""

    call: Call
    access: Access
    source: str | Filter | None
    questions: Sequence[_Question | _EdgeQuestion]
    is_of_all: bool = False
    _answers: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def asks_for_edges(self) -> bool:
        """Whether the filter says which edges records have, outside of relation blocks."""
        return any(isinstance(one, _EdgeQuestion) for one in self.questions)

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
            if isinstance(one, _EdgeQuestion):
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
        if others is None or edges is None or not isinstance(asked, _EdgeQuestion):
            return None
        rest = Filter(conjunction(others), _text_of(self.source or "")) if others else None
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
            match = _compile_text(
                self.call,
                access,
                source,
                lambda target, block: known[_key_of(target, block)],
                lambda search: known[search],
                lambda side, predicate, record_id: known[side, predicate, record_id],
            )
        if self.is_of_all or access.kind.on_delete != "archive":
            return match
        return match if source and "activeStatus" in named_fields(source) else _NOT_ARCHIVED & match


async def _find_ends(call: Call, asked: _EdgeQuestion, window: Window | None) -> Ends:
    source, kind = call.service.edges, asked.access.kind
    if source is None:
        return Ends(NOTHING)
    return await source.find_ends(call, kind, asked.side, asked.predicate, asked.record_id, window)


async def _find_ids(call: Call, question: _Question) -> Sequence[Any]:
    is_search = isinstance(question.node, TextSearch)
    inner = CallersFilter(call, question.access, question.inner, question.questions, is_of_all=is_search)
    match = await inner.compile()
    rows = await call.store.find(question.access, match, projection=_ID, limit=MOST_TARGETS + 1)
    if len(rows) > MOST_TARGETS:
        raise _too_wide(question)
    return [row["_id"] for row in rows]


def _too_wide(question: _Question) -> TooWide:
    if isinstance(question.node, TextSearch):
        message = f"text(…) matches more than {MOST_TARGETS} records: search for rarer words"
        return TooWide(f"{message}, or put it into the outermost &&", field="text(…)")
    path, target = question.node.path, question.access.kind.name
    message = f"{path}{{…}} matches more than {MOST_TARGETS} {target} records: add a condition"
    return TooWide(f"{message} to the block, or compare {path}.entityRefName", field=path)
