"""The wheel: ``runtime`` and ``generator`` as one package, ``recordsmith``, by a hook of hatchling.

An installed package must not claim top-level names as general as ``runtime``. So the build moves
both packages into one, and rewrites where they are named: in import statements, in strings that are the name
of one of their modules (``"runtime.app"``, ``"runtime.cli.worker:create"``), in the handlers of the system's
specifications, and in the pages of documentation. The code that is written here keeps its short names.

hatchling loads this file alone, so it imports nothing of ours.
"""

import ast
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Set
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME: Final = "recordsmith"
"""The package that holds both."""

PACKAGES: Final = ("generator", "runtime")

_LEFT_OUT: Final = ("__pycache__", ".generated", "wheel.py")
"""Not for an installed package: with its list the generator would write system records, and this file."""

_COMMAND: Final = '''"""``python -m recordsmith`` is ``recordsmith``."""

from recordsmith.runtime.cli import main

if __name__ == "__main__":
    main()
'''
_ADDED: Final = {
    "__init__.py": '"""Record types in YAML become a secured, multi-tenant HTTP service on MongoDB."""\n',
    "__main__.py": _COMMAND,
    "py.typed": "",
}

_OURS: Final = re.compile(rf"(?:{'|'.join(PACKAGES)})\b")
_BEGUN: Final = re.compile(rf"{_OURS.pattern}[.]")
_HANDLER: Final = re.compile(r"^(\s*(?:handler|run): )([\w.]+)(?=:)", re.MULTILINE)
_IN_PROSE: Final = re.compile(rf"(?<![\w./])(?:{'|'.join(PACKAGES)})(?:\.\w+)+")
_PIN: Final = re.compile(r"^[\w.-]+==[^\\\n]*[^\\\s]", re.MULTILINE)

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
        _rewrite(file, _HANDLER, lambda one: one[1] + move_name(one[2], modules))
    (target / "specs").mkdir()
    shutil.copy(root / "specs" / "README.md", target / "specs")
    for file in target.rglob("*.md"):
        _rewrite(file, _IN_PROSE, lambda one: move_name(one[0], modules))
    pins = _PIN.findall((root / "requirements.lock").read_text("utf-8"))
    added = {**_ADDED, "generator/project/constraints.txt": "".join(f"{pin}\n" for pin in pins)}
    for name, text in added.items():
        (target / name).write_text(text, "utf-8", newline="\n")


def _rewrite(file: Path, what: re.Pattern[str], move: Callable[[re.Match[str]], str]) -> None:
    file.write_text(what.sub(move, file.read_text("utf-8")), "utf-8", newline="\n")


def list_modules(root: Path) -> frozenset[str]:
    """List the dotted names of all modules and packages that move."""
    files = (
        file.relative_to(root).with_suffix("") for name in PACKAGES for file in (root / name).rglob("*.py")
    )
    return frozenset(".".join(file.parts).removesuffix(".__init__") for file in files)


def move_name(name: str, modules: Set[str]) -> str:
    """Return the name that a module, or ``module:function``, has in an installed package.

    ``runtime`` and ``generator`` alone are words like others.
    """
    return f"{NAME}.{name}" if "." in name and name.partition(":")[0] in modules else name


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
    """Find the imports and strings, by their places in the source."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                if found := [one.name for one in node.names if _OURS.match(one.name)]:
                    raise ValueError(f"import {found[0]}: write from … import …, which the wheel can rewrite")
            case ast.ImportFrom(level=0, module=str(module)) if _OURS.match(module):
                word = source.index(module.encode(), _begin(node, starts) + len("from"))
                yield word, word, f"{NAME}.".encode()
            case ast.JoinedStr(values=parts) if any(_is_named(part, modules) for part in parts):
                raise ValueError(
                    f"{ast.unparse(node)}: write the name of a module in one piece, or use __package__"
                )
            case ast.Constant(value=str(name)) if (moved := move_name(name, modules)) != name:
                end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
                yield _begin(node, starts), end, f'"{moved}"'.encode()


def _is_named(part: ast.expr, modules: Set[str]) -> bool:
    """Whether a part of an f-string is the name of a module, or the beginning of one."""
    text = part.value if isinstance(part, ast.Constant) else None
    return isinstance(text, str) and (_BEGUN.match(text) is not None or move_name(text, modules) != text)


def _begin(node: ast.stmt | ast.expr, starts: list[int]) -> int:
    return starts[node.lineno - 1] + node.col_offset
