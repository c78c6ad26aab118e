"""What changes between two versions of a service: for its consumers and for its stored data."""

from generator.evolve.api import UnreadableDocumentError
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
from generator.evolve.stored import UnreadableReleaseError
from generator.evolve.version import Version, compare_versions, describe_version

__all__ = [
    "UnknownVersionError",
    "UnreadableDocumentError",
    "UnreadableReleaseError",
    "Version",
    "compare_versions",
    "describe_version",
    "list_corrections",
    "read_document_file",
    "read_release",
    "read_version",
    "render_declarations",
    "render_github",
    "render_json",
    "render_markdown",
    "render_text",
    "write_release",
]
