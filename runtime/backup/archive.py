"""The file of a backup: one zstd stream of lines (README.md), sealed if there is a key.

It is written under another name, readable by its owner alone, and renamed when it is whole and on the disk.
``ArchiveReader.verify`` goes through all of it before anything is done with it: the digest in the last line
covers every byte before.
"""

import contextlib
import hashlib
import io
import os
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson
import zstandard

from runtime.backup.inflating import Inflating
from runtime.backup.manifest import Head, Manifest, Tally
from runtime.backup.problems import CutOff, Damaged, InTheWay, Unfit, Unwritable
from runtime.backup.sealing import MAGIC, SealedReader, SealingWriter

_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_LEVEL: Final = 3
_LONGEST_LINE: Final = 2**20
_LARGEST_CHUNK: Final = 2**28


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some records of a collection, a line each."""

    collection: str
    records: int
    lines: bytes


class ArchiveWriter:
    """Writes one archive. ``finish`` gives it its name; ``close`` removes it unless it has that.

    Raises ``InTheWay`` and ``Unwritable``.
    """

    def __init__(self, path: Path, key: bytes | None, head: Head) -> None:
        self._path = path
        self._part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        with _explain_faults(path):
            if path.exists():
                raise InTheWay(f"{path} exists: name another file")
            self._file = _create(self._part)
            self._sealing = None if key is None else SealingWriter(self._file, key)
        self._zstd = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()
        self._digest = hashlib.sha256()
        self._tallies: dict[str, Tally] = {}
        self._write(orjson.dumps(asdict(head)) + b"\n")

    def write(self, chunk: Chunk) -> None:
        self.announce(chunk.collection)
        self._tallies[chunk.collection].add(chunk.records, chunk.lines)
        line = {"collection": chunk.collection, "records": chunk.records, "bytes": len(chunk.lines)}
        self._write(orjson.dumps(line) + b"\n")
        self._write(chunk.lines)

    def announce(self, collection: str) -> None:
        """Have a collection in the manifest, even without records."""
        self._tallies.setdefault(collection, Tally())

    def finish(self) -> Manifest:
        """Write the manifest, store everything on the disk, and give the file its name."""
        manifest = Manifest({name: tally.close() for name, tally in self._tallies.items()})
        body = manifest.as_json()
        self._digest.update(body)
        last = b'{"manifest":' + body + b',"sha256":"' + self._digest.hexdigest().encode() + b'"}\n'
        self._put(self._zstd.compress(last) + self._zstd.flush())
        with _explain_faults(self._path):
            if self._sealing is not None:
                self._sealing.finish()
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            if self._path.exists():
                raise InTheWay(f"{self._path} was created in the meantime: the backup is discarded")
            self._part.rename(self._path)
            _store_name(self._path.parent)
        return manifest

    def close(self) -> None:
        """Close and remove what was written, unless it has its name."""
        with contextlib.suppress(OSError):
            self._file.close()
        with _explain_faults(self._path):
            self._part.unlink(missing_ok=True)

    def _write(self, data: bytes) -> None:
        self._digest.update(data)
        self._put(self._zstd.compress(data))

    def _put(self, data: bytes) -> None:
        with _explain_faults(self._path):
            if self._sealing is None:
                self._file.write(data)
            else:
                self._sealing.write(data)


@contextlib.contextmanager
def _explain_faults(path: Path) -> Iterator[None]:
    """Raise ``Unwritable`` for what the file system refuses."""
    try:
        yield
    except OSError as error:
        raise Unwritable(
            f"{path} cannot be written: {error.strerror or error}; remove the cause, then run it again"
        ) from error


class ArchiveReader:
    """Reads one archive, as often as it is asked to; ``close`` it. Raises ``Damaged``, ``Unfit``."""

    def __init__(self, path: Path, key: bytes | None) -> None:
        self._file: BinaryIO = path.open("rb")
        self._key = key

    def close(self) -> None:
        self._file.close()

    def verify(self) -> tuple[Head, Manifest]:
        """Go through the whole file; return what it is once every byte of it is known to be right."""
        reading = Reading(self._open_stream())
        for _chunk in reading.chunks():
            pass
        return reading.head, reading.manifest

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks. Raises ``Damaged`` at the latest behind the last of them."""
        yield from Reading(self._open_stream()).chunks()

    def _open_stream(self) -> BinaryIO:
        self._file.seek(0)
        magic = self._file.read(len(MAGIC))
        self._file.seek(0)
        source: Any = self._file
        if self._key is not None:
            if magic != MAGIC:
                raise Damaged("the file is not encrypted, and a key file was given: it is not your backup")
            source = SealedReader(self._file, self._key)
        elif magic == MAGIC:
            raise Unfit("the backup is encrypted: pass its key with --key-file")
        elif not magic.startswith(_ZSTD):
            raise Damaged("the file is not a backup of recordsmith")
        return io.BufferedReader(Inflating(source), 2**20)


class Reading:
    """One pass through an archive: ``head`` is there at once, ``manifest`` behind the last chunk."""

    manifest: Manifest

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self._tallies: dict[str, Tally] = {}
        with _translate():
            self.head = Head.read(self._read_line())

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks, and compare everything with the manifest at the end."""
        while True:
            with _translate():
                line = self._read_line(is_digested=False)
                if "manifest" in line:
                    self._finish(line)
                    return
                self._digest.update(self._raw)
                chunk = self._read_chunk(line)
            yield chunk

    def _read_chunk(self, line: dict[str, Any]) -> Chunk:
        name, records, size = str(line["collection"]), int(line["records"]), int(line["bytes"])
        if not 0 <= size <= _LARGEST_CHUNK:
            raise Damaged("the backup is damaged: a chunk has an impossible size")
        lines = self._stream.read(size)
        if len(lines) < size:
            raise CutOff()
        if lines.count(b"\n") != records or not lines.endswith(b"\n"):
            raise Damaged(f"the backup is damaged: a chunk of {name[:60]} has another number of records")
        self._digest.update(lines)
        self._tallies.setdefault(name, Tally()).add(records, lines)
        return Chunk(name, records, lines)

    def _finish(self, line: dict[str, Any]) -> None:
        manifest = Manifest.read(line["manifest"])
        self._digest.update(manifest.as_json())
        found = {name: tally.close() for name, tally in self._tallies.items()}
        expected = {name: one for name, one in manifest.collections.items() if one["records"]}
        if self._digest.hexdigest() != line["sha256"] or found != expected:
            raise Damaged("the backup is damaged: its checksum differs")
        if self._stream.read(1):
            raise Damaged("the backup is damaged: something follows its end")
        self.manifest = manifest

    def _read_line(self, *, is_digested: bool = True) -> dict[str, Any]:
        self._raw = self._stream.readline(_LONGEST_LINE)
        if not self._raw.endswith(b"\n"):
            raise CutOff() if len(self._raw) < _LONGEST_LINE else Damaged("the backup has no such line")
        if is_digested:
            self._digest.update(self._raw)
        line = orjson.loads(self._raw)
        if type(line) is not dict:
            raise Damaged("the backup is damaged: a line is not what it should be")
        return line


@contextlib.contextmanager
def _translate() -> Iterator[None]:
    try:
        yield
    except (zstandard.ZstdError, orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise Damaged(f"the backup is damaged: {error}") from error


def _create(path: Path) -> BinaryIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, flags, 0o600), "wb")


def _store_name(folder: Path) -> None:
    """Have the name of a new file on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
