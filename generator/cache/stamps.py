"""A stamp: these sources gave these files. While both are as they were, there is nothing to do."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from generator.cache.seal import read_sealed, write_sealed
from generator.cache.sources import FOLDER, Sources, hash_program
from generator.cache.texts import TextCache
from generator.folders import LIST_NAME
from generator.output import count_intact

ALWAYS = "always"
"""Instead of the day of a comparison, where there is nothing to compare with."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The stamp of one output folder."""

    sources: Sources
    file: Path

    @classmethod
    def find(cls, specs: Path, out: Path, package: str) -> Stamp | None:
        """Find the stamp; None where the sources cannot be read, which the run will explain."""
        try:
            sources, place = Sources.read(specs, package), os.path.relpath(out.resolve(), specs.resolve())
        except OSError:
            return None
        name = hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
        return None if sources is None else cls(sources, specs / FOLDER / f"{name}.json")

    def open_texts(self) -> TextCache:
        """Open the texts of earlier runs for the same output."""
        return TextCache(self.file.with_suffix(".texts"), hash_program())

    def count_intact(self, folders: Iterable[Path], checked: str | None = None) -> int | None:
        """Count the files, if all are as these sources gave them; ``checked``: and compared that day.

        None if some file differs, or nothing is known about these sources.
        """
        known, folders = self._read(), list(folders)
        if known.get("key") != self.sources.key:
            return None
        if checked is not None and known.get("checked") not in (checked, ALWAYS):
            return None
        numbers = [count_intact(folder) for folder in folders]
        if None in numbers or known.get("lists") != _hash_lists(folders):
            return None
        return sum(number or 0 for number in numbers)

    def write(self, folders: Iterable[Path], checked: str | None) -> None:
        """Note that the files are right. ``checked``: the day of a clean comparison with the last release."""
        if not self.sources.is_unchanged:
            return
        whole = {"key": self.sources.key, "checked": checked, "lists": _hash_lists(folders)}
        write_sealed(self.file, json.dumps(whole).encode())

    def _read(self) -> dict[str, object]:
        try:
            found = json.loads(read_sealed(self.file))
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


def _hash_lists(folders: Iterable[Path]) -> list[str]:
    return [hashlib.sha256((folder / LIST_NAME).read_bytes()).hexdigest() for folder in folders]
