"""Steps as pipelines of MongoDB: a record computed in the shape of now, or in both. Pure.

``MARK`` is the member of a record that says in which spelling it was written: ``{of: number}`` in the shape
of now alone; with ``at`` in both, at this version of the record.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from typing import Any, Final

from runtime.spelling.steps import Node
from runtime.spelling.values import Expression

Stages = list[dict[str, Any]]

Body = Callable[[str], Expression]
"""What an expression makes of the name of a variable."""

MARK: Final = "_spelling"

_SHARED: Final[Expression] = {"$ne": [{"$type": f"${MARK}.at"}, "missing"]}

_NEW: Final = "$$new"
_NEW_ITEM: Final[Expression] = {"$or": ["$$new", "$$outdated"]}
"""Whether nobody has filled an item: workers of the earlier shape write lists and maps whole."""


def build_unification(root: Node, number: int, *, keep_former: bool = True) -> Stages:
    """Build the stages that compute a record in the shape of now, from either spelling."""
    gone = sorted(child.former for child in root.children.values() if child.former)
    values = build_values(root, number, keep_former=keep_former)
    return [{"$set": values}, *([{"$unset": gone}] if gone and not keep_former else ())]


def build_values(root: Node, number: int, *, keep_former: bool) -> dict[str, Expression]:
    """Build the value of each member that steps touch, in the shape of now."""
    marked, settled = is_marked(number), is_settled(number)
    outdated = {"$and": [marked, _SHARED, {"$ne": [f"${MARK}.at", "$version"]}]}
    writer = _Forward(keep_former)
    return {
        name: {
            "$cond": [
                settled,
                f"${name}",
                {
                    "$let": {
                        "vars": {"outdated": outdated, "new": {"$not": [marked]}},
                        "in": writer.field(child, "$", name),
                    }
                },
            ]
        }
        for name, child in root.children.items()
    }


def build_conversion(root: Node, number: int) -> Stages:
    """Build the update that stores a record in the shape of now alone."""
    stages = build_unification(root, number, keep_former=False)
    return [*stages, {"$set": {MARK: {"$literal": {"of": number}}}}]


def build_renaming(root: Node, number: int) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Build the match and the operators that do the same for most records; None where no operators can.

    They rename members and add defaults, which costs MongoDB less than a pipeline. Records that have one of
    the names of now are left to the pipeline. No index has a part in such a match, so the ids alone decide
    how records are found.
    """
    renamed: dict[str, str] = {}
    added: dict[str, Any] = {MARK: {"of": number}}
    for name, child in root.children.items():
        if child.former is not None and child.is_plain:
            renamed[child.former] = name
        elif child.former is None and child.added is not None:
            added[name] = child.added.value
        else:
            return None
    names = [{name: {"$exists": True}} for name in root.children]
    match = {"$nor": [{f"{MARK}.of": number}, *names]}
    return match, {"$set": added, **({"$rename": renamed} if renamed else {})}


def values_by_name(renamed: Mapping[str, str]) -> dict[str, Expression]:
    """Return an expression for each renamed field: its value, or else what its former name holds."""
    return {
        name: {"$cond": [{"$eq": [{"$type": f"${name}"}, "missing"]}, f"${former}", f"${name}"]}
        for name, former in renamed.items()
    }


def move_values(renamed: Mapping[str, str]) -> Stages:
    """Build the update that moves what former names hold to the names of now.

    It changes nothing of what a read of both names returns, and nothing at all the second time.
    """
    return [{"$set": values_by_name(renamed)}, {"$unset": sorted(set(renamed.values()))}]


def build_sharing(root: Node, number: int) -> Stages:
    """Build the update that adds the former spelling to a record in the shape of now."""
    values = {
        child.find_earlier_name(name): express_back(child, f"${name}", Names())
        for name, child in root.children.items()
    }
    return [{"$set": values | remove_abandoned(root)}, *mark_as_shared(number)]


def remove_abandoned(node: Node) -> dict[str, Expression]:
    """Remove the former names that no worker uses: a value that is cleared later must not come back."""
    return {child.abandoned: "$$REMOVE" for child in node.children.values() if child.abandoned}


def mark_as_shared(number: int) -> Stages:
    """Build the stages that say that a record is stored in both spellings, at its version."""
    return [{"$unset": MARK}, {"$set": {MARK: {"of": {"$literal": number}, "at": "$version"}}}]


def is_marked(number: int) -> Expression:
    """Return whether a record was written in the shape of now, alone or with the former one."""
    return {"$eq": [f"${MARK}.of", number]}


def is_settled(number: int) -> Expression:
    """Return whether a record is stored in the shape of now alone."""
    return {"$and": [is_marked(number), {"$not": [_SHARED]}]}


