"""Generated Python through ruff: imports sorted, lines broken. One process for all files of a run.

The options are given whole and no configuration file is read, so the text does not depend on the
machine, the folder or the caller's project.
"""

import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ruff import find_ruff_bin

_OPTIONS = ("--isolated", "--no-cache", "--quiet", "--target-version", "py311", "--line-length", "110")


def format_code(texts: Mapping[str, str], first_party: Iterable[str]) -> dict[str, str]:
    """Format the texts. Imports of ``first_party`` packages are sorted after libraries."""
    with tempfile.TemporaryDirectory(prefix="recordsmith-") as folder:
        root = Path(folder)
        for path, text in texts.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        known = ", ".join(f'"{name}"' for name in sorted(set(first_party)))
        sorting = ("--config", f"lint.isort.known-first-party = [{known}]", "--config", "src = []")
        _run_ruff("check", "--select", "I", "--fix", *_OPTIONS, *sorting, folder)
        _run_ruff("format", *_OPTIONS, folder)
        return {path: (root / path).read_text(encoding="utf-8") for path in texts}


def _run_ruff(*arguments: str) -> None:
    done = subprocess.run([find_ruff_bin(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ruff refuses generated code: {done.stdout}{done.stderr}")
