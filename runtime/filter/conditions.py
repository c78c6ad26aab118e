"""One comparison of one value: literal, operator and field type → MongoDB operators.

Knows nothing of paths in documents: ``mongo.py`` puts the operators there. Binds variables as typed values.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from runtime.errors import FilterType
from runtime.filter.bindings import Bindings
from runtime.filter.literal_values import as_declared, read_pattern, read_variable, span_of
from runtime.filter.moment import advise_relative, is_relative, read_relative
from runtime.filter.own_id import NO_OWN_ID, OWN_ID
from runtime.filter.position import place
from runtime.filter.quoted import spell_path
from runtime.filter.syntax import AboutField, Compare, InList, Operator
from runtime.filter.syntax_literals import Literal, Number, OtherField, ReferenceId, Text, Variable
from runtime.filter.unreadable import Unreadable, unreadable
from runtime.filter.values import read_value
from runtime.model.field_type import FieldType, ValueKind

Operators: TypeAlias = dict[str, Any]
Span: TypeAlias = tuple[Any, Any]

MAX_WILDCARD: Final = 256  # characters; a part between stars costs its length at each place of a value
MAX_IGNORING_CASE: Final = 1000  # characters; MongoDB refuses patterns beyond 32 KiB

EQUALITIES: Final = {Operator.EQUAL: "$eq", Operator.NOT_EQUAL: "$ne"}
_ORDER: Final = {
    Operator.LESS: "$lt",
    Operator.LESS_OR_EQUAL: "$lte",
    Operator.GREATER: "$gt",
    Operator.GREATER_OR_EQUAL: "$gte",
}
_TEXTUAL: Final = frozenset({ValueKind.STRING, ValueKind.JSON})
_DATES: Final = frozenset({ValueKind.DATE, ValueKind.DATETIME})
_WHOLES: Final = frozenset({ValueKind.OBJECT, ValueKind.MAP, ValueKind.LIST})


class Conditions:
    """The comparisons of one filter text, with the variables they may name."""

    def __init__(self, bindings: Bindings) -> None:
        self.bindings = bindings
        self.text = bindings.text

    def compare(self, node: Compare, field_type: FieldType) -> Operators:
        """Compile ``field:value`` to operators on one value; a span of time has two of them."""
        value, operator = node.value, node.operator
        if isinstance(value, Text) and value.is_null:
            return self._null(node)
        self.check_whole(node, field_type)
        if operator not in EQUALITIES:
            return {_ORDER[operator]: self._read_ordered(node, field_type)}
        negated, span = operator is Operator.NOT_EQUAL, self._span(node, value, field_type)
        if span is not None and span[0] == span[1]:
            return {EQUALITIES[operator]: span[0]}
        if span is not None:
            whole = {"$gte": span[0], "$lte": span[1]}
            return {"$not": whole} if negated else whole
        if isinstance(value, Text) and (value.is_pattern or value.ignore_case):
            found = {"$regex": self._pattern(node, value, field_type)}
            return {"$not": found} if negated else found
        return {EQUALITIES[operator]: self._value(node, value, field_type)}

    def one_of(self, node: InList, field_type: FieldType) -> list[Operators]:
        """Compile ``field:^[…]`` to alternatives on one value, one more for each span of time."""
        if isinstance(node.items, Variable):
            return [{"$in": self._read_list(node, node.items, field_type)}]
        values: list[Any] = []
        spans: list[Operators] = []
        for item in node.items:
            span = self._span(node, item, field_type)
            if span is not None and span[0] == span[1]:
                values.append(span[0])
            elif span is not None:
                spans.append({"$gte": span[0], "$lte": span[1]})
            else:
                values.append(self._item(node, item, field_type))
        return [{"$in": values}, *spans] if values or not spans else spans

    def refused(self, node: AboutField, message: str, at: int, **details: Any) -> FilterType:
        """Create a ``FilterType`` about the field of a node."""
        details.setdefault("expected", [])
        return FilterType(message, field=node.path[:200], **details, **place(self.text, at))

    def _null(self, node: Compare) -> Operators:
        if node.operator not in EQUALITIES:
            message = f"null has no order: write {node.path}:null or {node.path}:!null"
            raise self.refused(node, message, node.value.at, value="null")
        return {EQUALITIES[node.operator]: None}

    def check_whole(self, node: AboutField, field_type: FieldType) -> None:
        """Refuse a condition on objects, maps and lists of lists as a whole."""
        if field_type.kind not in _WHOLES:
            return
        path = node.path
        known = next(iter(field_type.fields), "name")
        about = {
            ValueKind.OBJECT: f"{path} is an object: name one of its fields, as in {path}.{known}",
            ValueKind.MAP: f"{path} is a map: name one of its keys, as in {path}.key",
            ValueKind.LIST: f"{path} is a list of lists: write {path}:~ or {path}:null",
        }
        raise self.refused(node, about[field_type.kind], node.at, fieldType=field_type.kind.value)

    def _read_ordered(self, node: Compare, field_type: FieldType) -> Any:
        value, path = node.value, node.path
        if field_type.kind is ValueKind.BOOLEAN:
            message = f"{path} is a boolean, which has no order: write {path}:true"
            raise self.refused(node, message, node.at, fieldType="boolean")
        if isinstance(value, Text) and (value.is_pattern or value.ignore_case):
            said = "wildcards go" if value.is_pattern else "~ci goes"
            raise self.refused(node, f"{said} with {path}: and {path}:!, not with an ordering", value.at)
        if span := self._span(node, value, field_type):
            return span[0]
        return self._value(node, value, field_type)

    def _span(
        self, node: Compare | InList, literal: Literal, field_type: FieldType
    ) -> tuple[Any, Any] | None:
        """Return first and last value of a date that stands for several, or is relative to now."""
        if not (field_type.kind in _DATES and isinstance(literal, Text) and is_relative(literal)):
            return span_of(literal, field_type, self.bindings.zone)
        if self.bindings.moment is None:
            message = (
                f"{literal.text} is relative to the moment of a request: rules, constraints, lookups and "
                f"scripts take dates, as in {node.path}:>=2026-03-27"
            )
            raise self.refused(node, message, literal.at, value=literal.text)
        try:
            return read_relative(literal.text, field_type, self.bindings.moment)
        except (OverflowError, ValueError):
            message = f"{literal.text} is not in the calendar, which has the years 1 to 9999"
            raise self.refused(node, message, literal.at, value=literal.text) from None

    def _pattern(self, node: Compare | InList, value: Text, field_type: FieldType) -> Any:
        said, most = ("wildcards", MAX_WILDCARD) if value.is_pattern else ("~ci", MAX_IGNORING_CASE)
        if len(value.text) > most:
            raise self.refused(node, f"with {said} a text has at most {most} characters", value.at)
        if field_type.kind not in _TEXTUAL:
            refusal = unreadable(field_type)
            example = print_condition(node, refusal.example)
            message = f"{node.path} is {refusal} and takes no {said}: write {example}"
            details = {"fieldType": field_type.kind.value, "value": value.text[:100]}
            raise self.refused(node, message, value.at, **details)
        if field_type.values and not value.is_pattern:
            self._read(node, as_declared(value, field_type), field_type)
        return read_pattern(value)

    def _item(self, node: InList, item: Literal, field_type: FieldType) -> Any:
        if isinstance(item, Text) and item.is_null:
            return None
        self.check_whole(node, field_type)
        if isinstance(item, Text) and (item.is_pattern or item.ignore_case):
            return self._pattern(node, item, field_type)
        return self._value(node, item, field_type)

    def _value(self, node: Compare | InList, literal: Literal, field_type: FieldType) -> Any:
        if isinstance(literal, OtherField):
            message = "another field is compared outside of lists, as in arrivesAt:>$departsAt"
            raise self.refused(node, message, literal.at)
        if not isinstance(literal, Variable):
            return self._read(node, literal, field_type)
        value = self.bindings.bound(literal)
        if value is OWN_ID:
            raise self.refused(node, NO_OWN_ID, literal.at)
        if _is_list(value):
            message = f"${{{literal.name}}} is a list: write {node.path}:^${{{literal.name}}}"
            raise self.refused(node, message, literal.at)
        return self._read_bound(node, literal, value, field_type)

    def _read_list(self, node: InList, variable: Variable, field_type: FieldType) -> list[Any]:
        self.check_whole(node, field_type)
        values = self.bindings.bound(variable)
        if values is not None and not _is_list(values):
            message = f"${{{variable.name}}} is one value: write {node.path}:${{{variable.name}}}"
            raise self.refused(node, message, variable.at)
        given = [value for value in values or () if value is not None]
        if self.bindings.for_rule and not any(value != "" for value in given):
            self.bindings.leave_undecided(f"${{{variable.name}}} has no value")
        return [self._read_bound(node, variable, value, field_type) for value in given]

    def _read(
        self, node: Compare | InList, literal: Text | Number | ReferenceId, field_type: FieldType
    ) -> Any:
        try:
            return read_value(field_type, literal)
        except Unreadable as error:
            said = literal.id if isinstance(literal, ReferenceId) else literal.text
            raise self._misread(node, error, field_type, said, literal.at) from None

    def _read_bound(
        self, node: Compare | InList, variable: Variable, value: Any, field_type: FieldType
    ) -> Any:
        if value is None:
            return None
        try:
            return read_variable(field_type, value)
        except Unreadable as error:
            if not self.bindings.for_rule:
                raise self._misread(node, error, field_type, str(value), variable.at) from None
            return self.bindings.leave_undecided(f"${{{variable.name}}} is not a value of {node.path}")

    def _misread(
        self, node: Compare | InList, error: Unreadable, field_type: FieldType, value: str, at: int
    ) -> FilterType:
        example = print_condition(node, error.example)
        message = f"{node.path} is {error}: write {example}{advise_relative(value, field_type)}"
        details = {"fieldType": field_type.kind.value, "value": value[:100], "expected": [error.expected]}
        return self.refused(node, message, at, **details)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | frozenset | set) and not isinstance(value, str)


def print_condition(node: Compare | InList, value: str, member: str = "") -> str:
    """Print a condition with another value than the caller wrote, on a ``member`` of its field if named."""
    path = f"{spell_path(node.path)}{member}"
    if isinstance(node, InList):
        return f"{path}:{'!' if node.negated else ''}^[{value}]"
    return f"{path}{node.operator}{value}"
