"""Golden cases: a folder of specs in, exactly the lines of problems.txt out; warnings for a case in order.

``RECORDSMITH_WRITE_CASES=1 pytest tests/generator/test_cases.py`` writes them anew, to be read before use.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from generator.load import load
from generator.problems import ProblemList
from generator.resolve import resolve

CASES = sorted((Path(__file__).parent / "cases").iterdir())


def problems_of(specs: Path) -> str:
    try:
        model = resolve(load(specs))
    except ProblemList as found:
        return f"{found}\n"
    return "".join(f"{one.show('warning')}\n" for one in model.warnings)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_a_case_has_its_problems(case: Path) -> None:
    found = problems_of(case / "specs")
    golden = case / "problems.txt"
    if os.environ.get("RECORDSMITH_WRITE_CASES"):
        golden.write_text(found, "utf-8")
    assert found == golden.read_text("utf-8")


def test_the_order_of_reading_does_not_matter(tmp_path: Path) -> None:
    """Problems are sorted by place, whatever found them first."""
    case = next(path for path in CASES if path.name == "names")
    lines = problems_of(case / "specs").splitlines()
    places = [(line.split(":")[0], int(line.split(":")[1]), int(line.split(":")[2])) for line in lines]
    assert places == sorted(places)
