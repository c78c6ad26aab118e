"""Tree + record type → match document.

Every ``$`` of a match is written here and in ``conditions.py``; text of a caller only ever becomes a
value or, checked against the record type, a path. Negations and lists mean what they mean in MongoDB:
``f:v`` on a list holds when any element does, ``f:!v`` when none does, a missing field included.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from runtime.errors import UnknownField
from runtime.filter.conditions import EQUALITIES, Conditions, print_condition
from runtime.filter.edge_ends import ask_edge, read_record_id
from runtime.filter.fields import Columns, Field, locate, shows_ref_name
from runtime.filter.own_id import NO_OWN_ID, can_be_own_id, is_own_id
from runtime.filter.placing import Match, Where, all_of, lists_around, put
from runtime.filter.plain_elements import match_plain
from runtime.filter.position import place, syntax_error
from runtime.filter.predicate import stored_ids
from runtime.filter.relations import advise_block, not_here, target_at
from runtime.filter.resolvers import NO_EDGES, Resolvers
from runtime.filter.searches import match_search
from runtime.filter.sizes import NUMBER_OF_ELEMENTS, advise_size, has_size, match_size, sized_list
from runtime.filter.syntax import (
    And,
    Compare,
    ElementMatch,
    EveryElement,
    Exists,
    Expression,
    HasEdge,
    InList,
    Not,
    Operator,
    Or,
    RelationBlock,
    TextSearch,
)
from runtime.filter.syntax_literals import Literal, Number, OtherField, Text, is_null
from runtime.filter.two_fields import compare_fields, incomparable
from runtime.filter.unreadable import advise_reference, unreadable
from runtime.model.field_type import ValueKind
from runtime.model.paths import overlap_any
from runtime.model.record_type import RecordType

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


class Matcher:
    """Builds the match of one filter for one record type."""

    def __init__(
        self,
        kind: RecordType[Any] | Columns,
        conditions: Conditions,
        *,
        hidden: frozenset[str],
        resolvers: Resolvers,
        may_search: bool,
    ) -> None:
        self._kind, self._conditions, self._hidden = kind, conditions, hidden
        self._resolvers, self._may_search, self._has_searched = resolvers, may_search, False

    def match(self, expression: Expression) -> Match:
        """Build the match of a whole filter."""
        return self._match(expression, Where(is_top=True))

    def _match(self, node: Expression, where: Where) -> Match:
        match node:
            case Compare():
                return self._compare(node, where)
            case InList():
                return self._in_list(node, where)
            case And() | Or() | Not():
                return self._join(node, where)
            case Exists():
                return self._exists(node, where)
            case ElementMatch() | EveryElement():
                return self._elements(node, where)
            case RelationBlock():
                return self._relation_block(node, where)
            case TextSearch():
                return self._text_search(node, where)
            case HasEdge():
                return self._has_edge(node, where)

    def _join(self, node: And | Or | Not, where: Where) -> Match:
        if isinstance(node, And):
            return all_of([self._match(operand, where) for operand in node.operands])
        operands = node.operands if isinstance(node, Or) else (node.operand,)
        inner = where.inside
        return {"$or" if isinstance(node, Or) else "$nor": [self._match(one, inner) for one in operands]}

    def _compare(self, node: Compare, where: Where) -> Match:
        if sized := self._find_sized(node, where):
            return match_size(sized, where, self._conditions.compare(node, NUMBER_OF_ELEMENTS))
        found, about = self._locate(node.path, node.at, where), node
        if found.element.is_reference and not is_null(node.value):
            found = self._entity_id(node, [node.value], where)
            about = replace(node, path=f"{node.path}.entityId")  # which takes ids as variables have them
        if isinstance(node.value, OtherField):
            return self._other_field(node, node.value, found, where)
        if self._conditions.bindings.is_own_id(node.value) and node.operator in EQUALITIES:
            match = self._own_id(node, node.value, found)
            return match if node.operator is Operator.EQUAL else {"$nor": [match]}
        return put(found, where, self._conditions.compare(about, found.element))

    def _in_list(self, node: InList, where: Where) -> Match:
        if sized := self._find_sized(node, where):
            (operators,) = self._conditions.one_of(node, NUMBER_OF_ELEMENTS)
            match = match_size(sized, where, operators)
            return {"$nor": [match]} if node.negated else match
        found, about = self._locate(node.path, node.at, where), node
        items = node.items if isinstance(node.items, tuple) else (node.items,)
        if found.element.is_reference:
            found = self._entity_id(node, items, where)
            about = replace(node, path=f"{node.path}.entityId")
        own = (
            [item for item in items if self._conditions.bindings.is_own_id(item)]
            if items is node.items
            else []
        )
        if own:
            rest = replace(node, items=tuple(item for item in items if item not in own), negated=False)
            return {
                "$nor" if node.negated else "$or": [
                    self._own_id(node, own[0], found),
                    *([self._in_list(rest, where)] if rest.items else []),
                ]
            }
        alternatives = self._conditions.one_of(about, found.element)
        if len(alternatives) == 1 and "$in" in alternatives[0]:
            operator = "$nin" if node.negated else "$in"
            return put(found, where, {operator: alternatives[0]["$in"]})
        matches = [put(found, where, operators) for operators in alternatives]
        return {"$nor" if node.negated else "$or": matches}

    def _exists(self, node: Exists, where: Where) -> Match:
        self._find_sized(node, where)
        found = self._locate(node.path, node.at, where)
        if not lists_around(found, where) and found.type.kind is not ValueKind.JSON:
            return put(found, where, {"$ne": None})
        return {found.path[where.cut :]: {"$type": _TYPES[found.type.kind]}}  # of any element

    def _elements(self, node: ElementMatch | EveryElement, where: Where) -> Match:
        found = self._locate(node.path, node.at, where)
        if isinstance(node, EveryElement):
            if not found.has_typed_elements:
                message = f"{node.path} is not a list of values or objects, which every{{…}} is about"
                raise self._conditions.refused(node, message, node.at, fieldType=found.type.kind.value)
            return put(found, where, {"$not": {"$elemMatch": self._match_element(node, found, fails=True)}})
        if found.type.kind in (ValueKind.OBJECT, ValueKind.MAP):
            return self._match(node.inner, Where(f"{found.path}.", where.cut))
        if not found.has_typed_elements and found.element.kind is not ValueKind.JSON:
            self._conditions.check_whole(node, found.element)
            message = f"{node.path} has no elements to match: write {node.path}:value"
            raise self._conditions.refused(node, message, node.at, fieldType=found.element.kind.value)
        return put(found, where, {"$elemMatch": self._match_element(node, found)})

    def _match_element(
        self, node: ElementMatch | EveryElement, found: Field, *, fails: bool = False
    ) -> Match:
        """Build what one element of a list must meet, or fail."""
        if found.element.kind not in (ValueKind.OBJECT, ValueKind.MAP, ValueKind.JSON):
            plain = match_plain(self._conditions, node, found.element)
            return {"$not": plain} if fails else plain
        match = self._match(node.inner, Where(f"{found.path}.", len(found.path) + 1))
        return {"$nor": [match]} if fails else match

    def _find_sized(self, node: Compare | InList | Exists, where: Where) -> Field | None:
        """Return the list whose number of elements a condition is about."""
        outer = sized_list(node.path)
        if outer is None:
            return None
        found = self._locate(outer, node.at, where)
        if not has_size(found):
            return None
        if isinstance(node, Exists) or (isinstance(node, Compare) and is_null(node.value)):
            message = f"{node.path} is always there: write {node.path}:0 for a list that is empty or missing"
            raise self._conditions.refused(node, message, node.at, fieldType="integer")
        return found

    def _relation_block(self, node: RelationBlock, where: Where) -> Match:
        found = self._locate(node.path, node.at, where)
        kind = found.element.kind.value
        for path in node.marked:
            if self._locate(path, node.at, where).type.kind is not ValueKind.LIST:
                message = f"{path} is not a list: leave out its [*]"
                raise self._conditions.refused(node, message, node.at, fieldType=kind)
        is_reference, relations = found.element.is_reference, self._resolvers.relations
        if is_reference and relations is None:
            has_name = shows_ref_name(self._kind, where.prefix + node.path, self._hidden)
            raise not_here(node, self._conditions.text, has_name=has_name)
        target = target_at(self._kind, found.path) if is_reference else None
        if target is None or relations is None:
            message = f"{node.path} is not a reference: write {node.path}:{unreadable(found.type).example}"
            raise self._conditions.refused(node, message, node.at, fieldType=kind)
        entity_id = self._locate(f"{node.path}.entityId", node.at, where)
        return put(entity_id, where, {"$in": stored_ids(relations(target, node))})

    def _text_search(self, node: TextSearch, where: Where) -> Match:
        text, searches = self._conditions.text, self._resolvers.searches
        name = self._kind.shown_name
        if not self._may_search:
            message = "text(…) is for filters of requests, not of rules, constraints, webhooks and tools"
            raise syntax_error(text, node.at, f"{message}: compare a field instead")
        if not self._kind.text:
            raise syntax_error(text, node.at, f"{name} has no text index: compare a field instead")
        is_query = where.is_top and not self._has_searched  # prefixes alone are no query
        if not is_query and searches is None:
            message = "text(…) may stand once, as an operand of the outermost && of this filter"
            raise syntax_error(text, node.at, f"{message}; not in || or !!")
        if where.prefix:
            raise syntax_error(text, node.at, "text(…) is about the record, not about a part of it")
        unseen = self._kind.hidden | self._hidden
        if any(overlap_any(path, unseen) for path in self._kind.text):
            message = f"{name} has no fields that text(…) can search: compare a field instead"
            raise UnknownField(message, field="text(…)", nearest=[], expected=[], **place(text, node.at))
        if is_query or not node.words or searches is None:
            self._has_searched |= bool(node.words)
            return match_search(node, self._kind.text)
        return {"_id": {"$in": stored_ids(searches(node))}}

    def _has_edge(self, node: HasEdge, where: Where) -> Match:
        text = self._conditions.text
        if (edges := self._resolvers.edges) is None:
            raise syntax_error(text, node.at, NO_EDGES.format(node.kind))
        if where.prefix:
            raise syntax_error(text, node.at, f"{node.kind} is about the record, not about a part of it")
        target = read_record_id(node.target, self._conditions.bindings)
        return dict(ask_edge(edges, node, target, text).match)

    def _entity_id(self, node: Compare | InList, values: Sequence[object], where: Where) -> Field:
        """Return the id field of a reference: references are compared by id alone."""
        has_name = shows_ref_name(self._kind, where.prefix + node.path, self._hidden)
        for value in values:
            if isinstance(value, Number) or (isinstance(value, Text) and not value.is_null):
                by_name = partial(print_condition, node, member=".entityRefName") if has_name else None
                message = f"{node.path} is a reference: {advise_reference(value.text, by_name)}"
                details = {"fieldType": "reference", "value": value.text[:100]}
                raise self._conditions.refused(node, message, value.at, **details)
        if isinstance(node, Compare) and node.operator not in EQUALITIES:
            advice = f": order by {node.path}.entityRefName" if has_name else ""
            message = f"{node.path} is a reference, which has no order{advice}"
            raise self._conditions.refused(node, message, node.at, fieldType="reference")
        return self._locate(f"{node.path}.entityId", node.at, where)

    def _other_field(self, node: Compare, literal: OtherField, found: Field, where: Where) -> Match:
        try:
            other = self._locate(literal.path, literal.at, where)
        except UnknownField as error:
            message = f"{error.message}; a variable is written ${{{literal.path[:100]}}}"
            raise UnknownField(message, **error.details) from None
        if other.type.is_reference:
            other = self._entity_id(replace(node, path=literal.path), [literal], where)
        names = (
            name for name in self._kind.fields if not overlap_any(name, self._kind.hidden | self._hidden)
        )
        fault = incomparable(
            node, literal.path, found, other, {name: self._kind.fields[name] for name in names}
        )
        if fault or where.cut:
            fault = fault or "two fields are compared outside of lists, where each has one value"
            raise self._conditions.refused(node, fault, literal.at, value=f"${literal.path[:100]}")
        return compare_fields(node.operator, found, other)

    def _own_id(self, node: Compare | InList, literal: Literal, found: Field) -> Match:
        if found.lists or not can_be_own_id(found.element):
            raise self._conditions.refused(node, NO_OWN_ID, literal.at)
        return is_own_id(found.path, found.element)

    def _locate(self, path: str, at: int, where: Where) -> Field:
        try:
            return locate(self._kind, where.prefix + path, self._hidden)
        except UnknownField as error:
            details = (
                error.details | {"expected": error.details["nearest"]} | place(self._conditions.text, at)
            )
            advice = advise_size(self._kind, where.prefix, path, self._hidden)
            if self._may_search and not error.details["nearest"]:  # rules take no relation blocks
                advice = advice or advise_block(self._kind, where.prefix, path, self._hidden)
            raise UnknownField(error.message + advice, **details) from None
