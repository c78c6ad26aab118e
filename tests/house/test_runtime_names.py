"""What generated code may name of the runtime is really there."""

from __future__ import annotations

from importlib import import_module

import pytest

from generator.runtime_names import OPTIONAL_ARGUMENTS, RUNTIME_NAMES

NAMES = [(module, name) for module in sorted(RUNTIME_NAMES) for name in sorted(RUNTIME_NAMES[module])]


@pytest.mark.parametrize(("module", "name"), NAMES, ids=[f"{module}.{name}" for module, name in NAMES])
def test_a_name_can_be_imported(module: str, name: str) -> None:
    found = import_module(module)
    assert hasattr(found, name) or import_module(f"{module}.{name}")


def test_optional_arguments_are_known() -> None:
    assert RUNTIME_NAMES["runtime.http"] >= OPTIONAL_ARGUMENTS
