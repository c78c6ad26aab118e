"""Where the scope of a caller is part of what the store does, and the same place without it.

Two kinds of places, found in the source: lines of ``runtime/storage/store`` that put the scope into a command or hold
a document against it, and lines elsewhere that call the store with an ``Access``. One of them at a time can be
freed of tenant, organisation, account and segment, as if somebody had forgotten them there. Nothing is written:
classes are patched in the process that runs the tests.
"""

from __future__ import annotations

import ast
import inspect
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial, wraps
from typing import Any

from runtime.principal import DomainScope
from runtime.storage.access import Access
from runtime.storage.store import Store, Transaction
from tests.house.trees import ROOT, parse_all

Put = Callable[[type, str, object], None]
UNBOUND = DomainScope()
CHECKS = {Access: ("scoped", "admits"), DomainScope: ("admits", "as_match")}
"""What the store asks of a scope."""


@dataclass(frozen=True, order=True)
class Site:
    """A call of one of those methods; ``within``: the function it stands in."""

    path: str
    line: int
    method: str
    within: str = ""

    def __str__(self) -> str:
        return f"{self.path.removeprefix('runtime/')}:{self.line} {self.within} → {self.method}"


@cache
def store_methods() -> frozenset[str]:
    """Those that take an ``Access``."""
    public = inspect.getmembers(Store, inspect.isfunction)
    takers = {name for name, method in public if "access" in inspect.signature(method).parameters}
    return frozenset(name for name in takers if not name.startswith("_"))


@cache
def sites() -> tuple[Site, ...]:
    """List those of all of the source, those of the store itself first."""
    modules = sorted(parse_all("runtime").items(), key=lambda item: ("/store/" not in item[0], item[0]))
    return tuple(site for path, tree in modules for site in _sites_in(path, tree))


def _sites_in(path: str, tree: ast.Module) -> Iterator[Site]:
    is_store = path.startswith("runtime/storage/store/")
    checks = {name for names in CHECKS.values() for name in names}
    wanted = checks if is_store else store_methods()
    for within, call in _calls(tree, ""):
        if call.attr in wanted and (is_store or ast.unparse(call.value).endswith(("store", "transaction"))):
            yield Site(path, call.end_lineno or 0, call.attr, within)


def _calls(node: ast.AST, within: str) -> Iterator[tuple[str, ast.Attribute]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        within = node.name
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield within, node.func
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, within)


def unlocated(site: Site) -> Site:
    """As it is seen from the inside, where the name of the function does not matter."""
    return replace(site, within="")


def free(site: Site, put: Put = setattr) -> None:
    """From now on, in this process, nothing is bound at this place."""
    _intercept(lambda at, bound: at == unlocated(site), put)


def watch(put: Put = setattr) -> dict[Site, list[str]]:
    """Which tests come to which place with a scope that binds, in their order; filled while they run. None: it
    never binds."""
    reached: dict[Site, list[str]] = defaultdict(list)

    def note(at: Site, bound: bool) -> bool:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0].rpartition("::")[2]
        tests = reached[at]
        if bound and test not in tests[-1:]:
            tests.append(test)
        return False

    _intercept(note, put)
    return reached


def _intercept(is_freed: Callable[[Site, bool], bool], put: Put) -> None:
    for owner, names in {**CHECKS, Store: store_methods(), Transaction: store_methods()}.items():
        for name in filter(partial(hasattr, owner), names):
            put(owner, name, _intercepted(getattr(owner, name), is_freed))


def _intercepted(method: Callable[..., Any], is_freed: Callable[[Site, bool], bool]) -> Callable[..., Any]:
    @wraps(method)
    def called(*arguments: Any, **options: Any) -> Any:
        caller = sys._getframe(1)
        path = caller.f_code.co_filename.removeprefix(f"{ROOT}/")
        if is_freed(Site(path, caller.f_lineno, method.__name__), any(map(_is_bound, arguments))):
            arguments = tuple(map(_freed, arguments))
        return method(*arguments, **options)

    return called


def _is_bound(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_is_bound, value))
    return (isinstance(value, Access) and value.domain != UNBOUND) or (
        isinstance(value, DomainScope) and value != UNBOUND
    )


def _freed(value: Any) -> Any:
    if isinstance(value, Access):
        return replace(value, domain=UNBOUND)
    if isinstance(value, DomainScope):
        return UNBOUND
    return type(value)(map(_freed, value)) if type(value) in (list, tuple) else value
