"""The copy of the example area that tests fall back to where a project has deleted its own."""

from __future__ import annotations

import filecmp

import pytest

from tests.example_service import AREA, COPY


@pytest.mark.skipif(not AREA.is_dir(), reason="specs/logistics is deleted: the copy in tests/example is used")
def test_the_copy_is_the_example_area() -> None:
    names = sorted(path.name for path in AREA.iterdir())
    assert sorted(path.name for path in (COPY / AREA.name).iterdir()) == names
    _same, different, unreadable = filecmp.cmpfiles(AREA, COPY / AREA.name, names, shallow=False)
    assert (different, unreadable) == ([], []), "copy specs/logistics to tests/example/logistics"
