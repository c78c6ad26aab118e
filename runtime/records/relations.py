"""The filter of a caller: compiled with its relation blocks, whose records the store is asked for.

``customer{active:true}`` becomes the ids of the customers that match, as far as the caller may view them:
scope, rules and hidden fields of the target's own ``Access`` apply, and archived records are left out. So a
record outside the caller's reach narrows no answer. Everything that can be refused by the text and the rules
alone is refused before the first command; each block is one command that returns ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from runtime.access.guard import allow
from runtime.access.variables import filter_variables
from runtime.call import Call
from runtime.errors import TooWide
from runtime.filter import EVERYTHING, Predicate, Projection, compile_filter, differs, named_fields
from runtime.filter.syntax import Expression, Filter, RelationBlock
from runtime.storage.access import Access, Action

MOST_TARGETS: Final = 10_000
"""Records that one block may match; each is an id in the command that follows."""

_NOT_ARCHIVED: Final = differs(activeStatus="ARCHIVED")
_ID: Final = Projection(include=("id",))


async def compile_callers_filter(call: Call, access: Access, source: str | Filter | None) -> Predicate:
    """Compile the filter of a caller: without archived records unless it names ``activeStatus``.

    Raises what ``compile_filter`` does, ``Denied`` for a block on records that the caller may not view, and
    ``TooWide`` for one that matches too many of them.
    """
    questions = tuple(_find_questions(call, access, source)) if source and "{" in _text_of(source) else ()
    return await _compile(call, access, source, questions)


def check_callers_filter(call: Call, access: Access, source: str | Filter) -> None:
    """Check the filter of a caller as ``compile_callers_filter`` does; the store is not asked."""
    tuple(_find_questions(call, access, source))


@dataclass(frozen=True, slots=True)
class _Question:
    """One block: the records of a type that it asks for, with the blocks inside it."""

    target: str
    block: RelationBlock
    access: Access
    inner: Filter
    questions: tuple[_Question, ...]


def _text_of(source: str | Filter) -> str:
    return source if isinstance(source, str) else source.text


def _find_questions(call: Call, access: Access, source: str | Filter) -> Iterator[_Question]:
    """Yield what a filter and its blocks ask for, each once; checks all of it."""
    noted: dict[tuple[str, Expression], RelationBlock] = {}

    def note(target: str, block: RelationBlock) -> Sequence[Any]:
        noted.setdefault((target, block.where), block)
        return ()

    kind = access.kind
    variables = filter_variables(call, kind)
    compile_filter(source, kind, variables, hidden=access.hidden, relations=note, moment=call.moment)
    for (target, where), block in noted.items():
        theirs = allow(call, call.service.catalog[target], Action.VIEW)
        inner = Filter(where, _text_of(source))
        yield _Question(target, block, theirs, inner, tuple(_find_questions(call, theirs, inner)))


async def _compile(
    call: Call, access: Access, source: str | Filter | None, questions: Sequence[_Question]
) -> Predicate:
    kind, match = access.kind, EVERYTHING
    known = {(one.target, one.block.where): await _find_ids(call, one) for one in questions}
    if source:
        match = compile_filter(
            source,
            kind,
            filter_variables(call, kind),
            hidden=access.hidden,
            relations=lambda target, block: known[target, block.where],
            moment=call.moment,
        )
    if kind.on_delete == "archive" and not (source and "activeStatus" in named_fields(source)):
        return _NOT_ARCHIVED & match
    return match


async def _find_ids(call: Call, question: _Question) -> Sequence[Any]:
    match = await _compile(call, question.access, question.inner, question.questions)
    rows = await call.store.find(question.access, match, projection=_ID, limit=MOST_TARGETS + 1)
    if len(rows) > MOST_TARGETS:
        path = question.block.path
        message = f"{path}{{…}} matches more than {MOST_TARGETS} {question.target} records: add a condition"
        raise TooWide(f"{message} to the block, or compare {path}.entityRefName", field=path)
    return [row["_id"] for row in rows]
