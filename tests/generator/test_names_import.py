"""Every name that ``check`` lets pass makes code that can be imported."""

from __future__ import annotations

import importlib
import shutil
import sys
from itertools import count
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.output import write
from generator.render import HEADER, render
from tests.generator.conftest import Workshop

# Parts that generated code uses itself, in capitals and not: names made of them are the likeliest to clash.
_PARTS = [
    "SKU",
    "ID",
    "A",
    "Order",
    "ORDER",
    "Input",
    "Page",
    "Row",
    "Patch",
    "Type",
    "TYPE",
    "Class",
    "Query",
    "URL",
]
record_names = st.one_of(
    st.lists(st.sampled_from(_PARTS), min_size=1, max_size=3).map("".join),
    st.from_regex(r"[A-Z][a-zA-Z0-9]{0,8}", fullmatch=True),
)
_serial = count()


def spec(name: str) -> str:
    return f"record: {name}\nfields:\n  title: string\n  parts:\n    list:\n      size: integer\n"


def imported(workshop: Workshop, names: list[str]) -> ModuleType:
    """``record_types`` of a package made of the records of these names, and its routers."""
    shutil.rmtree(workshop.folder, ignore_errors=True)
    files = {f"specs/logistics/r{number}.yaml": spec(name) for number, name in enumerate(names)}
    package = f"names_of_test_{next(_serial)}"
    model = workshop.model(files)
    write(render(model, package), workshop.folder / package, HEADER)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(workshop.folder))
        try:
            for record in model.records:
                importlib.import_module(f"{package}.routers.{record.file_name}")
            return importlib.import_module(f"{package}.record_types")
        finally:
            for module in [module for module in sys.modules if module.startswith(package)]:
                del sys.modules[module]


@pytest.mark.parametrize("name", ["SKU", "URL", "A", "ID2", "X1"])
def test_name_in_capitals_has_a_constant_of_its_own(workshop: Workshop, name: str) -> None:
    found = imported(workshop, [name])
    assert {kind.name for kind in found.CATALOG} == {"Country", name}


def test_constant_and_class_of_different_things_do_not_share_a_name(workshop: Workshop) -> None:
    files = {
        "specs/logistics/order.yaml": "record: Order\nfields:\n  title: string\n",
        "specs/logistics/order_in_capitals.yaml": "structure: ORDER\nfields:\n  title: string\n",
    }
    (problem,) = workshop.problems(files)
    assert "error[SPEC022]" in problem
    assert "ORDER" in problem


@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(record_names, min_size=5, max_size=8, unique_by=str.lower))
def test_names_that_pass_make_code_that_imports(tmp_path: Path, names: list[str]) -> None:
    workshop = Workshop(tmp_path / "names")
    passing: list[str] = []
    for name in names:
        files = {f"specs/logistics/r{number}.yaml": spec(one) for number, one in enumerate([*passing, name])}
        shutil.rmtree(workshop.folder, ignore_errors=True)
        if not workshop.problems(files):
            passing.append(name)
    if passing:
        assert {kind.name for kind in imported(workshop, passing).CATALOG} >= set(passing)
