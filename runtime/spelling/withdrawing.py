"""Taking the spelling of now from records that have both, as a pipeline of MongoDB. Pure."""

from runtime.spelling.expressions import MARK, Names, Stages, if_type, put
from runtime.spelling.steps import Node
from runtime.spelling.values import Expression


def build_withdrawal(root: Node) -> Stages:
    """Build the stages that take the names of now, and the mark, from a record in both spellings."""
    names = Names()
    kept = {child.find_earlier_name(name): child for name, child in root.children.items()}
    values = {name: _withdraw(child, f"${name}", names) for name, child in kept.items()}
    return [{"$set": values}, {"$unset": sorted({MARK, *(root.children.keys() - kept.keys())})}]


def _withdraw(node: Node, value: Expression, names: Names) -> Expression:
    """Return a value without the names of now that are in it."""
    if (item := node.item) is not None:
        value = names.bind(value, lambda x: names.each(node, x, lambda one: _withdraw(item, one, names)))
    if node.children:
        value = names.bind(value, lambda x: if_type(x, "object", _withdraw_members(node, x, names)))
    return value


def _withdraw_members(node: Node, x: str, names: Names) -> Expression:
    kept = {child.find_earlier_name(name): child for name, child in node.children.items()}
    written: Expression = x
    for name, child in kept.items():
        written = put(written, name, _withdraw(child, f"{x}.{name}", names))
    for name in sorted(node.children.keys() - kept.keys()):
        written = put(written, name, "$$REMOVE")
    return written
