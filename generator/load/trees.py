"""Trees of files that an earlier run has read: their plain values are stored, by the text of the file.

Reading YAML with all positions is the larger part of loading. Of a file without problems only the value is
needed, and its positions where what another file says makes it wrong.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from generator.cache import TextCache
from generator.load.read import Node, read_yaml
from generator.problems import Place, Problem

_NO_VALUES: Final[Mapping[str, str]] = {}


@dataclass(slots=True)
class Tree:
    """The plain value of one file, its positions (``generator.spec.Positions``), and the hash of its text.

    ``text`` is read for positions when the first one is needed, unless it has just been. ``is_known``: an
    earlier run has found no problem in it.
    """

    file: str
    text: str
    plain: Any
    parsed: Node | None = None
    digest: str = ""
    is_known: bool = False

    @property
    def root(self) -> Node:
        """The node of the whole file."""
        self.parsed = self.parsed or read_yaml(self.text, self.file)[0] or Node(None, 1, 1)
        return self.parsed

    def value(self, *path: str | int) -> Place:
        """Return where the value at the path begins."""
        node = self.root
        for step in path:
            node = node.children.get(step, node)
        return Place(self.file, node.line, node.column)

    def key(self, *path: str | int) -> Place:
        """Return where the last key of the path is; where it is not spelled out, where its value is."""
        node = self.root
        for step in path[:-1]:
            node = node.children.get(step, node)
        last = path[-1]
        if isinstance(last, str) and last in node.keys:
            return Place(self.file, *node.keys[last])
        return self.value(*path)


def parse_tree(
    text: str,
    file: str,
    kind: str | None,
    texts: TextCache | None,
    values: Mapping[str, str] = _NO_VALUES,
) -> tuple[Tree | None, list[Problem]]:
    """Return the tree of a file (None if it cannot be read) and its problems. An empty file has no value.

    ``kind``: what the name of the file says that it declares, if it says so.
    ``values``: those of ``read_values``.
    """
    key = hashlib.sha256(f"yaml {kind or ''} {text}".encode()).hexdigest()
    known = texts.find(key) if texts else None
    value = known or values.get(key)
    if value is not None:
        return Tree(file, text, orjson.loads(value), digest=key, is_known=known is not None), []
    root, problems = read_yaml(text, file)
    if root is None:
        return None if problems else Tree(file, text, None), problems
    return Tree(file, text, root.value, root, key), problems


def read_values(texts: Iterable[str]) -> dict[str, str]:
    """Read files; return the values of those that are right as YAML, by hash, for ``parse_tree``."""
    values: dict[str, str] = {}
    for text in texts:
        tree, problems = parse_tree(text, "", None, None)
        if tree and not problems and (value := _as_json(tree.plain)) is not None:
            values[tree.digest] = value
    return values


def store_tree(tree: Tree, texts: TextCache) -> None:
    """Store the value of a file that has no problem, for later runs."""
    if not tree.is_known and (stored := _as_json(tree.plain)) is not None:
        texts.store(tree.digest, stored)


def _as_json(plain: Any) -> str | None:
    """Render the value of a file; None for one that would be read as another."""
    try:
        text = orjson.dumps(plain)
    except TypeError:  # an integer of more than 64 bits, or half a character
        return None
    return text.decode() if orjson.loads(text) == plain else None
