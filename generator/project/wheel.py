"""The wheel: ``runtime`` and ``generator`` as one package, ``recordsmith``, by a hook of hatchling.

An installed package must not claim top-level names as general as ``runtime``. So the build moves both packages
into one, and rewrites where they are named: in import statements, in strings that are the name of one of their
modules (``"runtime.app"``, ``"runtime.cli.worker:create"``), and in the handlers of the system's specifications.
The code that is written here keeps its short names. hatchling loads this file alone, so it imports nothing of ours.
"""

import ast
import re
import shutil
import tempfile
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME: Final = "recordsmith"
"""The package that holds both."""

PACKAGES: Final = ("generator", "runtime")

_LEFT_OUT: Final = ("__pycache__", ".generated", "*.md", "wheel.py")
"""What an installed package has no use for: among them the list that lets the generator write system records."""

_OURS: Final = re.compile(rf"(?:{'|'.join(PACKAGES)})\b")
_HANDLER: Final = re.compile(r"^(\s*(?:handler|run): )([\w.]+)(?=:)", re.MULTILINE)

Edit = tuple[int, int, bytes]
"""The first byte, the byte after the last, and what replaces them."""


class MovedPackages(BuildHookInterface[Any]):
    """The hook: a wheel gets the moved packages; an editable installation uses the folders as they are."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the moved packages into a folder, and have the wheel take them from there."""
        self._folder: Path | None = None
        if version == "editable":
            return
        root, self._folder = Path(self.root), Path(tempfile.mkdtemp(prefix="recordsmith-wheel-"))
        move_packages(root, self._folder)
        build_data["force_include"][str(self._folder)] = NAME
        core, modules = self.metadata.core, list_modules(root)
        for scripts in (core.scripts, *core.entry_points.values()):
            for name, place in scripts.items():
                scripts[name] = move_name(place, modules)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder."""
        if self._folder is not None:
            shutil.rmtree(self._folder)


def move_packages(root: Path, target: Path) -> None:
    """Write the package ``recordsmith`` to ``target``, from the packages below ``root``."""
    modules = list_modules(root)
    for package in PACKAGES:
        shutil.copytree(root / package, target / package, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    for file in target.rglob("*.py"):
        file.write_bytes(move_source(file.read_bytes(), modules))
    for file in (target / "runtime" / "system" / "specs").rglob("*.yaml"):
        text = _HANDLER.sub(lambda one: one[1] + move_name(one[2], modules), file.read_text("utf-8"))
        file.write_text(text, "utf-8", newline="\n")
    (target / "__init__.py").write_text(
        '"""Record types in YAML become an HTTP service on MongoDB."""\n', "utf-8"
    )
    (target / "py.typed").touch()


def list_modules(root: Path) -> frozenset[str]:
    """List the dotted names of all modules and packages that move."""
    files = (
        file.relative_to(root).with_suffix("") for name in PACKAGES for file in (root / name).rglob("*.py")
    )
    return frozenset(".".join(file.parts).removesuffix(".__init__") for file in files)


def move_name(name: str, modules: Set[str]) -> str:
    """Return the name by which an installed package is imported: of a module, or of ``module:function``."""
    return f"{NAME}.{name}" if name.partition(":")[0] in modules else name


def move_source(source: bytes, modules: Set[str]) -> bytes:
    """Rewrite the imports of a module, and the strings that are names of modules.

    Raises ``ValueError`` for what cannot be rewritten without guessing.
    """
    if not _OURS.search(source.decode()):
        return source
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for start, end, text in sorted(_find_edits(ast.parse(source), starts, source, modules), reverse=True):
        source = source[:start] + text + source[end:]
    return source


def _find_edits(tree: ast.Module, starts: list[int], source: bytes, modules: Set[str]) -> Iterator[Edit]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            if found := [one.name for one in node.names if _OURS.match(one.name)]:
                raise ValueError(f"import {found[0]}: write from … import …, which the wheel can rewrite")
        elif isinstance(node, ast.ImportFrom) and not node.level and _OURS.match(node.module or ""):
            begin = starts[node.lineno - 1] + node.col_offset
            word = source.index((node.module or "").encode(), begin + len("from"))
            yield word, word, f"{NAME}.".encode()
        elif isinstance(node, ast.JoinedStr):
            first = node.values[0] if node.values else None
            if isinstance(first, ast.Constant) and re.match(rf"{_OURS.pattern}[.]", str(first.value)):
                raise ValueError(f"f{first.value!r}…: write the name of a module in one piece")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if (moved := move_name(node.value, modules - {*PACKAGES})) != node.value:
                begin = starts[node.lineno - 1] + node.col_offset
                end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
                yield begin, end, f'"{moved}"'.encode()
