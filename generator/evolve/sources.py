"""What ``--against`` names: a document, a folder, or a revision of git.

A file or folder wins over a revision of the same name; ``refs/heads/NAME`` names a branch for sure. A
revision is compared by the specifications that it has, described by this generator.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from generator.evolve.api import Document
from generator.evolve.revisions import Revision, UnknownVersionError
from generator.evolve.stored import read_stored
from generator.evolve.version import Version, describe_version
from generator.folders import DOCUMENT_FILE, SERVICE_FILE, SYSTEM_SPECS
from generator.load import load
from generator.resolve import resolve

STORED_FILE = "stored.json"


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
    """Read a document, and ``stored.json`` next to it if it is there."""
    try:
        document = Document(orjson.loads(path.read_bytes()), str(path))
    except orjson.JSONDecodeError as error:
        raise UnknownVersionError(f"{path} is not JSON: {error}") from None
    stored = path.with_name(STORED_FILE)
    if path.name != DOCUMENT_FILE or not stored.is_file():
        return Version(str(path), document)
    return Version(str(path), document, read_stored(stored.read_bytes(), str(stored)))


def _read_revision(revision: str, specs: Path) -> Version:
    with TemporaryDirectory(prefix="recordsmith-diff-") as name:
        own, system = Path(name, "own"), Path(name, "system")
        checkout = Revision.find(revision, specs)
        if not checkout.write_specs(specs, own):
            raise UnknownVersionError(f"{revision} has no specifications in {specs}")
        has_system = checkout.write_specs(SYSTEM_SPECS, system)
        return describe_version(resolve(load(own, system if has_system else SYSTEM_SPECS)), revision)
