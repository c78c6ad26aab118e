"""Filter text arrives whole: nothing in the runtime formats any.

A name or value that is formatted into filter text can say more than a name or value. Values are variables or
``match_values``; text for others is written by ``print_filter``. The scan follows an argument through the local
names and functions of its module; the last test proves that it sees what it looks for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.house.trees import parse_all

PRINTER = "runtime/filter/print.py"

READERS = {
    "compile_filter": 0,
    "parse_filter": 0,
    "parse_query": 0,
    "named_fields": 0,
    "compile_callers_filter": 2,
}
"""Function → which of its arguments is filter text."""

MEMBERS = {"filter", "filter_text", "filter_script", "filterScript", "impersonateFilterScript", "when"}
"""Keywords and keys of dictionaries whose value is filter text, whatever it is given to."""

FORMATTING = {"format", "format_map", "join", "replace", "sub", "substitute", "safe_substitute", "translate"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def formatted(tree: ast.Module) -> Iterator[int]:
    """Lines on which filter text is made by formatting."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
    scopes: list[ast.AST] = [tree, *functions.values()]
    for scope in scopes:
        for node in _own_nodes(scope):
            for text in _filter_texts(node):
                if _is_formatted(text, scope, functions, frozenset()):
                    yield text.lineno


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or module, those of functions inside it left out."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, Function):
            yield child
            yield from _own_nodes(child)


def _filter_texts(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        at = READERS.get(name)
        if at is not None and len(node.args) > at:
            yield node.args[at]
        yield from (
            one.value for one in node.keywords if one.arg in MEMBERS or (at == 0 and one.arg == "source")
        )
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in MEMBERS:
                yield value
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(_names_filter_text(target) for target in targets):
            yield node.value
    elif isinstance(node, ast.AugAssign) and _names_filter_text(node.target):
        yield ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)


def _names_filter_text(target: ast.expr) -> bool:
    """``body["filter"] = …``, ``query.filter = …``"""
    if isinstance(target, ast.Subscript):
        return isinstance(target.slice, ast.Constant) and target.slice.value in MEMBERS
    return isinstance(target, ast.Attribute) and target.attr in MEMBERS


def _is_formatted(
    text: ast.expr, scope: ast.AST, functions: dict[str, Function], seen: frozenset[str]
) -> bool:
    match text:
        case ast.JoinedStr():
            return any(isinstance(part, ast.FormattedValue) for part in text.values)
        case ast.BinOp():
            return isinstance(text.op, ast.Add | ast.Mod)
        case ast.Call(func=ast.Attribute(attr=name)) if name in FORMATTING:
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in functions:
            inner = functions[name]
            nodes = [] if name in seen else _own_nodes(inner)
            returned = [node.value for node in nodes if isinstance(node, ast.Return) and node.value]
            return any(_is_formatted(part, inner, functions, seen | {name}) for part in returned)
    parts, name = _parts(text), getattr(text, "id", "")
    if name and name not in seen:
        parts, seen = [*_assigned(name, scope)], seen | {name}
    return any(_is_formatted(part, scope, functions, seen) for part in parts)


def _parts(text: ast.expr) -> list[ast.expr]:
    """What an expression may turn out to be, or copy."""
    match text:
        case ast.Call(func=ast.Name(id="str"), args=[part, *_]):
            return [part]
        case ast.IfExp():
            return [text.body, text.orelse]
        case ast.BoolOp():
            return text.values
        case ast.NamedExpr():
            return [text.value]
    return []


def _assigned(name: str, scope: ast.AST) -> Iterator[ast.expr]:
    """What a local name is set to."""
    for node in _own_nodes(scope):
        match node:
            case ast.Assign() if any(_is_name(one, name) for one in node.targets):
                yield node.value
            case ast.AnnAssign(target=target) | ast.NamedExpr(target=target) if _is_name(target, name):
                yield from [node.value] if node.value else []
            case ast.AugAssign(target=target) if _is_name(target, name):
                yield ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)


def _is_name(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name


def test_no_filter_text_is_made_by_formatting() -> None:
    found = {
        f"{path}:{line}"
        for path, tree in parse_all("runtime").items()
        if path != PRINTER
        for line in formatted(tree)
    }
    assert found == set()


def test_the_scan_looks_at_every_place_that_reads_filter_text() -> None:
    """A reader that is renamed leaves the table; a path to the language that is not in it is found here."""
    calls = {
        getattr(node.func, "id", "")
        for tree in parse_all("runtime").values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert set(READERS) <= calls | {"parse_query"}  # which only the tests of the language call so far
    importers = {
        path
        for path, tree in parse_all("runtime").items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "runtime.filter.parse"
    }
    assert importers
    assert all(path.startswith("runtime/filter/") for path in importers)


@pytest.mark.parametrize(
    "source",
    [
        'compile_filter(f"{path}:^[1]", kind)',
        'filter.compile_filter(path + ":1", kind)',
        'compile_filter("%s:1" % path, kind)',
        'compile_filter("{}:1".format(path), kind)',
        'compile_filter(" && ".join(parts), kind)',
        'compile_filter("x:NAME".replace("NAME", name), kind)',
        'compile_filter(source=f"{path}:1", kind=kind)',
        'def f(path):\n    text = f"{path}:1"\n    return compile_filter(text, kind)',
        'def f(path):\n    text = "a:1"\n    text += path\n    return compile_filter(text, kind)',
        'def f(path):\n    first = path + ":1"\n    text = first if path else None\n    return parse_filter(text)',
        'def g(path):\n    return f"{path}:1"\ndef f(path):\n    return compile_callers_filter(call, access, g(path))',
        'compile_filter(given or f"{path}:1", kind)',
        'if text := f"{path}:1":\n    compile_filter(text, kind)',
        'ListQuery(filter=f"refName:{name}")',
        'parameters = {"filter": f"refName:{name}"}',
        'body["filter"] = "refName:" + name',
        'query.filter = str("refName:" + name)',
        'rule = Rule(filter="refName:%s" % name)',
    ],
)
def test_the_scan_sees_every_way_to_format(source: str) -> None:
    assert list(formatted(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "compile_filter(rule.filter, kind, given)",
        'compile_filter("userId:${principalId}", kind)',
        'compile_filter(f"constant", kind)',
        'match_values(kind, f"{path}.entityId", values, hidden)',
        'parameters = {"filter": print_filter(tree), "limit": str(len(names))}',
        "def f(text):\n    text = text or None\n    return compile_filter(text, kind)",
    ],
)
def test_the_scan_leaves_whole_text_alone(source: str) -> None:
    assert list(formatted(ast.parse(source))) == []
