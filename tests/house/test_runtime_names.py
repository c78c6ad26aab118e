"""What generated code may name of the runtime is really there."""

from __future__ import annotations

import dataclasses
from importlib import import_module

import pytest

from generator.runtime_names import OPTIONAL_ARGUMENTS, RUNTIME_NAMES, SYSTEM_RECORDS
from runtime.system_records import SystemRecords

NAMES = [(module, name) for module in sorted(RUNTIME_NAMES) for name in sorted(RUNTIME_NAMES[module])]


@pytest.mark.parametrize(("module", "name"), NAMES, ids=[f"{module}.{name}" for module, name in NAMES])
def test_a_name_can_be_imported(module: str, name: str) -> None:
    found = import_module(module)
    assert hasattr(found, name) or import_module(f"{module}.{name}")


def test_the_records_of_the_system_are_those_the_runtime_takes() -> None:
    assert set(SYSTEM_RECORDS) == {field.name for field in dataclasses.fields(SystemRecords)}


def test_optional_arguments_are_known() -> None:
    assert RUNTIME_NAMES["runtime.http"] >= OPTIONAL_ARGUMENTS
