"""The wheel: both packages in one, and every name of theirs rewritten."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from generator.project.wheel import list_modules, move_name, move_packages, move_source

ROOT = Path(__file__).parents[2]
MODULES = list_modules(ROOT)


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as the wheel has it."""
    target = tmp_path_factory.mktemp("moved")
    move_packages(ROOT, target)
    return target


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from runtime.errors import Duplicate", "from recordsmith.runtime.errors import Duplicate"),
        ("from runtime import errors", "from recordsmith.runtime import errors"),
        ("from  generator.load  import load", "from  recordsmith.generator.load  import load"),
        (
            "def f():\n    from generator.load import load",
            "def f():\n    from recordsmith.generator.load import load",
        ),
        ("é = 1; from runtime.call import Call", "é = 1; from recordsmith.runtime.call import Call"),
        ("A = 'runtime.app'", 'A = "recordsmith.runtime.app"'),
        ("F = 'runtime.cli.worker:create'", 'F = "recordsmith.runtime.cli.worker:create"'),
        (
            "é = {'runtime.app': ('runtime.http',)}",
            'é = {"recordsmith.runtime.app": ("recordsmith.runtime.http",)}',
        ),
        ("from runtimes import x", "from runtimes import x"),
        ("from .runtime import x", "from .runtime import x"),
        ("A = 'runtime'  # runtime.app", "A = 'runtime'  # runtime.app"),
        ("A = 'runtime.nothing'", "A = 'runtime.nothing'"),
        ("A = 'see runtime.app'", "A = 'see runtime.app'"),
        ("A = 'ontology.enabled'", "A = 'ontology.enabled'"),
        ("A = f'{name}:runtime.app'", "A = f'{name}:runtime.app'"),
    ],
)
def test_names_are_rewritten(source: str, expected: str) -> None:
    assert move_source(source.encode(), MODULES).decode() == expected


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import runtime.model", "import runtime.model"),
        ("import os, generator", "import generator"),
        ("A = f'runtime.cli.{name}'", "__package__"),
        ("A = f'{name}' 'runtime.app'", "__package__"),
    ],
)
def test_what_cannot_be_rewritten_without_guessing_is_refused(source: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        move_source(source.encode(), MODULES)


def test_package_names_nothing_outside_itself(moved: Path) -> None:
    """No import and no string of any module names ``runtime`` or ``generator`` any more."""
    left = []
    for file in moved.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            named = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            named += [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
            left += [(file.name, name) for name in named if move_name(name, MODULES) != name]
            left += [(file.name, name) for name in named if re.match(r"(runtime|generator)\.[a-z_.]+$", name)]
    assert left == []


def test_handlers_of_the_system_are_rewritten(moved: Path) -> None:
    text = "".join(
        file.read_text("utf-8") for file in (moved / "runtime" / "system" / "specs").rglob("*.yaml")
    )
    handlers = re.findall(r"^\s*(?:handler|run): (.*)", text, re.MULTILINE)
    assert len(handlers) > 50
    assert {handler.partition(".")[0] for handler in handlers} == {"recordsmith"}


def test_package_has_what_it_needs_and_nothing_of_the_example(moved: Path) -> None:
    files = {file.relative_to(moved).as_posix() for file in moved.rglob("*") if file.is_file()}
    assert {"py.typed", "__main__.py", "specs/README.md", "runtime/filter/grammar.lark"} <= files
    assert {"generator/spec_rules.toml", "generator/project/template/Makefile.template"} <= files
    assert not {file for file in files if "logistics" in file or file.startswith(("generated", "tests"))}
    assert "runtime/system/.generated" not in files, "with it the generator would write into the package"


def test_pins_are_those_of_the_lock_file(moved: Path) -> None:
    pins = (moved / "generator" / "project" / "constraints.txt").read_text("utf-8").splitlines()
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert len(pins) == len(re.findall(r"^[a-z0-9]", lock, re.MULTILINE))
    assert not [pin for pin in pins if "hash" in pin or "\\" in pin or "==" not in pin]
