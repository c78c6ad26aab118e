"""An environment in which only the wheel is installed, and a project that ``recordsmith init`` wrote there.

``make setup`` of a project installs from an index, which takes a minute and a network. Here the libraries are
links to those of this repository's environment, without its own entry; the package itself is installed by pip from
the wheel, and the project's environment is marked as set up. So nothing of this repository can be imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def build_wheel(folder: Path) -> Path:
    """Build the wheel as ``make wheel`` does."""
    run(
        *_PIP,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def create_environment(folder: Path, wheel: Path) -> Path:
    """Create an environment with the wheel; its Python."""
    run(sys.executable, "-m", "venv", "--without-pip", str(folder))
    python = folder / "bin" / "python"
    ours = Path(sysconfig.get_path("purelib"))
    theirs = folder / ours.relative_to(sys.prefix)
    for entry in ours.iterdir():
        if "recordsmith" not in entry.name and entry.name != "__pycache__":
            (theirs / entry.name).symlink_to(entry)
    (folder / "bin" / "ruff").symlink_to(Path(sys.prefix, "bin", "ruff"))
    run(*_PIP, "--python", str(python), "install", "--no-deps", "--no-index", "--no-compile", str(wheel))
    return python


def run(*words: str, cwd: Path | None = None) -> str:
    """Run a command with nothing of this repository on its path; what it printed. Fails with it."""
    done = subprocess.run(
        words, cwd=cwd, env=environment(), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def environment() -> dict[str, str]:
    """Return the environment of a newcomer."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PYTEST", "MONGODB", "MAKE", "MFLAGS"))
    }
