"""Test modules that are compiled before they are collected are those that pytest would compile."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from tests.rewriting import rewrite_share


def read_compiled(file: Path) -> object:
    """Return what pytest loads in place of the module; None where it would compile it."""
    return rewrite._read_pyc(file, rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    files = [tmp_path / f"test_{letter}.py" for letter in "abcdefg"]
    for file in files:
        file.write_text("def test_it():\n    assert 1 == 2\n")
    return files


def test_workers_rewrite_each_module_once(files: list[Path], pytestconfig: pytest.Config) -> None:
    done: list[set[Path]] = []
    for number in range(3):
        rewrite_share(pytestconfig, files, number, 3)
        done.append({file for file in files if read_compiled(file)})
    assert [len(one) for one in done] == [3, 5, 7]


def test_the_module_has_its_assertions_rewritten(files: list[Path], pytestconfig: pytest.Config) -> None:
    rewrite_share(pytestconfig, files[:1], 0, 1)
    assert "@pytest_ar" in getattr(read_compiled(files[0]), "co_names", ())


def test_what_is_compiled_is_left_alone_and_what_has_changed_is_not(
    files: list[Path], pytestconfig: pytest.Config
) -> None:
    rewrite_share(pytestconfig, files, 0, 1)
    (compiled,) = files[0].parent.rglob("test_a*.pyc")
    before = compiled.stat().st_ino
    rewrite_share(pytestconfig, files, 0, 1)
    assert compiled.stat().st_ino == before
    files[0].write_text("def test_it():\n    assert 'longer' == 2\n")
    assert read_compiled(files[0]) is None
    rewrite_share(pytestconfig, files, 0, 1)
    assert read_compiled(files[0]) is not None


def test_a_module_that_does_not_compile_is_left_to_the_collection(
    files: list[Path], pytestconfig: pytest.Config
) -> None:
    files[0].write_text("def test_it(:\n")
    rewrite_share(pytestconfig, files, 0, 1)
    assert [file for file in files if not read_compiled(file)] == [files[0]]
