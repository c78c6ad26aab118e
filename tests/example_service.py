"""The example service, for tests of a project whose specifications have the example area no more.

Tests are written over the records of ``specs/logistics``. A team that has deleted that folder has no such
records in ``generated/``, and its own there. Then the example is generated once more, from the copy in
``tests/example`` and the system's own records, and imported in place of the project's.
"""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import mkdtemp
from typing import Final

from generator.folders import SYSTEM_SPECS
from generator.load import load
from generator.output import write
from generator.render import HEADER, render
from generator.resolve import resolve

ROOT: Final = Path(__file__).parents[1]
AREA: Final = ROOT / "specs" / "logistics"
COPY: Final = Path(__file__).parent / "example"

_FOLDER: Final = "RECORDSMITH_TEST_EXAMPLE"


def provide() -> None:
    """Put the example service in front of the project's where the example area is missing.

    Processes that this one starts, the workers of pytest-xdist among them, find it as well.
    """
    if AREA.is_dir():
        return
    if _FOLDER not in os.environ:
        folder = Path(mkdtemp(prefix="recordsmith-example-"))
        atexit.register(rmtree, folder, ignore_errors=True)
        _generate(folder)
        os.environ[_FOLDER] = str(folder)
        paths = (str(folder), os.environ.get("PYTHONPATH"))
        os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    sys.path.insert(0, os.environ[_FOLDER])


def find_project() -> Path:
    """Return the folder that has ``specs/`` and ``generated/`` of the example service."""
    return ROOT if AREA.is_dir() else Path(os.environ[_FOLDER])


def _generate(folder: Path) -> None:
    specs = folder / "specs"
    copytree(COPY, specs)
    write(render(resolve(load(specs, SYSTEM_SPECS)), "generated"), folder / "generated", HEADER)