class Names:
    """Names of variables, each used once."""

    def __init__(self) -> None:
        self._numbers: Iterator[int] = count()

    def name(self, kind: str) -> str:
        return f"{kind}{next(self._numbers)}"

    def bind(self, value: Expression, body: Body) -> Expression:
        """Let a variable be the value in the expression that ``body`` makes of its name."""
        name = self.name("v")
        return {"$let": {"vars": {name: value}, "in": body(f"$${name}")}}

    def each(self, node: Node, x: str, body: Body) -> Expression:
        """Map the items of a list, or the values of a map."""
        name = self.name("i")
        may_vanish = node.item is not None and node.item.may_vanish
        if not node.is_map:
            items: Expression = {"$map": {"input": x, "as": name, "in": body(f"$${name}")}}
            if may_vanish:
                items = {"$filter": {"input": items, "as": name, "cond": {"$ne": [f"$${name}", None]}}}
            return {"$cond": [{"$isArray": [x]}, items, x]}
        entry = {"k": f"$${name}.k", "v": body(f"$${name}.v")}
        entries: Expression = {"$map": {"input": {"$objectToArray": x}, "as": name, "in": entry}}
        if may_vanish:
            has_value = {"$ne": [{"$type": f"$${name}.v"}, "missing"]}
            entries = {"$filter": {"input": entries, "as": name, "cond": has_value}}
        return if_object(x, {"$arrayToObject": entries})


class _Forward(Names):
    def __init__(self, keep_former: bool) -> None:
        super().__init__()
        self._keep_former = keep_former

    def field(self, node: Node, holder: str, name: str, is_new: Expression = _NEW) -> Expression:
        """Return the value of a member of ``holder``, an object by name; ``$`` is the record."""
        dot = "" if holder == "$" else "."
        value: Expression = f"{holder}{dot}{name}"
        if node.former is not None:
            former = f"{holder}{dot}{node.former}"
            is_former: Expression = {"$eq": [{"$type": value}, "missing"]}
            if not node.is_late:
                is_former = {"$or": ["$$outdated", is_former]}
            value = {"$cond": [is_former, former, value]}
        return self._value(node, value, is_new)

    def _value(self, node: Node, value: Expression, is_new: Expression) -> Expression:
        if (enlist := node.enlist) is not None:
            value = self.bind(value, lambda x: enlist.express(x, is_new))
        if node.children:
            value = self.bind(value, lambda x: if_object(x, self._members(node, x, is_new)))
        if (item := node.item) is not None:
            value = self.bind(
                value, lambda x: self.each(node, x, lambda one: self._value(item, one, _NEW_ITEM))
            )
        if node.loses:
            return self.bind(value, lambda x: self._operate(node, x, {"$or": [is_new, _is_there(x)]}))
        return self._operate(node, value, is_new)

    def _operate(self, node: Node, value: Expression, is_new: Expression) -> Expression:
        """Operate on a value; a default is in place of one that is lost, too."""
        for operation in node.operations:
            value = self.bind(value, partial(operation.express, is_new=is_new))
        return value

    def _members(self, node: Node, x: str, is_new: Expression) -> Expression:
        written: Expression = x
        for name, child in node.children.items():
            written = put(written, name, self.field(child, x, name, is_new))
        for child in node.children.values():
            if child.former and not self._keep_former:
                written = put(written, child.former, "$$REMOVE")
        return written


def express_back(node: Node, value: Expression, names: Names) -> Expression:
    """Return the value as workers of the earlier shape read it; members of now stay in it."""
    for operation in node.operations:
        value = names.bind(value, operation.express_back)
    if (item := node.item) is not None:
        value = names.bind(value, lambda x: names.each(node, x, lambda one: express_back(item, one, names)))
    if node.children:
        value = names.bind(value, lambda x: if_object(x, _back_members(node, x, names)))
    return value if node.enlist is None else names.bind(value, node.enlist.express_back)


def _back_members(node: Node, x: str, names: Names) -> Expression:
    written: Expression = x
    for name, child in node.children.items():
        written = put(written, child.find_earlier_name(name), express_back(child, f"{x}.{name}", names))
    for name, value in remove_abandoned(node).items():
        written = put(written, name, value)
    return written


def put(holder: Expression, name: str, value: Expression) -> Expression:
    """Return an object with a member; a missing value removes it."""
    return {"$setField": {"field": {"$literal": name}, "input": holder, "value": value}}


def _is_there(x: Expression) -> Expression:
    return {"$not": [{"$in": [{"$type": x}, ["missing", "null"]]}]}


def if_object(x: str, then: Expression) -> Expression:
    """Return ``then`` where ``x`` is an object, and ``x`` itself elsewhere."""
    return {"$cond": [{"$eq": [{"$type": x}, "object"]}, then, x]}
