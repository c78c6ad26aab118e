"""The lock files: what a running service needs is a part of what is tested, and what the runtime imports is in it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions
from importlib.util import find_spec

import pytest

from tests.house.trees import ROOT, parse_all

_PIN = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)

# Looked for at run time and reported when absent: extras of development, or the generator's own commands.
OPTIONAL = {"fiftyone", "airportsdata", "generated", "generator", "runtime"}


def pins(name: str) -> dict[str, set[str]]:
    """Package → the text of its pins, versions and hashes, in a lock file."""
    entries = re.split(r"^(?=[a-z0-9])", (ROOT / name).read_text("utf-8"), flags=re.MULTILINE)
    found: dict[str, set[str]] = {}
    for entry in filter(None, entries):
        pin = _PIN.match(entry)
        assert pin, entry
        hashes = re.findall(r"sha256:[0-9a-f]{64}", entry)
        assert hashes, f"{pin[1]} has no hash"
        found.setdefault(pin[1], set()).update([pin[2], *hashes])
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(folder: str) -> set[str]:
    """Top-level modules that the files of a folder import, the standard library left out."""
    names: set[str] = set()
    for tree in parse_all(folder).values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - OPTIONAL


def imported_with_own(folder: str) -> set[str]:
    """The same, with what packages of the repository import that the files import, such as handlers of endpoints."""
    names, done = imported(folder), set[str]()
    while own := {name for name in names - done if (ROOT / name).is_dir() or (ROOT / f"{name}.py").is_file()}:
        names |= {name for package in own for name in imported(package)}
        done |= own
    return names - done


def test_what_runs_is_what_was_tested() -> None:
    tested = pins("requirements.lock")
    for name, pin in pins("requirements-run.lock").items():
        assert pin <= tested[name], f"{name} differs: run `make lock`"


def test_running_needs_nothing_of_tests_and_generator() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {normal(re.split(r"[\[<>=!;~ ]", line)[0]) for line in project["dependencies"]}
    locked = pins("requirements-run.lock").keys()
    assert needed <= locked, "run `make lock`"
    extras = {
        normal(re.split(r"[\[<>=!;~ ]", line)[0])
        for lines in project["optional-dependencies"].values()
        for line in lines
    }
    assert not locked & (extras - needed)


@pytest.mark.parametrize("folder", ["runtime", "generated"])
def test_every_import_is_locked_for_running(folder: str) -> None:
    owners = packages_distributions()
    locked = pins("requirements-run.lock").keys()
    found = {name: {normal(owner) for owner in owners.get(name, [])} for name in imported_with_own(folder)}
    assert found, "the folder is empty"
    assert {name: owner for name, owner in found.items() if not owner & locked} == {}


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-run.lock"])
def test_lock_files_name_no_address(name: str) -> None:
    assert "://" not in (ROOT / name).read_text("utf-8")


def test_programs_next_to_the_suite_import_what_is_there() -> None:
    """No test imports them, and mypy does not read them."""
    folders = ("bench", "clients", "conformance", "faults", "life")
    trees = parse_all(*(f"tests/{folder}" for folder in folders))
    imports = [
        (f"{name}:{node.lineno}", node.module, alias.name)
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("generator", "runtime."))
        for alias in node.names
    ]
    assert imports
    assert [at for at, module, name in imports if not _has(str(module), name)] == []


def _has(module: str, name: str) -> bool:
    found = import_module(module)
    is_package = hasattr(found, "__path__")
    return hasattr(found, name) or (is_package and find_spec(f"{module}.{name}") is not None)
