"""The sound parts of a file that has problems: they are checked as well, in the same run.

A part is a field, an index, a rule, … A part with a problem is left out as a whole, so that no other problem
follows from half of it. A file that has a problem outside of its parts is not checked any further, but for
words that can be left out as well: nothing depends on them, or what does is not judged.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final

from generator.load.advice import list_meant
from generator.load.read import Node
from generator.load.spec_types import Path, list_words
from generator.load.trees import Tree
from generator.problems import Problem
from generator.spec import BREAKING_KIND, DECIDING_ROUTES, SERVICE_KIND

_PARTS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "record": (("fields",), ("indexes",), ("constraints",), ("roles",), ("endpoints",)),
    "extend": (("fields",), ("indexes",)),
    "structure": (("fields",),),
    "endpoints": (("endpoints",),),
    "tools": (("tools",),),
    "rules": (("rules",),),
    "seeds": (("seeds",),),
    "importProfile": (("columnMappings",),),
    "ontology": (("ontology", "predicates"),),
    SERVICE_KIND: (("roles",), ("areas",), ("settings",), ()),
    BREAKING_KIND: (("breaking",), ()),
}
"""Kind of a file → what holds its parts; of the files with () each key is one."""
_STAND_INS: Final[Mapping[str, object]] = {
    "audited": True, "changes": True, "onDelete": "archive", "dynamicAttributes": True,
    "persistentEvents": True, "validation": "lenient", "ontology": True,
}  # fmt: skip
"""What a record has in place of a feature that is left out: the value with which the least is wrong."""
_APART: Final = frozenset(
    {"description", "display", "displayName", "defaultIntent", "unmappedColumns", "version", "roles"}
).union(DECIDING_ROUTES, _STAND_INS, ("constraints", "indexes", "shared", "intentColumn"))
"""Words of a record, a structure, a graph or an import profile without which the rest can be judged."""
_NEEDED: Final = {"title": "-", "version": "0.0"}
"""What ``service.yaml`` must have, for one that lacks it."""


def find_unsound_parts(root: Node, kind: str, problems: Iterable[Problem]) -> list[Path] | None:
    """Find the parts in which the problems are; None if one is elsewhere."""
    containers = _PARTS.get(kind, ())
    places = _find_places(root, containers)
    found: list[Path] = []
    if not isinstance(root.value, dict):
        return None
    for problem in problems:
        path = places.get((problem.line, problem.column), ())
        holder = next((one for one in containers if path[: len(one)] == one and len(path) > len(one)), None)
        if holder == () and problem.rule == "SPEC013":
            continue  # a key is missing: there is nothing to leave out
        if holder is not None:
            found.append(path[: len(holder) + 1])
        elif path and _is_apart(str(path[0]), kind):
            found.append(path[:1])
        else:
            return None
    return found


def _is_apart(word: str, kind: str) -> bool:
    known = list_words(kind)
    meant = [word] if word in known else list_meant(word, known)
    return _APART.issuperset(meant) and (bool(meant) or kind != "stateGraph")  # where it may be a state


def list_omitted_fields(kind: str, paths: Iterable[Path]) -> frozenset[str]:
    """List the fields among parts that are left out, and unknown keys: fields may not be indented as such."""
    names = {str(path[1]) for path in paths if path[0] == "fields" and path[1:]}
    return frozenset(names.union(str(path[0]).strip() for path in paths if path[0] not in list_words(kind)))


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
            for name, place in node.repeated or ():
                places.setdefault(place, (*path, name))
            for step, child in node.children.items():
                if step in node.keys:
                    places.setdefault(node.keys[step], (*path, step))
                below.append(((*path, step), child))
        level = below
    for path in containers:
        if len(path) == 1 and path[0] in root.children:
            node = root.children[path[0]]
            places.setdefault((node.line, node.column), path)
    return places


def omit_parts(tree: Tree, kind: str, paths: Iterable[Path]) -> Tree:
    """Return a file without these parts, as one that no earlier run has seen."""
    root = _omit(tree.root, paths)
    missing: Mapping[str, object] = _NEEDED if kind == SERVICE_KIND else {}
    if kind == "record":
        missing = {word: _STAND_INS[word] for word in _STAND_INS.keys() & list_omitted_words(kind, paths)}
    plain = {**missing, **root.value}
    return replace(tree, parsed=root, plain=plain, digest="")


def list_omitted_words(kind: str, paths: Iterable[Path]) -> frozenset[str]:
    """List the keys that lack a part of a file; for a misspelt one those that may be meant, ``*`` for any."""
    known = list_words(kind)
    words = {str(path[0]) for path in paths}
    return frozenset(
        meant for word in words for meant in ([word] if word in known else list_meant(word, known) or "*")
    )


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
