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
from generator.evolve.stored import UnreadableReleaseError, read_stored
from generator.evolve.version import Version, describe_version
from generator.folders import DOCUMENT_FILE, SERVICE_FILE, SYSTEM_SPECS
from generator.load import load
from generator.output import Texts, as_bytes, hash_content
from generator.resolve import resolve

STORED_FILE, CALLERS_FILE = "stored.json", "callers.json"
_SUMS_FILE = "SHA256SUMS"
_SUMMED = (DOCUMENT_FILE, STORED_FILE, CALLERS_FILE)


def render_sums(texts: Texts) -> tuple[str, str]:
    """Return the file that has the hash of each text of a release, as of ``sha256sum``, and what is in it."""
    return _SUMS_FILE, "".join(f"{hash_content(as_bytes(text))}  {name}\n" for name, text in texts.items())


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
    """Read a document, and ``stored.json`` and ``callers.json`` next to it if they are there.

    Raises ``UnreadableReleaseError`` for files of a release that are not as they were written.
    """
    if path.name == DOCUMENT_FILE:
        _check_sums(path.parent)
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


def _check_sums(folder: Path) -> None:
    """Check that a release is whole; one of an earlier generator has no sums."""
    sums = folder / _SUMS_FILE
    for line in sums.read_text("utf-8", "replace").splitlines() if sums.is_file() else ():
        wanted, _space, name = line.partition("  ")
        if name not in _SUMMED:  # a folder of downloads may have sums of other files
            continue
        path = folder / name
        content = path.read_bytes().replace(b"\r\n", b"\n") if path.is_file() else b""
        if hash_content(content) != wanted:
            is_there = "is not as it was released" if path.is_file() else "is missing"
            raise UnreadableReleaseError(
                f"{path} {is_there}: restore the files in {folder} from the revision of the release"
            )


def _read_revision(revision: str, specs: Path) -> Version:
    with TemporaryDirectory(prefix="recordsmith-diff-") as name:
        own, system = Path(name, "own"), Path(name, "system")
        checkout = Revision.find(revision, specs)
        if not checkout.write_specs(specs, own):
            raise UnknownVersionError(f"{revision} has no specifications in {specs}")
        has_system = checkout.write_specs(SYSTEM_SPECS, system)
        return describe_version(resolve(load(own, system if has_system else SYSTEM_SPECS)), revision)
