"""What earlier runs have read of specifications and resolved, for every command that needs their model."""

import os
from pathlib import Path

from generator.cache.sources import FOLDER, hash_program
from generator.cache.texts import TextCache


def is_believed() -> bool:
    """Whether a run may use what earlier ones found out: not in CI, which trusts only itself."""
    return not os.environ.get("CI")


def open_known_specs(specs: Path) -> TextCache | None:
    """Open the texts of earlier runs with the same specifications; None in CI."""
    return TextCache(specs / FOLDER / "specs.texts", hash_program()) if is_believed() else None
