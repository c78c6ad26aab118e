"""What ``--against`` names: a document, a folder, or a revision of git.

A file or folder wins over a revision of the same name; ``refs/heads/NAME`` names a branch for sure. A
revision is compared by the specifications that it has, described by this generator.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from generator.evolve.api import Document
from generator.evolve.callers import read_callers
from generator.evolve.revisions import Revision, UnknownVersionError
from generator.evolve.stored import read_stored
from generator.evolve.version import Version, describe_version
from generator.folders import DOCUMENT_FILE, SERVICE_FILE, SYSTEM_SPECS
from generator.load import load
from generator.resolve import resolve

STORED_FILE, CALLERS_FILE = "stored.json", "callers.json"


def read_version(against: str, specs: Path) -> Version:
    """Read the version that ``against`` names; ``specs`` says which folder of a revision is meant.

    Raises ``UnknownVersionError``, ``UnreadableDocumentError``, ``UnreadableReleaseError``, ``OSError``, and
    ``ProblemList`` for former specifications that cannot be read any more.
    """
    if not against:
        raise UnknownVersionError("--against is empty: name a file, a folder or a revision of git")
    path = Path(against)
    if path.is_file():
        return read_document_file(path)
    if (path / DOCUMENT_FILE).is_file():
        return read_document_file(path / DOCUMENT_FILE)
    for folder in (path, path / "specs"):
        if (folder / SERVICE_FILE).is_file():
            return describe_version(resolve(load(folder, SYSTEM_SPECS)), against)
    if path.exists():
        wanted = f"{DOCUMENT_FILE}, {SERVICE_FILE} or specs/{SERVICE_FILE}"
        raise UnknownVersionError(f"{against} has no {wanted}")
    return _read_revision(against, specs)


def read_document_file(path: Path) -> Version:
    """Read a document, and ``stored.json`` and ``callers.json`` next to it if they are there."""
    try:
        document = Document(orjson.loads(path.read_bytes()), str(path))
    except orjson.JSONDecodeError as error:
        raise UnknownVersionError(f"{path} is not JSON: {error}") from None
    stored, callers = (
        (file, file.read_bytes()) if path.name == DOCUMENT_FILE and file.is_file() else None
        for file in (path.with_name(STORED_FILE), path.with_name(CALLERS_FILE))
    )
    return Version(
        str(path),
        document,
        read_stored(stored[1], str(stored[0])) if stored else None,
        read_callers(callers[1], str(callers[0])) if callers else None,
    )


def _read_revision(revision: str, specs: Path) -> Version:
    with TemporaryDirectory(prefix="recordsmith-diff-") as name:
        own, system = Path(name, "own"), Path(name, "system")
        checkout = Revision.find(revision, specs)
        if not checkout.write_specs(specs, own):
            raise UnknownVersionError(f"{revision} has no specifications in {specs}")
        has_system = checkout.write_specs(SYSTEM_SPECS, system)
        return describe_version(resolve(load(own, system if has_system else SYSTEM_SPECS)), revision)
