"""Tree + record type → match document.

Every ``$`` of a match is written here and in ``conditions.py``; text of a caller only ever becomes a
value or, checked against the record type, a path. Negations and lists mean what they mean in MongoDB:
``f:v`` on a list holds when any element does, ``f:!v`` when none does, a missing field included.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeAlias

from runtime.errors import FilterType, UnknownField
from runtime.filter.conditions import EQUALITIES, Conditions, Operators
from runtime.filter.fields import Field, locate
from runtime.filter.own_id import NO_OWN_ID, can_be_own_id, is_own_id
from runtime.filter.position import place, syntax_error
from runtime.filter.syntax import (
    And,
    Compare,
    EdgeKind,
    ElementMatch,
    Exists,
    Expression,
    HasEdge,
    InList,
    Literal,
    Not,
    Number,
    Operator,
    Or,
    Text,
    TextSearch,
)
from runtime.filter.values import read_value
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import overlap_any
from runtime.model.record_type import RecordType

Match: TypeAlias = dict[str, Any]

_ELEMENT: Final = "value"  # the name of an element in `scores:{value:>5}`: plain values have no fields
_TYPES: Final = {
    ValueKind.STRING: ["string"],
    ValueKind.DATE: ["string"],
    ValueKind.INTEGER: ["number"],
    ValueKind.NUMBER: ["number"],
    ValueKind.DECIMAL: ["number"],
    ValueKind.BOOLEAN: ["bool"],
    ValueKind.DATETIME: ["date"],
    ValueKind.OBJECT_ID: ["objectId"],
    ValueKind.OBJECT: ["object"],
    ValueKind.MAP: ["object"],
    ValueKind.LIST: ["array"],
    ValueKind.JSON: ["string", "number", "bool", "object", "array", "date", "objectId"],
}


class EdgeResolver(Protocol):
    """Which records have an edge: asked while compiling, answers with their ids (24 hexadecimal digits).

    It cannot wait. A caller that must ask the store compiles twice: once with a resolver that writes down the
    questions, then with one that knows the answers.
    """

    def __call__(self, kind: EdgeKind, predicate: str, record_id: str, /) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class _Where:
    """Where names are read: ``prefix`` before them; ``cut`` characters of stored paths lie outside.

    ``is_top``: the operands of the outermost ``&&``, where text search may stand.
    """

    prefix: str = ""
    cut: int = 0
    is_top: bool = False


class Matcher:
    """Builds the match of one filter for one record type."""

    def __init__(
        self,
        kind: RecordType[Any],
        conditions: Conditions,
        *,
        hidden: frozenset[str],
        edges: EdgeResolver | None,
        may_search: bool,
    ) -> None:
        self._kind, self._conditions, self._hidden = kind, conditions, hidden
        self._edges, self._may_search = edges, may_search

    def match(self, expression: Expression) -> Match:
        """Build the match of a whole filter."""
        return self._match(expression, _Where(is_top=True))

    def _match(self, node: Expression, where: _Where) -> Match:
        match node:
            case Compare():
                return self._compare(node, where)
            case InList():
                return self._in_list(node, where)
            case And():
                return _all_of([self._match(operand, where) for operand in node.operands])
            case Or():
                inner = _inside(where)
                return {"$or": [self._match(operand, inner) for operand in node.operands]}
            case Not():
                return {"$nor": [self._match(node.operand, _inside(where))]}
            case Exists():
                return self._exists(node, where)
            case ElementMatch():
                return self._element_match(node, where)
            case TextSearch():
                return self._text_search(node, where)
            case HasEdge():
                return self._has_edge(node, where)

    def _compare(self, node: Compare, where: _Where) -> Match:
        found = self._locate(node.path, node.at, where)
        if found.element.is_reference and not (isinstance(node.value, Text) and node.value.is_null):
            found = self._entity_id(node, [node.value], found)
            if node.operator not in EQUALITIES:
                message = (
                    f"{node.path} is a reference, which has no order: order by {node.path}.entityRefName"
                )
                raise self._conditions.refused(node, message, node.at, fieldType="reference")
        if self._conditions.is_own_id(node.value) and node.operator in EQUALITIES:
            match = self._own_id(node, node.value, found)
            return match if node.operator is Operator.EQUAL else {"$nor": [match]}
        return _put(found, where, self._conditions.compare(node, found.element))

    def _in_list(self, node: InList, where: _Where) -> Match:
        found = self._locate(node.path, node.at, where)
        items = node.items if isinstance(node.items, tuple) else (node.items,)
        if found.element.is_reference:
            found = self._entity_id(node, items, found)
        own = [item for item in items if self._conditions.is_own_id(item)] if items is node.items else []
        if own:
            rest = replace(node, items=tuple(item for item in items if item not in own), negated=False)
            return {
                "$nor" if node.negated else "$or": [
                    self._own_id(node, own[0], found),
                    *([self._in_list(rest, where)] if rest.items else []),
                ]
            }
        alternatives = self._conditions.one_of(node, found.element)
        if len(alternatives) == 1 and "$in" in alternatives[0]:
            operator = "$nin" if node.negated else "$in"
            return _put(found, where, {operator: alternatives[0]["$in"]})
        matches = [_put(found, where, operators) for operators in alternatives]
        return {"$nor" if node.negated else "$or": matches}

    def _exists(self, node: Exists, where: _Where) -> Match:
        found = self._locate(node.path, node.at, where)
        if not _lists(found, where) and found.type.kind is not ValueKind.JSON:
            return _put(found, where, {"$ne": None})
        return {found.path[where.cut :]: {"$type": _TYPES[found.type.kind]}}  # of any element

    def _element_match(self, node: ElementMatch, where: _Where) -> Match:
        found = self._locate(node.path, node.at, where)
        inner = found.element
        if found.type.kind in (ValueKind.OBJECT, ValueKind.MAP):
            return self._match(node.inner, _Where(f"{found.path}.", where.cut))
        if inner.kind in (ValueKind.OBJECT, ValueKind.MAP, ValueKind.JSON):
            within = _Where(f"{found.path}.", len(found.path) + 1)
            return _put(found, where, {"$elemMatch": self._match(node.inner, within)})
        if found.type.kind is ValueKind.LIST and inner.kind is not ValueKind.LIST:
            return _put(found, where, {"$elemMatch": self._plain(node, inner)})
        message = f"{node.path} has no elements to match: write {node.path}:value"
        shown = place(self._conditions.text, node.at)
        raise FilterType(message, field=node.path[:200], fieldType=inner.kind.value, expected=[], **shown)

    def _plain(self, node: ElementMatch, element: FieldType) -> Operators:
        """Conditions on the elements of a list of plain values, which go by the name ``value``."""
        operands = node.inner.operands if isinstance(node.inner, And) else (node.inner,)
        merged: Operators = {}
        for operand in operands:
            for operator, value in self._plain_condition(node, operand, element).items():
                if operator in merged:
                    raise self._not_plain(node)
                merged[operator] = value
        return merged

    def _plain_condition(self, node: ElementMatch, operand: Expression, element: FieldType) -> Operators:
        if not isinstance(operand, Compare | InList) or operand.path != _ELEMENT:
            raise self._not_plain(node)
        if isinstance(operand, Compare):
            return self._conditions.compare(operand, element)
        alternatives = self._conditions.one_of(operand, element)
        if len(alternatives) > 1 or (operand.negated and "$in" not in alternatives[0]):
            raise self._not_plain(node)
        return {"$nin": alternatives[0]["$in"]} if operand.negated else alternatives[0]

    def _not_plain(self, node: ElementMatch) -> Exception:
        path = node.path
        message = (
            f"{path} is a list of plain values: join conditions on {_ELEMENT} with &&, each operator once"
        )
        example = f"{path}:{{{_ELEMENT}:>1 && {_ELEMENT}:<5}}"
        return syntax_error(self._conditions.text, node.at, f"{message}, as in {example}", [example])

    def _text_search(self, node: TextSearch, where: _Where) -> Match:
        text = self._conditions.text
        if not self._kind.text:
            raise syntax_error(text, node.at, f"{self._kind.name} has no text index: compare a field instead")
        if not where.is_top or not self._may_search:
            message = "text(…) may stand once, as an operand of the outermost && of a filter"
            raise syntax_error(text, node.at, f"{message}; not in || or !!, not in a rule")
        unseen = self._kind.hidden | self._hidden
        if any(overlap_any(path, unseen) for path in self._kind.text):
            message = f"{self._kind.name} has no fields that text(…) can search: compare a field instead"
            raise UnknownField(message, field="text(…)", nearest=[], expected=[], **place(text, node.at))
        self._may_search = False
        return {"$text": {"$search": node.words}}

    def _has_edge(self, node: HasEdge, where: _Where) -> Match:
        text = self._conditions.text
        if self._edges is None:
            raise syntax_error(text, node.at, f"{node.kind} cannot be asked: ontology is off")
        if where.prefix:
            raise syntax_error(text, node.at, f"{node.kind} is about the record, not about a part of it")
        ids = self._edges(node.kind, node.predicate, self._conditions.record_id(node.target))
        return {"_id": {"$in": [read_value(_ID, record_id) for record_id in ids]}}

    def _entity_id(self, node: Compare | InList, values: Sequence[object], found: Field) -> Field:
        """Return the id field of a reference: references are compared by id alone."""
        for value in values:
            if isinstance(value, Number) or (isinstance(value, Text) and not value.is_null):
                shown = value.text[:100]
                message = (
                    f"{node.path} is a reference: write {node.path}.entityRefName:{shown}, or @@ and the id"
                )
                raise self._conditions.refused(node, message, value.at, fieldType="reference", value=shown)
        entity_id = found.element.fields["entityId"]
        return Field(f"{found.path}.entityId", entity_id, found.lists)

    def _own_id(self, node: Compare | InList, literal: Literal, found: Field) -> Match:
        if found.lists or not can_be_own_id(found.element):
            raise self._conditions.refused(node, NO_OWN_ID, literal.at)
        return is_own_id(found.path, found.element)

    def _locate(self, path: str, at: int, where: _Where) -> Field:
        try:
            return locate(self._kind, where.prefix + path, self._hidden)
        except UnknownField as error:
            error.details |= {"expected": error.details["nearest"], **place(self._conditions.text, at)}
            raise


_ID: Final = FieldType(ValueKind.OBJECT_ID)


def _inside(where: _Where) -> _Where:
    return _Where(where.prefix, where.cut) if where.is_top else where


def _put(found: Field, where: _Where, operators: Operators) -> Match:
    """Operators at the path of a field. Several of them must hold for the same value of a list."""
    lists = _lists(found, where)
    inner = operators.get("$not", operators)
    if not lists or len(inner) == 1:
        return {found.path[where.cut :]: operators}
    match = _within(found.path, lists, where.cut, inner)
    return match if inner is operators else {"$nor": [match]}


def _lists(found: Field, where: _Where) -> list[str]:
    """Return the lists around a value, except those around the element that is being matched."""
    return [path for path in found.lists if len(path) >= where.cut]


def _within(path: str, lists: Sequence[str], cut: int, operators: Operators) -> Match:
    """One ``$elemMatch`` a list on the way, so that the operators meet in a single value."""
    match, end = operators, path
    for outer in reversed(lists):
        rest = end[len(outer) + 1 :]
        match, end = {"$elemMatch": {rest: match} if rest else match}, outer
    return {end[cut:]: match}


def _all_of(matches: list[Match]) -> Match:
    """All of them: one document when no key is named twice, else ``$and``."""
    merged: Match = {}
    for match in matches:
        merged |= match
    return merged if len(merged) == sum(map(len, matches)) else {"$and": matches}
