"""The record that ``hasEdge`` names, by its id, and the question about it."""

from typing import Final

from runtime.errors import FilterSyntax, FilterType
from runtime.filter.bindings import Bindings
from runtime.filter.position import place, syntax_error
from runtime.filter.predicate import Predicate
from runtime.filter.resolvers import EdgeResolver
from runtime.filter.syntax import HasEdge
from runtime.filter.syntax_literals import Literal, Number, ReferenceId, Text, Variable
from runtime.filter.unreadable import Unreadable
from runtime.filter.values import read_value
from runtime.model.field_type import FieldType, ValueKind

_ID: Final = FieldType(ValueKind.OBJECT_ID)
_NO_ID: Final = "0" * 24


def read_record_id(literal: Literal, bindings: Bindings) -> str:
    """Return the id that an edge names, as 24 hexadecimal digits."""
    text = literal.id if isinstance(literal, ReferenceId) else None
    if isinstance(literal, Text | Number):
        text = literal.text
    elif isinstance(literal, Variable):
        text = str(bindings.bound(literal))
    try:
        return str(read_value(_ID, text or ""))
    except Unreadable:
        if bindings.for_rule and isinstance(literal, Variable):
            bindings.leave_undecided(f"${{{literal.name}}} is not an id")
            return _NO_ID
        message = "the second argument is a record id of 24 hexadecimal digits"
        raise syntax_error(bindings.text, literal.at, message, ["an id"]) from None


def ask_edge(edges: EdgeResolver, node: HasEdge, record_id: str, text: str) -> Predicate:
    """Ask what matches the records with an edge; what is refused is reported at its place in the text."""
    try:
        return edges(node.kind, node.predicate, record_id)
    except (FilterSyntax, FilterType) as error:
        error.details |= place(text, node.at)
        raise
