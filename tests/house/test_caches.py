"""What a process remembers is bounded: every cache of the runtime says how much, or has one entry."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.house.trees import parse_all


def unbounded(tree: ast.AST) -> Iterator[str]:
    """Caches that may grow with what callers send."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = {ast.unparse(one) for one in node.decorator_list}
            arguments = node.args.args + node.args.kwonlyargs + node.args.posonlyargs
            if names & {"cache", "functools.cache"} and arguments:
                yield f"line {node.lineno}: {node.name} keeps an entry for every argument"
            if names & {"lru_cache", "functools.lru_cache"}:
                yield f"line {node.lineno}: {node.name} does not say how much it keeps"
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("lru_cache", "functools.lru_cache"):
            sizes = [one.value for one in node.keywords if one.arg == "maxsize"]
            if not sizes or ast.unparse(sizes[0]) == "None":
                yield f"line {node.lineno}: lru_cache without maxsize"


def test_every_cache_has_a_bound() -> None:
    found = {name: list(unbounded(tree)) for name, tree in parse_all("runtime").items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("@lru_cache(maxsize=9)\ndef f(a): ...", 0),
        ("f = lru_cache(maxsize=MOST)(g)", 0),
        ("@cache\ndef f(): ...", 0),
        ("@cache\ndef f(a): ...", 1),
        ("@lru_cache\ndef f(a): ...", 1),
        ("@lru_cache()\ndef f(a): ...", 1),
        ("@lru_cache(maxsize=None)\ndef f(a): ...", 1),
        ("@functools.cache\nasync def f(*, a): ...", 1),
    ],
)
def test_the_scan_sees_caches_without_one(source: str, found: int) -> None:
    assert len(list(unbounded(ast.parse(source)))) == found
