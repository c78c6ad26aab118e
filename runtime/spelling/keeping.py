"""Values that the shape of now cannot hold, and that writes keep, as pipelines of MongoDB. Pure.

A write that stores both spellings converts the record, writes it, and derives the former spelling from it.
What the conversion loses would be missing there. So the conversion notes in ``MARK`` what the members were
and what they became; sharing gives back what a value was wherever it still is what it became.

Members of objects and maps are compared one by one. An item of a list is recognized by being equal to one
that was stored, at the same place if possible; a list of plain values is compared as a whole.
"""

from runtime.spelling.expressions import (
    MARK,
    Body,
    Names,
    Stages,
    build_unification,
    express_back,
    if_object,
    is_marked,
    is_settled,
    mark_as_shared,
    put,
    remove_abandoned,
)
from runtime.spelling.steps import Node
from runtime.spelling.values import Expression

_WAS, _BECAME = f"{MARK}.was", f"{MARK}.became"


def build_keeping_conversion(root: Node, number: int) -> Stages:
    """Build the update that stores a record in the shape of now, and notes what it was."""
    lossy = {name: child for name, child in root.children.items() if child.may_lose}
    was = {name: _find_former(child, name, number) for name, child in lossy.items()}
    became = {name: f"${name}" for name in lossy}
    return [
        {"$set": {_WAS: {"$cond": [is_settled(number), "$$REMOVE", was]}}},
        *build_unification(root, number, keep_former=False),
        {"$unset": f"{MARK}.at"},
        {"$set": {MARK: {"of": {"$literal": number}, "became": became}}},
    ]


def build_keeping_share(root: Node, number: int) -> Stages:
    """Build the update that adds the former spelling to such a record, where nobody wrote as it was."""
    keeper = _Keeper()
    values = {
        child.find_earlier_name(name): keeper.restore(
            child, f"${name}", f"${_WAS}.{name}", f"${_BECAME}.{name}"
        )
        for name, child in root.children.items()
    }
    return [{"$set": values | remove_abandoned(root)}, *mark_as_shared(number)]


def _find_former(node: Node, name: str, number: int) -> Expression:
    """Return the value that workers of the earlier shape see, or what was stored before any migration."""
    if node.former is None:
        return f"${name}"
    is_only: Expression = {"$ne": [{"$type": f"${name}"}, "missing"]}
    if not node.is_late:
        is_only = {"$and": [{"$not": [is_marked(number)]}, is_only]}
    return {"$cond": [is_only, f"${name}", f"${node.former}"]}


class _Keeper(Names):
    """Returns values as workers of the earlier shape read them: ``was`` for what is still ``became``."""

    def restore(self, node: Node, value: str, was: str, became: str) -> Expression:
        item = node.item
        if not node.may_lose:
            return express_back(node, value, self)
        if node.loses or (item is not None and item.loses and not node.is_map):
            is_same = {"$and": [{"$eq": [value, became]}, {"$ne": [{"$type": was}, "missing"]}]}
            return {"$cond": [is_same, was, express_back(node, value, self)]}
        if item is None:
            inner = if_object(value, self._restore_members(node, value, was, became))
        elif node.is_map:
            inner = if_object(value, self._restore_entries(item, value, was, became))
        else:
            stored = was if node.enlist is None else {"$cond": [{"$isArray": [was]}, was, [was]]}
            inner = self._restore_items(item, value, stored, became)
        for operation in node.operations:
            inner = self.bind(inner, operation.express_back)
        return inner if node.enlist is None else self.bind(inner, node.enlist.express_back)

    def _restore_members(self, node: Node, value: str, was: str, became: str) -> Expression:
        written: Expression = value
        for name, child in node.children.items():
            former = child.find_earlier_name(name)
            inner = self._restore_member(child, f"{value}.{name}", was, former, f"{became}.{name}")
            written = put(written, former, inner)
        for name, nothing in remove_abandoned(node).items():
            written = put(written, name, nothing)
        return written

    def _restore_member(self, node: Node, value: str, was: str, former: str, became: str) -> Expression:
        if node.abandoned is None:
            return self.restore(node, value, f"{was}.{former}", became)
        stored = {"$ifNull": [f"{was}.{former}", f"{was}.{node.abandoned}"]}
        return self.bind(stored, lambda one: self.restore(node, value, one, became))

    def _restore_items(self, item: Node, value: str, was: Expression, became: str) -> Expression:
        """Restore items that are equal to a stored one; of several, the one at the same place."""
        at = self.name("n")
        here = {"$arrayElemAt": [value, f"$${at}"]}

        def restore_all(old: str, seen: str) -> Expression:
            each = self.bind(here, lambda one: self._restore_item(item, one, f"$${at}", old, seen))
            kept = {"$map": {"input": {"$range": [0, {"$size": value}]}, "as": at, "in": each}}
            are_lists = {"$and": [{"$isArray": [one]} for one in (value, old, seen)]}
            return {"$cond": [are_lists, kept, express_back(Node(item=item), value, self)]}

        return self.bind(was, lambda old: self.bind(became, lambda seen: restore_all(old, seen)))

    def _restore_item(self, item: Node, one: str, at: str, old: str, seen: str) -> Expression:
        is_here = {"$eq": [one, {"$arrayElemAt": [seen, at]}]}
        place = {"$cond": [is_here, at, {"$indexOfArray": [seen, one]}]}

        def restore_from(found: str) -> Expression:
            was = {"$cond": [{"$gte": [found, 0]}, {"$arrayElemAt": [old, found]}, "$$REMOVE"]}
            return self.bind(was, lambda before: self.restore(item, one, before, one))

        return self.bind(place, restore_from)

    def _restore_entries(self, item: Node, value: str, was: str, became: str) -> Expression:
        """Restore the values of a map by their keys, and the entries that were lost."""
        one = self.name("e")
        key, has_value = f"$${one}.k", {"$ne": [{"$type": f"$${one}.v"}, "missing"]}

        def restore_all(old: str, seen: str) -> Expression:
            is_lost = {"$not": [{"$in": [key, f"{seen}.k"]}]}
            lost = {"$filter": {"input": old, "as": one, "cond": is_lost}}
            entry = {"k": key, "v": self._restore_entry(item, one, old, seen)}
            written = {"$map": {"input": {"$objectToArray": value}, "as": one, "in": entry}}
            there = {"$filter": {"input": written, "as": one, "cond": has_value}}
            return {"$arrayToObject": {"$concatArrays": [lost, there]}}

        pairs_were, pairs_became = _list_pairs(was), _list_pairs(became)
        return self.bind(pairs_were, lambda old: self.bind(pairs_became, lambda seen: restore_all(old, seen)))

    def _restore_entry(self, item: Node, one: str, old: str, seen: str) -> Expression:
        def find(pairs: str, body: Body) -> Expression:
            pair = self.name("p")
            is_it = {"$eq": [f"$${pair}.k", f"$${one}.k"]}
            found = {"$arrayElemAt": [{"$filter": {"input": pairs, "as": pair, "cond": is_it}}, 0]}
            return self.bind(found, lambda entry: body(f"{entry}.v"))

        def restore(was: str, became: str) -> Expression:
            return self.bind(f"$${one}.v", lambda value: self.restore(item, value, was, became))

        return find(old, lambda was: find(seen, lambda became: restore(was, became)))


def _list_pairs(x: str) -> Expression:
    return {"$cond": [{"$eq": [{"$type": x}, "object"]}, {"$objectToArray": x}, []]}
