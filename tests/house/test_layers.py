"""Every module of the runtime and the generator has its place in the layers contract, and nothing else has.

``lint-imports`` (in ``make check``) holds the contracts themselves; this says at once, without building the
import graph, which module of which line is missing.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]


def layers_of(container: str) -> list[str]:
    """The modules of one layers contract; those in brackets, which may be missing, with them."""
    (contract,) = (c for c in CONTRACTS if c["type"] == "layers" and c["containers"] == [container])
    return [name.strip() for line in contract["layers"] for name in re.split(r"[|:]", line)]


def modules_of(container: str) -> set[str]:
    return {
        path.stem
        for path in (ROOT / container).iterdir()
        if (path.suffix == ".py" and path.stem != "__init__") or (path / "__init__.py").exists()
    }


@pytest.mark.parametrize("container", ["runtime", "generator"])
def test_every_module_is_named_in_the_layers(container: str) -> None:
    named = {name.strip("()") for name in layers_of(container)}
    assert modules_of(container) - named == set()


@pytest.mark.parametrize("container", ["runtime", "generator"])
def test_a_name_without_a_module_stands_in_brackets(container: str) -> None:
    layers = layers_of(container)
    assert len(layers) == len(set(layers))
    assert {name for name in layers if not name.startswith("(")} - modules_of(container) == set()
    assert {name.strip("()") for name in layers if name.startswith("(")} & modules_of(container) == set()


@pytest.mark.parametrize("container", ["runtime", "runtime.oauth"])
def test_the_map_of_a_package_has_its_layers(container: str) -> None:
    """As they are in ``pyproject.toml``; a map may have more lines around them."""
    (contract,) = (c for c in CONTRACTS if c["type"] == "layers" and c["containers"] == [container])
    page = ROOT.joinpath(*container.split("."), "README.md").read_text("utf-8")
    lines = [line.removeprefix("runtime  ").strip() for line in page.splitlines()]
    assert "\n".join(contract["layers"]) in "\n".join(lines)


def test_the_map_of_the_authorization_server_names_every_module() -> None:
    page = (ROOT / "runtime" / "oauth" / "README.md").read_text("utf-8")
    rows = "".join(re.findall(r"^\| (.*?) \|", page.partition("## The modules")[2], re.MULTILINE))
    named = {
        name.removesuffix("/").removesuffix(".py") for name in re.findall(r"`([a-z_]+(?:/|\.py))`", rows)
    }
    assert named == modules_of("runtime/oauth")
