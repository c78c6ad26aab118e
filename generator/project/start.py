"""``recordsmith init``: the repository of a team, from the files below ``template/``.

A file becomes one of the same name without ``.template``; ``dot-`` at the beginning of a name is a dot, and
the folder ``package`` gets the name of the team's package. ``@word@`` in a text is a fact of the project.
"""

import json
import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from generator.files import create_file
from generator.naming import BadName
from generator.runtime_names import RUNTIME

_HERE: Final = Path(__file__).parent
_TEMPLATE: Final = _HERE / "template"
_ENDING: Final = ".template"
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_WORD: Final = re.compile(r"@([a-z]+)@")
_OF_THE_PROJECT: Final = frozenset({"generated", "specs", "tests", "wheels"})


class NotInstalledError(Exception):
    """Recordsmith runs from its source here, under names that no other repository can import."""


@dataclass(frozen=True, slots=True)
class Started:
    """What was written: the folder, its files, and the wheel of Recordsmith among them, if one was found."""

    folder: Path
    files: tuple[str, ...]
    wheel: str | None


def start_project(folder: Path) -> Started:
    """Write the repository of a team into a new folder; its name is that of the service.

    Raises ``BadName``, ``NotInstalledError``, ``OSError``, and ``FileExistsError`` for a folder with files.
    """
    installed = _find_installed()
    facts = {**_name_facts(folder.absolute().name), "version": installed.version}
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(None, None, str(folder))
    texts = {
        _target(file, facts): _WORD.sub(lambda word: facts[word[1]], file.read_text("utf-8"))
        for file in sorted(_TEMPLATE.rglob(f"*{_ENDING}"))
    }
    tested = (_HERE / "constraints.txt").read_text("utf-8")
    texts["requirements.lock"] = f"recordsmith=={installed.version}\n{tested}"
    for path, text in texts.items():
        create_file(folder / path, text)
        if text.startswith("#!"):
            (folder / path).chmod(0o755)
    wheel = _copy_wheel(installed, folder / "wheels")
    return Started(folder, tuple(sorted(texts)), wheel)


def _find_installed() -> Distribution:
    try:
        found = distribution("recordsmith")
    except PackageNotFoundError:
        found = None
    if found is None or "." not in RUNTIME:
        raise NotInstalledError(
            "this is the source of Recordsmith, which another repository cannot import: run `make wheel`, "
            "install the wheel of dist/ in a virtual environment, and run its recordsmith init"
        )
    return found


def _name_facts(name: str) -> Mapping[str, str]:
    """Return the words that follow from the name of the folder."""
    package = name.replace("-", "_")
    if not _NAME.fullmatch(name):
        advice = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-0123456789")
        raise BadName(f'"{name}" does not make a package: write "{advice or "shop"}"')
    if keyword.iskeyword(package) or package in sys.stdlib_module_names | _OF_THE_PROJECT:
        raise BadName(f'"{name}" is taken by Python or by the project itself: choose another name')
    found = find_spec(package)
    if found is not None and found.origin is not None:  # a mere folder has no origin
        raise BadName(f'"{name}" is the name of a package that is installed here: choose another name')
    return {
        "name": name.replace("_", "-"),
        "package": package,
        "title": package.replace("_", " ").capitalize(),
    }


def _target(file: Path, facts: Mapping[str, str]) -> str:
    parts = file.relative_to(_TEMPLATE).as_posix().removesuffix(_ENDING).split("/")
    named = [facts["package"] if part == "package" else re.sub(r"^dot-", ".", part) for part in parts]
    return "/".join(named)


def _copy_wheel(installed: Distribution, folder: Path) -> str | None:
    """Copy the wheel that was installed from a file, so that the project finds it as well; its name."""
    source = json.loads(installed.read_text("direct_url.json") or "{}")
    address = urlsplit(source.get("url", ""))
    wheel = Path(unquote(address.path))
    if address.scheme != "file" or wheel.suffix != ".whl" or not wheel.is_file():
        return None
    content, archive = wheel.read_bytes(), source.get("archive_info", {})
    digests = {archive.get("hash"), f"sha256={archive.get('hashes', {}).get('sha256')}"}  # old pip, new pip
    if f"sha256={sha256(content).hexdigest()}" not in digests:
        return None  # another one is there by now
    (folder / wheel.name).write_bytes(content)
    return wheel.name
