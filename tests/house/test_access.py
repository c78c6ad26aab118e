"""No Access, no query: who may build an ``Access`` or a ``Predicate``, and what ``Store`` asks for.

Read from the source with ``ast``; the last test proves that the scan sees what it looks for.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from runtime.storage.access import Access, DocumentT
from runtime.storage.store import Snapshot, Store, Transaction
from tests.house.trees import parse_all

BUILDERS: dict[str, dict[str, str]] = {
    "Access": {
        "runtime/access/guard.py": "for a caller, after the role check",
        "runtime/storage/as_service.py": "for the service itself, in the modules a linter contract lists",
    },
    "Predicate": {
        "runtime/filter/": "the compiler, and matches by id and by scalars",
    },
    "DomainScope": {
        "runtime/principal.py": "from the caller's domain context",
        "runtime/storage/as_service.py": "any tenant",
        "runtime/completion/expiry.py": "the tenant of a group that expires",
        "runtime/outbox/opening.py": "the tenant of a webhook",
        "runtime/permissions/rule.py": "everybody, of whom a rule speaks unless it says less",
        "runtime/identity/clients/stored_client.py": "where the users of a client are",
        "runtime/identity/users/users.py": "the one tenant whose users an administrator lists",
        "runtime/records/effects/idempotency.py": "the one tenant of a key's caller",
        "runtime/transfer/sessions/session.py": "the one tenant of a session's caller",
        "runtime/records/effects/tracking.py": "the tenant of a record: all that refer to it count",
        "runtime/records/rewriting.py": "the tenant of a record: copies of its name are everybody's",
        "runtime/ontology/edges.py": "the tenant of a record: edges are within one",
        "runtime/records/renames.py": "the tenant of a record: whose copies are looked at again",
        "runtime/agents/run_as.py": "the caller's tenant: tools run as a user of it",
        "runtime/backup/parts.py": "the tenant that is backed up, restored or erased, or all",
        "runtime/seed_references.py": "the tenant for which seeds are planted",
        "runtime/records/effects/integrity.py": "the tenant an operator asks about, or all",
        "runtime/access/stored_rules.py": "the tenant whose stored rules are read; the callers that one speaks of",
        "runtime/explain/viewpoint.py": "the operator, to whom all rules are shown",
    },
}
"""Class → the files that may build it, and for what."""

WITHOUT_ACCESS = {
    *(
        "resolve",
        "ping",
        "close",
        "bare_database",
        "follow",
        "feed",  # what it delivers is shown to holders of an access alone
        "read_time",
        "read_clock",
        "count_connections",
        "count_served",  # one number, of all that the store does
        "transact",
        "run_after_storing",
        "take_turns",
        "open_snapshot",  # each of its reads asks for an access
        "busy_line",
        "is_traced",
        *(
            "insert_rest",
            "_insert_and_commit",
            "_remove_stored",
        ),  # each document with the access it came with
    ),
    "check_before_changing",
    "check_before_writing",  # what is checked is handed the access of each command
    "check_before_searching",  # as above
}


HALVES = ("across", "closing", "insertions", "pages", "reads", "writes")
"""Modules of the store that send commands on records."""


def list_trees() -> Mapping[str, ast.Module]:
    return parse_all("runtime", "generated")


def calls_of(name: str, tree: ast.AST) -> Iterator[int]:
    """Lines that call ``name`` or ``anything.name``, under whatever name it was imported."""
    names, nodes = {name}, list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.ImportFrom | ast.Import):
            names |= {alias.asname for alias in node.names if alias.name == name and alias.asname}
    for node in nodes:
        if isinstance(node, ast.Call):
            called = node.func.value if isinstance(node.func, ast.Subscript) else node.func
            spelled = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", None)
            if spelled in names or _replaces(node, name):
                yield node.lineno


def _replaces(call: ast.Call, name: str) -> bool:
    """``dataclasses.replace(access, …)`` builds one as well."""
    match call.func:
        case ast.Name("replace") | ast.Attribute(ast.Name("dataclasses"), "replace"):
            return bool(call.args) and ast.unparse(call.args[0]).lower().endswith(name.lower())
    return False


def uses_of_attribute(name: str, tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == name:
            yield node.lineno


@pytest.mark.parametrize("name", BUILDERS)
def test_only_the_listed_modules_build_one(name: str) -> None:
    found = {
        f"{path}:{line}"
        for path, tree in list_trees().items()
        for line in calls_of(name, tree)
        if not path.startswith(tuple(BUILDERS[name]))
    }
    assert found == set()


@pytest.mark.parametrize(("name", "path"), [(name, path) for name in BUILDERS for path in BUILDERS[name]])
def test_every_listed_module_needs_to_be_listed(name: str, path: str) -> None:
    assert any(list(calls_of(name, tree)) for file, tree in list_trees().items() if file.startswith(path))


def test_only_the_indexes_see_a_bare_database() -> None:
    users = {path for path, tree in list_trees().items() if list(uses_of_attribute("bare_database", tree))}
    assert users == {f"runtime/storage/{name}.py" for name in ("images", "indexes")}


def test_only_the_store_sees_its_client() -> None:
    users = {path for path, tree in list_trees().items() if list(uses_of_attribute("_client", tree))}
    store = {f"runtime/storage/store/{name}.py" for name in ("feed", "following")}
    assert users == {*store, *(f"runtime/storage/lane/{name}.py" for name in ("attempt", "lane", "primary"))}
    uses = {
        path.removeprefix("runtime/storage/store/"): number
        for path, tree in list_trees().items()
        if path.startswith("runtime/storage/store/")
        and (number := len(list(uses_of_attribute("client", tree)))) > 0
    }
    assert uses == {"connection.py": 12, "moving.py": 1, "store.py": 7, "whole.py": 1}
    users = {path for path, tree in list_trees().items() if list(uses_of_attribute("_connection", tree))}
    names = ("commands", "converting", "moving", "reads", "store", "whole", "writes")
    of_webhooks = "runtime/outbound/pinned.py"  # a connection of HTTP
    assert users == {of_webhooks, *(f"runtime/storage/store/{name}.py" for name in names)}


@pytest.mark.parametrize("owner", [Store, Transaction, Snapshot])
def test_every_method_of_the_store_asks_for_an_access_first(owner: type) -> None:
    for name, method in inspect.getmembers(owner, inspect.isfunction):
        if name in WITHOUT_ACCESS or (name.startswith("_") and name == "__init__"):
            continue
        parameters = list(inspect.signature(method, eval_str=True).parameters.values())
        assert parameters[1].name == "access", name
        assert parameters[1].annotation in (Access[Any], Access[DocumentT]), name
        assert parameters[1].default is inspect.Parameter.empty, name


def test_every_command_of_the_store_is_scoped_or_an_insert() -> None:
    """Each call on a collection is handed ``access.scoped(match)``, itself or by ``scope``."""
    halves = [list_trees()[f"runtime/storage/store/{name}.py"] for name in HALVES]
    nodes = [node for tree in halves for node in ast.walk(tree)]
    commands = [
        node
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) in ("self._collection(access)", "collection")
    ]
    unscoped = {
        node.func.attr
        for node in commands
        if isinstance(node.func, ast.Attribute)
        and ast.unparse(node.args[0])
        not in (
            "access.scoped(match)",
            "guard(access, match)",
            "scope(access, match, order)",
            "scope(access, match, order, ranges[0])",
        )
    }
    assert len(commands) >= 9
    assert unscoped == {"insert_one", "insert_many", "prepare_insert", "aggregate", "bulk_write"}
    requests = [node for node in nodes if isinstance(node, ast.Call) and _named(node) == "UpdateOne"]
    matches = {ast.unparse(node.args[0]) for node in requests}  # of bulk_write
    assert (len(requests), matches) == (2, {"guard(access, match)", "guard(access, one.match)"})
    guarded = ast.unparse(list_trees()["runtime/storage/store/spellings.py"]).partition("def guard(")[2]
    assert "(spelling_of(access), access.scoped(match))" in guarded
    assert (
        "return {'$and': [spelling.settled, scoped]} if spelling and spelling.touches(scoped) else scoped"
        in guarded
    )


def test_every_stage_list_of_the_store_begins_with_a_scoped_match() -> None:
    """``aggregate`` is handed stages that ``stages.py`` made, of one match after the other."""
    functions = {
        node.name: node
        for node in ast.walk(list_trees()["runtime/storage/store/stages.py"])
        if isinstance(node, ast.FunctionDef)
    }
    scoping = ast.unparse(functions["scope"])
    assert scoping.count("return ") == 2
    assert "return access.scoped(match & within)" in scoping
    assert "exact = without_collation(access.scoped(match))" in scoping
    assert "return {'$and': [exact, " in scoping
    scoped = {
        "build_union_part": "widen(access, access.scoped(match))",
        "build_find_stages": "widen(access, scope(access, match, order, within))",
    }
    deciding = {
        "build_union_part": "decide(access, access.scoped(match))",
        "build_find_stages": "decide(access, scope(access, match, order, within))",
    }  # what a wider first match lets through, the match of the computed record decides
    for name, match in scoped.items():
        (answer,) = [node for node in ast.walk(functions[name]) if isinstance(node, ast.Return)]
        assert isinstance(answer.value, ast.List)
        assert ast.unparse(answer.value.elts[0]) == f"{{'$match': {match}}}", name
        assert ast.unparse(functions[name]).count(deciding[name]) == 1, name

    methods = {
        node.name: node
        for name in ("across", "pages", "reads")
        for node in ast.walk(list_trees()[f"runtime/storage/store/{name}.py"])
        if isinstance(node, ast.AsyncFunctionDef)
    }
    across, page = made_in(methods["_find_united"]), made_in(methods["find_page"])
    assert across["pipeline"] == "build_union_part(self._spell(access), match, projection, 0, limit)"
    assert across["rows"] == "build_union_part(self._spell(other), other_match, projection, at, limit)"
    assert page["stages"] == "build_page_stages(access, match, ranges, order, projection, limit, skip)"
    paging = made_in(functions["build_page_stages"])
    assert paging["shown"] == "build_projection(access, projection)"
    assert paging["build"] == "partial(build_find_stages, access, match, order, shown, limit=limit)"
    assert "'pipeline': build(within=one)" in paging["unions"]
    union = ast.unparse(functions["build_page_stages"])
    assert "return [*build(within=ranges[0], skip=skip), *unions, {'$limit': limit}]" in union
    names = ("aggregate", "_aggregate")
    aggregating = {name for name, node in methods.items() if any(list(calls_of(one, node)) for one in names)}
    assert aggregating == {
        "_find_united", "find_encoded", "find_page", "stream", "_find_in_stages", "count",
    }  # fmt: skip
    counted = made_in(methods["count"])
    assert counted["scoped"] == "access.scoped(match)"
    assert counted["wide"] == "widen(access, scoped)"
    assert counted["decided"] == "[] if wide == scoped else decide(access, scoped)"
    assert "stages: Stages = [{'$match': wide}, *decided, " in ast.unparse(methods["count"])
    encoded = made_in(methods["find_encoded"])
    assert encoded["stages"] == "build_find_stages(access, match, UNORDERED, shown, limit=limit)"
    for name in ("stream", "_find_in_stages"):
        staged = made_in(methods[name])["stages"]
        assert staged == "build_find_stages(access, match, order, shown, skip=skip, limit=limit)"


def _named(call: ast.Call) -> str:
    return ast.unparse(call.func)


def made_in(function: ast.AsyncFunctionDef | ast.FunctionDef) -> dict[str, str]:
    """Name → what is assigned to it in a function."""
    return {
        ast.unparse(node.targets[0]): ast.unparse(node.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
    }


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("from runtime.storage.access import Access\nAccess(kind)", [2]),
        ("from runtime.storage.access import Access as A\nA(kind)", [2]),
        ("from runtime.storage.access import Access as A\nA[Document](kind)", [2]),
        ("import runtime.storage.access\nruntime.storage.access.Access(kind)", [2]),
        ("from dataclasses import replace\nreplace(access, domain=x)", [2]),
        ("store.replace(access, match, document)", []),
        ("def allow(call) -> Access: ...", []),
    ],
)
def test_the_scan_sees_every_way_to_build_one(source: str, lines: list[int]) -> None:
    assert list(calls_of("Access", ast.parse(source))) == lines
