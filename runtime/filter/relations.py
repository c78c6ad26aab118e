"""Relation blocks, ``path{ … }``: how many a filter may have, and the records they ask for. Pure.

A block becomes a comparison of the id in a reference with the ids of the records that match the block. The
compiler gets these from a ``RelationResolver``; ``records.relations`` has the one that asks the store.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

from runtime.errors import FilterSyntax, UnknownField
from runtime.filter.fields import Columns, locate, shows_ref_name
from runtime.filter.position import syntax_error
from runtime.filter.syntax import Expression, RelationBlock, operands_of
from runtime.model.paths import around
from runtime.model.record_type import RecordType

MAX_BLOCKS: Final = 8
MAX_DEPTH: Final = 3


class RelationResolver(Protocol):
    """Which records of type ``target`` match a block: asked while compiling, answers with their stored ids.

    It cannot wait. A caller that must ask the store compiles twice: once with a resolver that notes the
    questions, then with one that knows the answers.
    """

    def __call__(self, target: str, block: RelationBlock, /) -> Sequence[Any]: ...


def check_blocks(expressions: Sequence[Expression], text: str) -> None:
    """Check how many relation blocks a text has, and how deep they are nested. Raises ``FilterSyntax``."""
    number = 0
    for expression in expressions:
        for block, depth in _blocks(expression, 1):
            number += 1
            if depth > MAX_DEPTH:
                raise syntax_error(text, block.at, f"relation blocks are nested at most {MAX_DEPTH} deep")
            if number > MAX_BLOCKS:
                raise syntax_error(text, block.at, f"a filter has at most {MAX_BLOCKS} relation blocks")


def target_at(kind: RecordType[Any] | Columns, path: str) -> str | None:
    """Return the record type to which the reference at a stored path points; None where none is."""
    return next((one.target for one in kind.references if one.key == f"{path}.entityId"), None)


def not_here(
    block: RelationBlock, text: str, *, has_name: bool, who: str = "filters that are decided on one record"
) -> FilterSyntax:
    """Build the refusal of a block where no other records can be asked for.

    ``has_name``: whether the name in the reference may be named. ``who``: what takes no blocks.
    """
    start = f"{block.path}.entityRefName:" if has_name else f"{block.path}:@@"
    message = (
        f"{block.path}{{…}} is a relation block, about other records; {who} take no relation blocks: "
        f"compare what the reference holds, as in {start}…"
    )
    return syntax_error(text, block.at, message, [f"{start}{'value' if has_name else 'id'}"])


def refuse_blocks(
    who: str, text: str, kind: RecordType[Any], hidden: frozenset[str] = frozenset()
) -> RelationResolver:
    """Return a resolver that refuses the blocks of a filter, naming ``who`` takes none."""

    def refuse(_target: str, block: RelationBlock, /) -> Sequence[Any]:
        raise not_here(block, text, has_name=shows_ref_name(kind, block.path, hidden), who=who)

    return refuse


def advise_block(kind: RecordType[Any] | Columns, prefix: str, path: str, hidden: frozenset[str]) -> str:
    """Say how the referenced record is filtered, for an unknown path that leads behind a reference.

    Whether that record has such a field is not looked at: the caller may not be allowed to know.
    """
    for outer in around(path):
        try:
            found = locate(kind, prefix + outer, hidden)
        except UnknownField:
            return ""
        if found.element.is_reference:
            inner = path[len(outer) + 1 :][:200]
            return f"; to filter by the referenced record write {outer[:200]}{{{inner}:…}}"
    return ""


def _blocks(node: Expression, depth: int) -> Iterator[tuple[RelationBlock, int]]:
    if isinstance(node, RelationBlock):
        yield node, depth
        depth += 1
    for operand in operands_of(node):
        yield from _blocks(operand, depth)
