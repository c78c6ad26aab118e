"""What the filter of a caller asks the store for: relation blocks, text searches, edges.

Everything that can be refused by the text and the rules alone is refused as the questions are found.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.access.variables import filter_variables
from runtime.call import Call
from runtime.errors import FilterSyntax
from runtime.filter import (
    NOTHING,
    EdgeResolver,
    Predicate,
    RelationResolver,
    SearchResolver,
    ask_edges_alone,
    compile_filter,
    compile_for_all,
)
from runtime.filter.syntax import EdgeKind, Filter, RelationBlock, TextSearch
from runtime.records.viewing import allow_target
from runtime.storage.access import Access


@dataclass(frozen=True, slots=True)
class EdgeQuestion:
    """Which records of the filtered type have an edge with a record."""

    access: Access
    side: EdgeKind
    predicate: str
    record_id: str

    @property
    def key(self) -> Hashable:
        """What two questions about the same have in common."""
        return self.side, self.predicate, self.record_id


@dataclass(frozen=True, slots=True)
class Question:
    """One block, or one text search that is no operand of the outermost ``&&``: the records it asks for.

    ``inner``: what they match, with questions of its own.
    """

    key: Hashable
    node: RelationBlock | TextSearch
    access: Access
    inner: Filter
    questions: tuple[Question | EdgeQuestion, ...] = ()


def text_of(source: str | Filter) -> str:
    """Return the text of a filter."""
    return source if isinstance(source, str) else source.text


def key_of(target: str, block: RelationBlock) -> Hashable:
    """Return what two blocks that ask for the same have in common."""
    return target, block.where


def find_questions(call: Call, access: Access, source: str | Filter) -> Iterator[Question | EdgeQuestion]:
    """Yield what a filter asks for, each once; checks all of it."""
    blocks: dict[Hashable, tuple[str, RelationBlock]] = {}
    searches: dict[TextSearch, None] = {}
    edges: dict[Hashable, EdgeQuestion] = {}

    def note_block(target: str, block: RelationBlock) -> Sequence[Any]:
        blocks.setdefault(key_of(target, block), (target, block))
        return ()

    def note_search(search: TextSearch) -> Sequence[Any]:
        searches[search] = None
        return ()

    def note_edge(side: EdgeKind, predicate: str, record_id: str) -> Predicate:
        if call.service.edges is None:
            raise FilterSyntax("the ontology is off: ontology.enabled switches it on", expected=[])
        call.service.edges.check(call, access.kind, side, predicate)
        asked = EdgeQuestion(access, side, predicate, record_id)
        edges[asked.key] = asked
        return NOTHING

    may_have_edges = isinstance(source, str) and call.service.edges is not None
    if not (may_have_edges and ask_edges_alone(text_of(source), note_edge)):
        compile_text(call, access, source, note_block, note_search, note_edge)
    text = text_of(source)
    for key, (target, block) in blocks.items():
        theirs = allow_target(call, call.service.catalog[target], block.path)
        inner = Filter(block.where, text)
        yield Question(key, block, theirs, inner, tuple(find_questions(call, theirs, inner)))
    for search in searches:
        yield Question(search, search, access, Filter(search, text))
    yield from edges.values()


def compile_text(
    call: Call,
    access: Access,
    source: str | Filter,
    relations: RelationResolver,
    searches: SearchResolver,
    edges: EdgeResolver,
) -> Predicate:
    """Compile the filter of a caller. Raises what ``compile_filter`` does."""
    known = compile_for_all(source, access.kind, access.hidden, call.moment.zone)
    return known or compile_filter(
        source, access.kind, filter_variables(call, access.kind), hidden=access.hidden, relations=relations,
        searches=searches, edges=edges, moment=call.moment,
    )  # fmt: skip
