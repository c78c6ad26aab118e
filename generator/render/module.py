"""The head of a generated module, its imports, and values written as code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.model import Record, Structure
from generator.runtime_names import RUNTIME, RUNTIME_NAMES

HEADER = "Written by the generator; do not edit."
"""The first line of every generated Python module."""

SYSTEM_PACKAGE = "runtime.system"
"""Where the classes of the service's own records are written."""


def package_of(part: Record | Structure, package: str) -> str:
    """Return the package that holds the classes of a part of the model."""
    return SYSTEM_PACKAGE if part.is_system else package


def _is_listed(module: str, name: str) -> bool:
    if not f"{module}.".startswith(f"{RUNTIME}.") or f"{module}.".startswith(f"{SYSTEM_PACKAGE}."):
        return True
    return name in RUNTIME_NAMES[module]


@dataclass(frozen=True, slots=True)
class Module:
    """What every generated module begins with. ``doc`` is its first line."""

    doc: str
    imports: list[str]


class Imports:
    """The imports of one module. Sorted, so that the text does not depend on the order of asking."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}
        self._modules: set[str] = set()

    def name(self, module: str, name: str) -> str:
        """Import a name from a module, and return it. Raises ``KeyError`` for a name not listed."""
        names = self._names.setdefault(module, set())
        if name not in names:
            if not _is_listed(module, name.partition(" ")[0]):
                raise KeyError(f"{module}.{name} is not in generator/runtime_names.py")
            names.add(name)
        return name

    def names(self, found: Mapping[str, str]) -> None:
        """Import several names: name → module."""
        for name, module in found.items():
            self.name(module, name)

    def module(self, module: str) -> str:
        self._modules.add(module)
        return module

    @property
    def lines(self) -> list[str]:
        """The import statements, unsorted by kind: the formatter groups them."""
        whole = [f"import {module}" for module in sorted(self._modules)]
        return whole + [
            f"from {module} import {', '.join(sorted(self._names[module]))}" for module in sorted(self._names)
        ]


@dataclass(frozen=True, slots=True)
class Assignments(Module):
    """A module of assignments, with empty lines between groups of them."""

    lines: tuple[str, ...]

    @classmethod
    def of(cls, text: str, imports: Imports, *lines: str) -> Assignments:
        """Build the module; ``text`` is what is assigned."""
        return cls(docstring(f"{text} {HEADER}"), imports.lines, lines)


def headline(what: str, source: str) -> str:
    """Return the first line of a generated module."""
    return docstring(f"{what}, from {source}. {HEADER}")


def docstring(text: str) -> str:
    """Render text as a docstring: quotes, backslashes and null characters escaped."""
    text = " ".join(text.split()).replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace("\0", r"\x00")
    return f'"""{text[:-1]}\\""""' if text.endswith('"') else f'"""{text}"""'


def code(value: Any) -> str:
    """Render plain data as code, with sets sorted."""
    if isinstance(value, str):
        return repr(str(value))
    if isinstance(value, frozenset):
        if not value:
            return "frozenset()"
        return f"frozenset({{{', '.join(code(one) for one in sorted(value))}}})"
    if isinstance(value, tuple):
        return code_tuple([code(one) for one in value])
    if isinstance(value, list):
        return f"[{', '.join(map(code, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{code(name)}: {code(one)}' for name, one in value.items())}}}"
    return repr(value)


def code_tuple(parts: list[str]) -> str:
    """Render a tuple of parts that are code already."""
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def call(function: str, *arguments: str, **words: str | None) -> str:
    """Render a call with arguments that are code; a keyword argument that is None is omitted."""
    named = [f"{name}={value}" for name, value in words.items() if value is not None]
    return f"{function}({', '.join([*arguments, *named])})"
