"""A document as text, put together from the texts of its pieces: operations and components.

A piece that is known from an earlier run is bytes of the document that this run wrote, so that nothing is
stored twice. What a piece refers to is stored with it, since components that no path reaches are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from runtime.contract.components import find_paths, list_references

METHODS = ("get", "post", "put", "patch", "delete")

Span = tuple[int, int]
Spans = Mapping[tuple[str, str], Span]
"""Path and method, or section and name → where the text of the piece is in the document."""


class Operation(NamedTuple):
    """The text of an operation."""

    path: str
    method: str
    text: bytes


class Component(NamedTuple):
    """The text of a component, and the components that it refers to, as ``schemas/Airport``."""

    section: str
    name: str
    text: bytes
    needs: list[str]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The pieces of a part of the document. ``roots``: the components that its operations refer to."""

    operations: list[Operation]
    components: list[Component]
    roots: list[str]


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The document and where its pieces are. Components that nothing refers to are not in it."""

    content: bytes
    spans: Spans


def join_pieces(head: Mapping[str, bytes], parts: Iterable[Pieces]) -> DocumentText:
    """Put a document together: its first members, then ``paths`` and ``components``."""
    parts = list(parts)
    components = {f"{one.section}/{one.name}": one for part in parts for one in part.components}
    used = _reach(parts, components)
    writer = _Writer()
    writer.add(b"{\n" + b"".join(b"%s:%s,\n" % (orjson.dumps(name), text) for name, text in head.items()))
    operations = sorted(
        (one for part in parts for one in part.operations),
        key=lambda one: (one.path, METHODS.index(one.method)),
    )
    writer.add_groups("paths", operations)
    writer.add(b",\n")
    writer.add_groups("components", (components[name][:3] for name in used))
    writer.add(b"\n}\n")
    return DocumentText(b"".join(writer.texts), writer.spans)


def _reach(parts: Iterable[Pieces], components: Mapping[str, Component]) -> list[str]:
    """List the components that operations refer to, directly or not, sorted by section and name."""
    waiting: list[str] = []
    for part in parts:
        waiting += _check_names(part.roots, (one.text for one in part.operations), components)
    seen: set[str] = set()
    while waiting:
        if (name := waiting.pop()) in seen:
            continue
        seen.add(name)
        found = components.get(name)
        if found is None:
            raise KeyError(
                f"the document has no #/components/{name}; shared answers are listed in openapi/bodies.py"
            )
        waiting += _check_names(found.needs, (found.text,), components)
    return sorted(seen)  # no section's name is the beginning of another's


def _check_names(
    names: list[str], texts: Iterable[bytes], components: Mapping[str, Component]
) -> Iterable[str]:
    """Return the names that texts refer to. Where one leads nowhere, it may be data: then the nodes tell."""
    if all(map(components.__contains__, names)):
        return names
    return {"/".join(one) for text in texts for one in list_references(orjson.loads(text))}


def find_names(texts: Iterable[bytes]) -> list[str]:
    """Find the components that texts refer to, as ``schemas/Airport``, sorted."""
    return sorted(find_paths(b"\n".join(texts)))


class _Writer:
    """Collects texts and where they are."""

    def __init__(self) -> None:
        self.texts: list[bytes] = []
        self.spans: dict[tuple[str, str], Span] = {}
        self._length = 0

    def add(self, text: bytes) -> None:
        self.texts.append(text)
        self._length += len(text)

    def add_groups(self, member: str, pieces: Iterable[tuple[str, str, bytes]]) -> None:
        """Add a member of the document with sorted pieces, which are grouped by their first word."""
        self.add(orjson.dumps(member) + b":{")
        last = None
        for group, name, text in pieces:
            if group == last:
                head = b",\n" + orjson.dumps(name) + b":"
            else:
                between = b"\n" if last is None else b"\n},\n"
                head = between + orjson.dumps(group) + b":{\n" + orjson.dumps(name) + b":"
                last = group
            begin = self._length + len(head)
            self._length = begin + len(text)
            self.spans[group, name] = (begin, self._length)
            self.texts += (head, text)
        self.add(b"}" if last is None else b"\n}\n}")


def list_rows(pieces: Pieces, spans: Spans) -> dict[str, object]:
    """List what is stored of pieces: where each is; the text of one that is not in the document."""
    return {
        "operations": [(one.path, one.method, *spans[one.path, one.method]) for one in pieces.operations],
        "components": [_describe(one, spans) for one in pieces.components],
        "roots": pieces.roots,
    }


def _describe(one: Component, spans: Spans) -> tuple[object, ...]:
    span = spans.get((one.section, one.name))
    return (one.section, one.name, one.text.decode() if span is None else span, one.needs)


def read_rows(rows: Mapping[str, Any], content: bytes) -> Pieces:
    """Read pieces that were stored, out of the document that they are in."""
    operations = [
        Operation(path, method, content[begin:end]) for path, method, begin, end in rows["operations"]
    ]
    components = [
        Component(section, name, _read_text(where, content), needs)
        for section, name, where, needs in rows["components"]
    ]
    return Pieces(operations, components, rows["roots"])


def _read_text(where: str | list[int], content: bytes) -> bytes:
    return where.encode() if isinstance(where, str) else content[where[0] : where[1]]
