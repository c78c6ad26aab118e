"""The same specifications give the same bytes, whatever the process, the machine or the folder is like."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "tests" / "sample" / "specs"


def generate(specs: Path, out: Path, folder: Path, **environment: str) -> dict[str, bytes]:
    command = [sys.executable, "-m", "generator", "generate", "--specs", str(specs), "--out", str(out)]
    subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), **environment},
        check=True,
        capture_output=True,
    )
    files = (path for path in out.rglob("*") if path.is_file())
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in files}


def copy_specs(folder: Path) -> None:
    """The sample without what names other files."""
    without = shutil.ignore_patterns("tools.yaml", "ontology.yaml")
    shutil.copytree(SPECS, folder / "specs", ignore=without)
    for name, word in (
        ("article", ", predicate: madeBy"),
        ("article", ", renamedFrom: caption"),
        ("maker", "ontology: true\n"),
    ):
        file = folder / "specs" / "shop" / f"{name}.yaml"
        text = file.read_text("utf-8")
        assert word in text
        file.write_text(text.replace(word, ""), "utf-8")


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("usual")
    copy_specs(folder)
    return generate(folder / "specs", folder / "generated", folder, PYTHONHASHSEED="0")


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"PYTHONHASHSEED": "1"}, id="hash seed"),
        pytest.param({"PYTHONHASHSEED": "4711", "LC_ALL": "C", "PYTHONUTF8": "0"}, id="locale"),
        pytest.param({"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8"}, id="time zone"),
    ],
)
def test_the_environment_does_not_matter(
    usual: dict[str, bytes], tmp_path: Path, environment: dict[str, str]
) -> None:
    copy_specs(tmp_path)
    assert generate(tmp_path / "specs", tmp_path / "generated", tmp_path, **environment) == usual


def test_the_folder_and_its_settings_do_not_matter(usual: dict[str, bytes], tmp_path: Path) -> None:
    """Neither where it is run, nor a configuration of the formatter found there."""
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    (elsewhere / "pyproject.toml").write_text("[tool.ruff]\nline-length = 60\nindent-width = 2\n")
    (elsewhere / ".editorconfig").write_text("root = true\n[*]\nend_of_line = crlf\n")
    copy_specs(elsewhere)
    assert generate(elsewhere / "specs", elsewhere / "out" / "generated", elsewhere) == usual
