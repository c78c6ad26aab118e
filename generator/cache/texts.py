"""Texts of earlier runs, each by a hash of all that it depends on.

One file holds them; it begins with the hash of the program that wrote it. A file that is spoilt, or of
another program, is as good as none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from generator.cache.seal import read_sealed, write_sealed
from generator.cache.sources import FOLDER, hash_program, is_believed


class TextCache:
    """Texts by key. Only those that a run found or stored are kept for the next one."""

    def __init__(self, file: Path | None = None, program: str = "") -> None:
        self._file, self._program = file, program
        self._known = self._read()
        self._used: dict[str, str] = {}
        self._former: dict[str, str] = {}

    @property
    def is_lasting(self) -> bool:
        """Whether there is a next run that will read it: else nothing need be hashed and stored."""
        return self._file is not None

    def find(self, key: str) -> str | None:
        text = self._used.get(key) or self._known.get(key)
        if text is not None:
            self._used[key] = text
        return text

    def read(self, key: str) -> str | None:
        """Return a text about an output that this run may replace, if it is known."""
        text = self._known.get(key)
        if text is not None:
            self._former[key] = text
        return text

    def store(self, key: str, text: str) -> None:
        """Keep a text for the next run."""
        self._used[key] = text

    def save(self, *, is_replaced: bool = True) -> None:
        """Write the file, where something differs from what was read and it can be written.

        Unless the output ``is_replaced``, the next run needs what is known about it as well.
        """
        texts = self._used if is_replaced else self._former | self._used
        if self._file is None or texts == self._known:
            return
        write_sealed(self._file, b"%b\n%b" % (self._program.encode(), orjson.dumps(texts)))

    def _read(self) -> dict[str, str]:
        program, _, content = (read_sealed(self._file) if self._file else b"").partition(b"\n")
        if not content or program.decode("latin-1") != self._program:
            return {}
        texts: dict[str, str] = orjson.loads(content)
        return texts


def open_known_specs(specs: Path) -> TextCache | None:
    """Open what earlier runs have read of the same specifications and resolved; None in CI."""
    return TextCache(specs / FOLDER / "specs.texts", hash_program()) if is_believed() else None


def hash_parts(*parts: object) -> str:
    """Return the key of a text that depends on these parts of a model, and on the program."""
    content = orjson.dumps(parts, default=_as_json, option=orjson.OPT_NON_STR_KEYS)
    return hashlib.sha256(content).hexdigest()


def _as_json(value: Any) -> Any:
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    return [type(value).__name__, str(value)]
