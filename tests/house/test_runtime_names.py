"""What generated code may name of the runtime is really there."""

from __future__ import annotations

from importlib import import_module

from generator.runtime_names import OPTIONAL_ARGUMENTS, RUNTIME_NAMES
from tests.rows import for_each_row

NAMES = [(module, name) for module in sorted(RUNTIME_NAMES) for name in sorted(RUNTIME_NAMES[module])]


@for_each_row("place", {f"{module}.{name}": (module, name) for module, name in NAMES})
def test_a_name_can_be_imported(place: tuple[str, str]) -> None:
    module, name = place
    found = import_module(module)
    assert hasattr(found, name) or import_module(f"{module}.{name}")


def test_optional_arguments_are_known() -> None:
    assert RUNTIME_NAMES["runtime.http"] >= OPTIONAL_ARGUMENTS
