"""The sound parts of a file that has problems: they are checked as well, in the same run.

A part is a field, an index, a rule, … A part with a problem is left out as a whole, so that no other problem
follows from half of it. A file that has a problem outside of its parts is not checked any further.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final

from generator.load.advice import Path, list_meant, words_at
from generator.load.read import Node
from generator.load.trees import Tree
from generator.problems import Problem
from generator.spec import KINDS

_PARTS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "record": (("fields",), ("indexes",), ("constraints",)),
    "structure": (("fields",),),
    "endpoints": (("endpoints",),),
    "tools": (("tools",),),
    "rules": (("rules",),),
    "seeds": (("seeds",),),
    "importProfile": (("columnMappings",),),
    "ontology": (("ontology", "predicates"),),
}
"""Kind of a file → what holds its parts."""
_APART: Final = frozenset(
    {"description", "display", "displayName", "defaultIntent", "unmappedColumns", "version"}
)
"""Words on which no other check of a record, a structure, a graph or an import profile depends."""


def find_unsound_parts(root: Node, kind: str, problems: Iterable[Problem]) -> list[Path] | None:
    """Find the parts in which the problems are; None if one is elsewhere."""
    containers = _PARTS.get(kind, ())
    places = _find_places(root, containers)
    found: list[Path] = []
    for problem in problems:
        path = places.get((problem.line, problem.column), ())
        holder = next((one for one in containers if path[: len(one)] == one and len(path) > len(one)), None)
        if holder is not None:
            found.append(path[: len(holder) + 1])
        elif path and _is_apart(str(path[0]), kind):
            found.append(path[:1])
        else:
            return None
    return found


def _is_apart(word: str, kind: str) -> bool:
    known = words_at((), KINDS[kind])
    return _APART.issuperset([word] if word in known else list_meant(word, known))


def _find_places(root: Node, containers: Collection[Path]) -> dict[tuple[int, int], Path]:
    """Return the path of each key and value by its place: of those that begin at one place, the outermost.

    A mapping in lines of its own begins where its first key does; there a container gives way to its parts.
    """
    places: dict[tuple[int, int], Path] = {}
    level: list[tuple[Path, Node]] = [((), root)]
    while level:
        below: list[tuple[Path, Node]] = []
        for path, node in level:
            if path not in containers:
                places.setdefault((node.line, node.column), path)
            for step, child in node.children.items():
                if step in node.keys:
                    places.setdefault(node.keys[step], (*path, step))
                below.append(((*path, step), child))
        level = below
    return places


def omit_parts(tree: Tree, paths: Iterable[Path]) -> Tree:
    """Return a file without these parts, as one that no earlier run has seen."""
    root = _omit(tree.root, paths)
    return replace(tree, parsed=root, plain=root.value, digest="")


def _omit(node: Node, paths: Iterable[Path]) -> Node:
    """Return a node without these parts. The items of a list behind one move up, and keep their places."""
    inside: dict[str | int, list[Path]] = defaultdict(list)
    for step, *rest in paths:
        inside[step].append(tuple(rest))
    if not inside:
        return node
    children = {
        step: _omit(child, inside[step]) if step in inside else child
        for step, child in node.children.items()
        if () not in inside.get(step, ())
    }
    if isinstance(node.value, list):
        children = dict(enumerate(children.values()))
        return replace(node, children=children, value=[child.value for child in children.values()])
    return replace(node, children=children, value={step: child.value for step, child in children.items()})
