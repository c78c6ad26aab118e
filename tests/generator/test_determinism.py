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
        pytest.param(
            {"PYTHONHASHSEED": "4711", "LC_ALL": "C", "PYTHONUTF8": "0"}, id="hash seed, plain locale"
        ),
        pytest.param(
            {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8"},
            id="hash seed, time zone, another locale",
        ),
    ],
)
def test_where_it_runs_does_not_matter(
    usual: dict[str, bytes], tmp_path: Path, environment: dict[str, str]
) -> None:
    """Neither the environment, nor the folder, nor a configuration of the formatter found there."""
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    (elsewhere / "pyproject.toml").write_text("[tool.ruff]\nline-length = 60\nindent-width = 2\n")
    (elsewhere / ".editorconfig").write_text("root = true\n[*]\nend_of_line = crlf\n")
    copy_specs(elsewhere)
    found = generate(elsewhere / "specs", elsewhere / "out" / "generated", elsewhere, **environment)
    assert found == usual
