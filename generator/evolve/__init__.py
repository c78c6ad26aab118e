"""What changes between two versions of a service: for its consumers and for its stored data."""

from generator.evolve.change_kinds import ChangeKind
from generator.evolve.changes import Change, compare_stored
from generator.evolve.stored import StoredSpecs, describe_stored, read_stored, render_stored

__all__ = [
    "Change",
    "ChangeKind",
    "StoredSpecs",
    "compare_stored",
    "describe_stored",
    "read_stored",
    "render_stored",
]
