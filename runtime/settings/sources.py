"""Where the values of settings come from: the environment, files, the specifications."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from runtime.errors import Misconfigured

CONFIG: Final = "SERVICE_CONFIG"
"""The variable that names a file of settings."""


def read_environment(environment: Mapping[str, str], names: Iterable[str]) -> dict[str, Any]:
    """Read the environment, and the file that its ``SERVICE_CONFIG`` names; raises ``Misconfigured``."""
    values = _read_file_values(CONFIG, environment.get(CONFIG))
    for name in names:
        if text := environment.get(environment_name(name)):
            values[name] = text
    return values


def read_specified(app: str) -> dict[str, Any]:
    """Read the settings of the specifications of an application; raises ``Misconfigured``."""
    return _read_file_values("the specifications,", _find_specified(app))


def environment_name(name: str) -> str:
    """Return the variable of a setting, such as ``AUTH_ACCESS_TOKEN_SECONDS``."""
    return name.replace(".", "_").replace("-", "_").upper()


def _find_specified(app: str) -> Path | None:
    """Find the settings of the specifications: ``settings.toml`` in the package of the application."""
    package = app.partition(":")[0].rpartition(".")[0]
    try:
        found = find_spec(package) if package else None
    except (ImportError, ValueError):
        return None  # opening the application reports that it is missing
    folders = (Path(folder) for folder in (found.submodule_search_locations or () if found else ()))
    files = (folder / "settings.toml" for folder in folders)
    return next((file for file in files if file.is_file()), None)


def _read_file_values(source: str, path: str | Path | None) -> dict[str, Any]:
    if not path:
        return {}
    try:
        return dict(_flatten(tomllib.loads(Path(path).read_text("utf-8"))))
    except (OSError, ValueError) as error:
        raise Misconfigured(f"{source} {path}: {error}", cause=error) from None


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
