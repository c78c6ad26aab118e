"""Steps for a record in memory: the twin of ``expressions``. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from runtime.model.field_type import FieldType, ValueKind
from runtime.spelling.expressions import MARK
from runtime.spelling.steps import Node
from runtime.spelling.values import MISSING, Widen

Document = Mapping[str, Any]

_TO_DECIMAL: Final = Widen("integer", "decimal")


class _Age(NamedTuple):
    """``is_new``: written before the migration; ``is_outdated``: by a worker of the earlier shape since."""

    is_new: bool
    is_outdated: bool

    @property
    def of_items(self) -> _Age:
        """The age of what is in lists and maps, which a worker of the earlier shape writes whole."""
        return _Age(self.is_new or self.is_outdated, self.is_outdated)


def unify(root: Node, number: int, document: Document) -> dict[str, Any]:
    """Return a record as it is in the shape of now, whichever spelling it was stored in."""
    mark = document.get(MARK) or {}
    is_marked = mark.get("of") == number
    if is_marked and "at" not in mark:
        return dict(document)
    age = _Age(not is_marked, is_marked and mark["at"] != document.get("version"))
    return _unify_members(root, document, age)


def widen_numbers(here: FieldType, value: Any) -> Any:
    """Return a value with decimals for the numbers that are stored in fields declared as decimals."""
    match value:
        case Mapping() if here.kind is ValueKind.OBJECT:
            own = {name: widen_numbers(here.fields[name], value[name]) for name in value.keys() & here.fields}
            return {**value, **own}
        case Mapping() if here.kind is ValueKind.MAP and here.item is not None:
            return {key: widen_numbers(here.item, one) for key, one in value.items()}
        case list() if here.kind is ValueKind.LIST and here.item is not None:
            return [widen_numbers(here.item, one) for one in value]
    return _TO_DECIMAL.apply(value, False) if here.kind is ValueKind.DECIMAL else value


def share(root: Node, number: int, document: Document) -> dict[str, Any]:
    """Return a record of the shape of now in both spellings."""
    return _back_members(root, document) | {MARK: {"of": number, "at": document.get("version")}}


def _unify_members(node: Node, holder: Document, age: _Age) -> dict[str, Any]:
    found = dict(holder)
    for name, child in node.children.items():
        value = holder.get(name, MISSING)
        if child.former is not None and (value is MISSING or (age.is_outdated and not child.is_late)):
            value = holder.get(child.former, MISSING)
        _put(found, name, _unify(child, value, age))
    for child in node.children.values():
        found.pop(child.former or "", None)
    return found


def _unify(node: Node, value: Any, age: _Age) -> Any:
    if node.enlist is not None:
        value = node.enlist.apply(value, age.is_new)
    if node.children and isinstance(value, Mapping):
        value = _unify_members(node, value, age)
    if (item := node.item) is not None:
        value = _each(node, value, lambda one: _unify(item, one, age.of_items))
    may_fill = age.is_new or (node.loses and value is not None and value is not MISSING)
    for operation in node.operations:
        value = operation.apply(value, may_fill)
    return value


def _back_members(node: Node, holder: Document) -> dict[str, Any]:
    found = dict(holder)
    for name, child in node.children.items():
        _put(found, child.find_earlier_name(name), _back(child, holder.get(name, MISSING)))
    for child in node.children.values():
        found.pop(child.abandoned or "", None)
    return found


def _back(node: Node, value: Any) -> Any:
    for operation in node.operations:
        value = operation.apply_back(value)
    if (item := node.item) is not None:
        value = _each(node, value, lambda one: _back(item, one))
    if node.children and isinstance(value, Mapping):
        value = _back_members(node, value)
    return value if node.enlist is None else node.enlist.apply_back(value)


def _each(node: Node, value: Any, convert: Callable[[Any], Any]) -> Any:
    if node.is_map and isinstance(value, Mapping):
        found = {key: convert(one) for key, one in value.items()}
        return {key: one for key, one in found.items() if one is not MISSING}
    if not node.is_map and isinstance(value, list):
        gone = (MISSING, None) if node.item and node.item.may_vanish else ()
        return [one for one in map(convert, value) if not any(one is nothing for nothing in gone)]
    return value


def _put(holder: dict[str, Any], name: str, value: Any) -> None:
    if value is MISSING:
        holder.pop(name, None)
    else:
        holder[name] = value
