"""Taking the spelling of now from records that have it, as pipelines of MongoDB. Pure."""

from typing import Any

from runtime.spelling.expressions import MARK, Names, Stages, if_object, move_values, put
from runtime.spelling.steps import Node
from runtime.spelling.values import Expression


def build_withdrawal(root: Node) -> Stages:
    """Build the stages that take the names of now, and the mark, from a record in both spellings."""
    names = Names()
    kept = {child.find_earlier_name(name): child for name, child in root.children.items()}
    values = {name: _withdraw(child, f"${name}", names) for name, child in kept.items()}
    return [{"$set": values}, {"$unset": sorted({MARK, *(root.children.keys() - kept.keys())})}]


def match_unmarked(root: Node) -> list[dict[str, Any]]:
    """Return what records match that have a name of now, each of which may be without a mark.

    Workers that are alone store fields of the record that are only renamed so, without a migration.
    """
    return [{name: {"$exists": True}} for name in sorted(_list_renamed(root))]


def build_renaming_back(root: Node) -> Stages:
    """Build the stages that give a record without a mark its former names.

    Such a record has both names of a field only where a worker of the earlier shape has written it since.
    """
    return move_values({former: name for name, former in _list_renamed(root).items()})


def _list_renamed(root: Node) -> dict[str, str]:
    """Return the fields of the record that the earlier shape calls otherwise: name → former one."""
    former = {name: child.find_earlier_name(name) for name, child in root.children.items()}
    return {name: earlier for name, earlier in former.items() if earlier != name}


def _withdraw(node: Node, value: Expression, names: Names) -> Expression:
    """Return a value without the names of now that are in it."""
    if (item := node.item) is not None:
        value = names.bind(value, lambda x: names.each(node, x, lambda one: _withdraw(item, one, names)))
    if node.children:
        value = names.bind(value, lambda x: if_object(x, _withdraw_members(node, x, names)))
    return value


def _withdraw_members(node: Node, x: str, names: Names) -> Expression:
    kept = {child.find_earlier_name(name): child for name, child in node.children.items()}
    written: Expression = x
    for name, child in kept.items():
        written = put(written, name, _withdraw(child, f"{x}.{name}", names))
    for name in sorted(node.children.keys() - kept.keys()):
        written = put(written, name, "$$REMOVE")
    return written
