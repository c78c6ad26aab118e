"""What the embedded MongoDB keeps in a data folder, by name."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, Final

from runtime.errors import Misconfigured
from runtime.storage.embedded.lock import is_locked

_FILES: Final = "mongodb"
_PRIVATE: Final = 0o600
"""The mode of files: a folder that was there before may be open to others, and a log names values."""


@dataclass(frozen=True, slots=True)
class Address:
    """A mongod that was started: its process and its port on 127.0.0.1."""

    pid: int
    port: int

    @property
    def uri(self) -> str:
        """The address for clients; it names the replica set, without which there are no transactions."""
        return f"mongodb://127.0.0.1:{self.port}/?replicaSet=rs0"


def open_private(file: Path) -> BinaryIO:
    """Open a file to append to it; one that is created is for its owner alone."""
    file.touch(_PRIVATE)
    return file.open("ab")


def has_database(root: Path) -> bool:
    """Whether a data folder holds the files of an embedded MongoDB."""
    return (root / _FILES).is_dir()


@dataclass(frozen=True, slots=True)
class Folder:
    """The data folder of one service."""

    root: Path

    @classmethod
    def prepared(cls, root: Path) -> Folder:
        """Create the folder if it is missing, for its owner only. Raises ``Misconfigured``."""
        folder = cls(root.absolute())
        try:
            folder.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            for file in (folder.turn, folder.log):
                open_private(file).close()
        except OSError as error:
            reason = error.strerror or error
            raise Misconfigured(
                f"the data folder {root} cannot be written ({reason}); choose another with --data",
                cause=error,
            ) from None
        return folder

    @property
    def data(self) -> Path:
        """The files of mongod itself."""
        return self.root / _FILES

    @property
    def log(self) -> Path:
        return self.root / "mongodb.log"

    @property
    def record(self) -> Path:
        """``{pid, port}`` of the mongod last started here."""
        return self.root / "mongodb.json"

    @property
    def turn(self) -> Path:
        """Locked while somebody starts or stops mongod."""
        return self.root / "mongodb.turn.lock"

    @property
    def users(self) -> Path:
        """Locked, shared, by everybody who uses mongod."""
        return self.root / "mongodb.users.lock"

    def is_served(self) -> bool:
        """Whether a mongod has these files open: it locks ``mongod.lock`` until its process ends."""
        return is_locked(self.data / "mongod.lock")

    def address(self) -> Address | None:
        """Return the recorded address; None without a readable record."""
        try:
            return Address(**json.loads(self.record.read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def note(self, address: Address) -> None:
        """Write the record, whole or not at all."""
        draft = self.record.with_suffix(".new")
        draft.touch(_PRIVATE)
        draft.write_text(json.dumps(asdict(address)) + "\n", "utf-8")
        os.replace(draft, self.record)
