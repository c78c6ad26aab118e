"""What changes between two versions of a service: for its consumers and for its stored data."""

from generator.evolve.api import UnreadableDocumentError
from generator.evolve.change_kinds import ChangeKind
from generator.evolve.changes import Change, compare_stored
from generator.evolve.corrections import list_corrections
from generator.evolve.releases import read_release, write_release
from generator.evolve.report import (
    render_declarations,
    render_github,
    render_json,
    render_markdown,
    render_text,
)
from generator.evolve.revisions import UnknownVersionError
from generator.evolve.sources import read_document_file, read_version
from generator.evolve.stored import (
    StoredSpecs,
    UnreadableReleaseError,
    describe_stored,
    read_stored,
    render_stored,
)
from generator.evolve.version import Version, compare_versions, describe_version

__all__ = [
    "Change",
    "ChangeKind",
    "StoredSpecs",
    "UnknownVersionError",
    "UnreadableDocumentError",
    "UnreadableReleaseError",
    "Version",
    "compare_stored",
    "compare_versions",
    "describe_stored",
    "describe_version",
    "list_corrections",
    "read_document_file",
    "read_release",
    "read_stored",
    "read_version",
    "render_declarations",
    "render_github",
    "render_json",
    "render_markdown",
    "render_stored",
    "render_text",
    "write_release",
]
