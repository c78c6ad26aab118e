"""One YAML text → one tree that knows the line and column of every key and value.

Events rather than ``yaml.compose``: that one recurses in C and ends the process on a thousand brackets.
Here nesting, aliases and the size of what aliases expand to are bounded while reading. Merge keys
(``<<``) are honoured, tags are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import yaml

from generator.load.scalar import Ambiguous, plain_value
from generator.load.syntax import explain_key_with_brace, explain_syntax, split_lines
from generator.problems import Place, Problem
from generator.spec import KINDS

MAX_DEPTH = 40
MAX_NODES = 100_000

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT_TAG = "tag:yaml.org,2002:str"


@dataclass(slots=True)
class Node:
    """A value, where it begins (both from 1), and what is inside. ``repeated``: where keys come again."""

    value: Any
    line: int
    column: int
    size: int = 1
    children: dict[Any, Node] = field(default_factory=dict)
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    repeated: list[tuple[str, tuple[int, int]]] | None = None


# Scalars are most of a file and have nothing inside: they share these.
_NO_CHILDREN: dict[Any, Node] = {}
_NO_KEYS: dict[str, tuple[int, int]] = {}


class _Stop(Exception):
    """Reading this file ends here."""

    def __init__(self, rule: str, message: str, mark: Any) -> None:
        self.rule, self.message, self.mark = rule, message, mark


def read_yaml(text: str, file: str) -> tuple[Node | None, list[Problem]]:
    """Return the tree of the only document (None if it cannot be read) and its problems."""
    reader = _Reader(file, text)
    try:
        root = reader.document(iter(_LOADER(text).get_event, None))
    except _Stop as stop:
        reader.report(stop.rule, stop.message, stop.mark)
    except yaml.MarkedYAMLError as error:
        last = text.count("\n") + (not text.endswith("\n"))
        message, mark = reader.explain(error)
        reader.report("SPEC001", message, mark, last_line=max(last, 1))
    except (yaml.YAMLError, UnicodeError) as error:
        reader.problems.append(Problem.at(Place(file), "SPEC001", str(error).partition("\n")[0]))
    else:
        return root, reader.problems
    return None, reader.problems


class _Reader:
    def __init__(self, file: str, content: str) -> None:
        self.file = file
        self.content = content
        self.problems: list[Problem] = []
        self.anchors: dict[str, Node] = {}
        self.nodes = 0
        self.last_text: Any = None

    def explain(self, error: yaml.MarkedYAMLError) -> tuple[str, Any]:
        """Return a problem and its position; for a quote that is not closed, where it opens.

        Such a text ends at the next quote of the file, and what stands behind that one cannot be read.
        """
        if error.context == "while scanning a quoted scalar":
            return explain_syntax(error, self.content)[0], error.context_mark
        text = self.last_text
        if text is not None and error.problem_mark is not None:
            ends = text.end_mark.line
            if text.style in ("'", '"') and text.start_mark.line < ends == error.problem_mark.line:
                return f"a quote that is not closed: the text ends in line {ends + 1}", text.start_mark
        return explain_syntax(error, self.content)

    def report(self, rule: str, message: str, mark: Any, last_line: int | None = None) -> None:
        place = Place(self.file, min(mark.line + 1, last_line or mark.line + 1), mark.column + 1)
        self.problems.append(Problem.at(place, rule, message))

    def document(self, events: Iterator[Any]) -> Node | None:
        """Return the root node and report a second document."""
        root = None
        for event in events:
            if not isinstance(event, yaml.DocumentStartEvent):
                continue
            if root is not None:
                raise _Stop("SPEC006", "a second document: write one thing per file", event.start_mark)
            root = self._read_node(next(events), events, 0)
        return root

    def _read_node(self, event: Any, events: Iterator[Any], depth: int) -> Node:
        kind = type(event)
        if kind is yaml.AliasEvent:
            return self._read_alias(event)
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            self._refuse_size(event, depth)
        if event.tag is not None and event.tag not in ("!", _TEXT_TAG):
            self.report("SPEC009", f"{event.tag}: tags are not part of the language", event.start_mark)
        mark = event.start_mark
        if kind is yaml.ScalarEvent:
            node = Node(self._read_scalar(event), mark.line + 1, mark.column + 1, 1, _NO_CHILDREN, _NO_KEYS)
        else:
            node = Node(None, mark.line + 1, mark.column + 1)
            (self._read_sequence if kind is yaml.SequenceStartEvent else self._read_mapping)(
                node, events, depth
            )
        if event.anchor:
            self.anchors[event.anchor] = node
        return node

    def _refuse_size(self, event: Any, depth: int) -> None:
        deep = f"nested more than {MAX_DEPTH} levels deep"
        many = f"more than {MAX_NODES:,} values once aliases are expanded"
        raise _Stop("SPEC007", deep if depth > MAX_DEPTH else many, event.start_mark)

    def _read_alias(self, event: Any) -> Node:
        target = self.anchors.get(event.anchor)
        if target is None:
            raise _Stop("SPEC001", f"*{event.anchor} has no &{event.anchor} before it", event.start_mark)
        self.nodes += target.size
        if self.nodes > MAX_NODES:
            self._refuse_size(event, 0)
        return target

    def _read_scalar(self, event: Any) -> Any:
        self.last_text = event
        if event.style or event.tag == _TEXT_TAG:
            return event.value
        try:
            return plain_value(event.value)
        except Ambiguous as error:
            self.report("SPEC008", str(error), event.start_mark)
            return event.value

    def _read_sequence(self, node: Node, events: Iterator[Any], depth: int) -> None:
        node.value = []
        for event in events:
            if type(event) is yaml.SequenceEndEvent:
                return
            child = self._read_node(event, events, depth + 1)
            node.children[len(node.value)] = child
            node.value.append(child.value)
            node.size += child.size

    def _read_mapping(self, node: Node, events: Iterator[Any], depth: int) -> None:
        node.value = {}
        merged: list[Node] = []
        for event in events:
            if type(event) is yaml.MappingEndEvent:
                break
            key = self._read_node(event, events, depth + 1)
            child = self._read_node(next(events), events, depth + 1)
            node.size += child.size + 1
            if key.value == "<<":
                merged.append(child)
            elif (name := self._read_key(key, node, event)) is not None:
                node.keys[name] = (key.line, key.column)
                node.children[name] = child
                node.value[name] = child.value
        for source in merged:
            self._merge(node, source)

    def _read_key(self, key: Node, node: Node, event: Any) -> str | None:
        if not isinstance(key.value, str):
            shown = str(getattr(event, "value", "this key")) or "an empty key"
            self.report("SPEC004", f"{shown} is not text: quote the key", event.start_mark)
            return shown
        if not event.style and "{" in key.value and (message := self._explain_brace(key)):
            self.report("SPEC001", message, event.start_mark)
            return key.value.split()[0].partition(":")[0]
        if key.value in node.keys:
            message = f'"{key.value}" is already used in line {node.keys[key.value][0]}'
            if key.value in KINDS and key.column == 1:
                message += ": write one thing per file"
            self.report("SPEC003", message, event.start_mark)
            node.repeated = node.repeated or []
            node.repeated.append((key.value, (key.line, key.column)))
            return None
        return key.value

    def _explain_brace(self, key: Node) -> str | None:
        return explain_key_with_brace(key.value, self._lines[key.line - 1])

    @cached_property
    def _lines(self) -> list[str]:
        return split_lines(self.content)

    def _merge(self, node: Node, source: Node) -> None:
        for one in source.children.values() if isinstance(source.value, list) else (source,):
            if not isinstance(one.value, dict):
                place = Place(self.file, one.line, one.column)
                self.problems.append(Problem.at(place, "SPEC001", "<< takes a mapping or a list of mappings"))
                continue
            for name, child in one.children.items():
                if name not in node.value:
                    node.value[name], node.children[name] = child.value, child
                    node.keys[str(name)] = one.keys[str(name)]
