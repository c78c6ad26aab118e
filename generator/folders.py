"""Where the specifications of the service itself are, and which folders a run writes to."""

import re
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from generator.runtime_names import RUNTIME

LIST_NAME: Final = ".generated"
"""The list of written files, in each folder that the generator writes to."""

WRITER: Final = re.compile(r"# recordsmith \S+\n")
"""The line of the list that names the version of Recordsmith that wrote the files."""

DOCUMENT_FILE: Final = "openapi.json"
"""The OpenAPI document, in the folder of the code and in that of a release."""


SERVICE_FILE: Final = "service.yaml"
"""The file of the service, in the folder of the specifications."""


def name_writer() -> str:
    """Return the line of this version, by which the runtime tells who wrote code that does not fit it."""
    try:
        return f"# recordsmith {version('recordsmith')}\n"
    except PackageNotFoundError:
        return ""


def find_runtime() -> Path:
    """Return the folder of the runtime's package, which is not imported."""
    found = find_spec(RUNTIME)
    places = found.submodule_search_locations if found else None
    return Path(*(places or ())[:1])


SYSTEM_SPECS = find_runtime() / "system" / "specs"
"""The specifications of the service's own records and routes."""


def list_folders(specs: Path, out: Path) -> list[Path]:
    """List the folders that a run writes to: code, the runtime's own classes, and schemas for editors."""
    system = SYSTEM_SPECS.parent
    has_list = (system / LIST_NAME).exists()  # an installed package has its classes, and no list
    return [out, *([_nearby(system)] if has_list else []), specs / ".schema"]


def _nearby(folder: Path) -> Path:
    """Return the folder from here, where it is below."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder
