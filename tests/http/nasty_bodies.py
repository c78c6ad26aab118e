"""Bodies of an allowed size that cost as much as their sender can make them, for each kind of route.

They are for the sample service, whose Article has a field of every type, and whose Maker has dynamic
attributes, a history and stores what breaks constraints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from runtime.json_text import MOST_ESCAPES
from runtime.settings import Settings

VALUES: int = Settings.model_fields["max_body_values"].default
BYTES: int = Settings.model_fields["max_body_bytes"].default
SMALL: int = Settings.model_fields["max_small_body_bytes"].default

NOWHERE = "0" * 24
JSON, PATCH = "application/json", "application/merge-patch+json"
ARTICLES, MAKERS = "/shop/articles", "/shop/who/makers"


class Nasty(NamedTuple):
    """A request; ``{maker}`` in its path or body is the id of a stored Maker."""

    name: str
    request: str
    content: bytes

    @property
    def is_slow(self) -> bool:
        """Whether the store works on it for seconds: for the bench, not for the suite."""
        return "bulk of" in self.name or "all or none" in self.name or self.name == "set by ids"

    @property
    def media_type(self) -> str:
        return PATCH if self.request.startswith("PATCH") else JSON


def nasty_bodies() -> Iterator[Nasty]:
    """One after the other: together they have hundreds of megabytes."""
    for name, content in _unsound().items():
        for route in ("POST /security/login", f"POST {ARTICLES}"):
            yield Nasty(f"{name}, {route}", route, content)
    for name, fields in _articles().items():
        yield Nasty(f"save {name}", f"POST {ARTICLES}", _text(_ARTICLE | fields))
    for name, fields in _makers().items():
        yield Nasty(f"save a maker with {name}", f"POST {MAKERS}", _text({"name": "x"} | fields))
        yield Nasty(f"patch a maker with {name}", f"PATCH {MAKERS}/id/{{maker}}", _text(fields))
    for name, body in _bulks().items():
        yield Nasty(name, body[0], _text(body[1]))


_ARTICLE = {"title": "Lamp", "code": "AA000", "price": "AA000", "maker": {"entityId": "{maker}"}}


def _unsound() -> dict[str, bytes]:
    """What is refused before it is checked, on every route; as many values as get through among them."""
    few = SMALL // 16 - 10
    return {
        "unknown members": _members(few),
        "millions of unknown members": _members(BYTES // 12),
        "millions of numbers": b"[" + b"1," * (BYTES // 2 - 2) + b"1]",
        "millions of empty lists": b"[" + b"[]," * (BYTES // 3 - 2) + b"1]",
        "millions of brackets": b"[" * BYTES,
        "millions of closing brackets": b"]" * BYTES,
        "millions of quotes": b'"' * BYTES,
        "millions of backslashes": b'"' + b"\\" * (BYTES - 2) + b'"',
        "one long number": b'{"stock": ' + b"9" * (BYTES - 20) + b"}",
        "blanks": b" " * BYTES,
        "not UTF-8": b'"' + b"\xff" * (BYTES - 2) + b'"',
    }


def _members(count: int) -> bytes:
    return b"{" + b",".join(b'"%x":1' % at for at in range(count)) + b"}"


def _articles() -> dict[str, Any]:
    most = VALUES - 50
    part = {"name": "x", "weights": ["1.5"]}
    return {
        "unknown members": {f"x{at}": 1 for at in range(most)},
        "unknown members below": {"parts": [{"x": 1}] * (most // 2)},
        "a list of numbers": {"extra": [1] * most},
        "a list of floats": {"extra": [1.5] * most},
        "empty objects": {"extra": [{}] * (most // 2)},
        "small objects": {"extra": [{"a": 1}] * (most // 2)},
        "an object": {"extra": {f"k{at}": at for at in range(most)}},
        "a bad key at the end": {"extra": [[]] * (most // 2) + [{"$": 1}]},
        "a long string": {"extra": "x" * (BYTES - 1000)},
        "a string of escapes": {"extra": "\n" * (MOST_ESCAPES - 1000)},
        "a string of too many escapes": {"extra": "\n" * (BYTES // 2 - 1000)},
        "strings": {"extra": ["x" * (BYTES // most - 10)] * most},
        "rows of integers": {"matrix": [[1, 2]] * (most // 3)},
        "a map of strings": {"labels": {f"k{at}": "x" for at in range(most)}},
        "a map of decimals": {"prices": {f"k{at}": "12345678901234567.25" for at in range(most)}},
        "a map of bad decimals": {"prices": {f"k{at}": "x" for at in range(most)}},
        "a map of objects": {"slots": {f"k{at}": {"shelf": "x"} for at in range(most // 2)}},
        "objects in a list": {"parts": [part] * (most // 4)},
        "bad objects in a list": {"parts": [{"name": 1}] * (most // 2)},
        "references": {"parts": [{"name": "x", "supplier": {"entityId": "{maker}"}}] * (most // 4)},
        "missing references": {
            "parts": [{"name": "x", "supplier": {"entityId": f"{at:024x}"}} for at in range(most // 4)]
        },
        "a long decimal": {"prices": {"a": "9" * (BYTES - 1000)}},
        "a long unknown name": {"x" * (BYTES - 1000): 1},
        "unique items": {"tags": [str(at) for at in range(most)]},
    }


def _makers() -> dict[str, Any]:
    most = VALUES - 50
    return {
        f"attributes of type {kind}": _attributes([{"type": kind, "value": value}] * min(most // 3, 64 * 250))
        for kind, value in {
            "String": "x",
            "Date": "2026-01-01",
            "DateTime": "2026-01-01T00:00:00Z",
            "ObjectRef": NOWHERE,
            "Double": 1.5,
            "Boolean": "no",
        }.items()
    } | {
        "an attribute of objects": _attributes(
            [{"type": "Object", "value": {"a": [{"b": 1}] * (most // 3)}}]
        ),
        "choices": _attributes([{"type": "MultiSelect", "value": ["x"] * 190}] * (most // 195)),
    }


def _attributes(all_: list[Any]) -> dict[str, Any]:
    sets = {f"s{at}": all_[at : at + 250] for at in range(0, len(all_), 250)}
    return {
        "dynamicAttributes": {
            name: {f"a{at}": one for at, one in enumerate(found)} for name, found in sets.items()
        }
    }


def _bulks() -> dict[str, tuple[str, Any]]:
    record = _ARTICLE | {"extra": [1] * 30}
    bad = _ARTICLE | {"parts": [{"x": 1}] * 20}
    save = {"op": "save", "record": {"name": "x"}}
    most = VALUES - 50
    return {
        "bulk of articles": (
            f"POST {ARTICLES}/bulk",
            {"operations": [{"op": "save", "record": record}] * 1000},
        ),
        "bulk of bad articles": (
            f"POST {ARTICLES}/bulk",
            {"operations": [{"op": "save", "record": bad}] * 1000},
        ),
        "bulk of makers, all or none": (f"POST {MAKERS}/bulk", {"operations": [save] * 1000, "atomic": True}),
        "bulk of too many": (f"POST {MAKERS}/bulk", {"operations": [save] * most}),
        "bulk of wide records": (
            f"POST {MAKERS}/bulk",
            {"operations": [{"op": "save", "record": {f"x{n}": n for n in range(95)}}] * 1000},
        ),
        "bulk of one": (
            f"POST {ARTICLES}/bulk",
            {"operations": [{"op": "save", "record": _ARTICLE | {"extra": [1] * (most - 10)}}]},
        ),
        "set in bulk": (
            f"PUT {ARTICLES}/bulk/set",
            {"filter": "title:x", "values": {"extra": [{"a": 1}] * (most // 2 - 10)}},
        ),
        "set many fields in bulk": (
            f"PUT {ARTICLES}/bulk/set",
            {"filter": "title:x", "values": {f"labels.k{at}": "x" for at in range(200)}},
        ),
        "set by ids": (
            f"PUT {ARTICLES}/bulk/set",
            {"ids": [f"{at:024x}" for at in range(1000)], "values": {"extra": [1] * (most - 2000)}},
        ),
        "set by too many ids": (
            f"PUT {ARTICLES}/bulk/set",
            {"ids": [f"{at:024x}" for at in range(most - 10)], "values": {"title": "x"}},
        ),
        "find by a long filter": (f"POST {ARTICLES}/find", {"filter": "title:x||" * 1800 + "title:x"}),
        "find by a filter that is too long": (f"POST {ARTICLES}/find", {"filter": "x" * (BYTES - 100)}),
        "find in a long order": (f"POST {ARTICLES}/find", {"sort": ",".join(["title"] * 170)}),
    }


def _text(body: Any) -> bytes:
    return json.dumps(body, separators=(",", ":")).encode()
