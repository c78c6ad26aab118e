"""Files encrypted in frames by AES-256-GCM, so that they can be written and read as streams.

The key of a file is derived from the key file and a salt of its own (HKDF, RFC 5869), so the number of a
frame can be its nonce. Each tag also covers the header of the file, the number of the frame, its length and
whether it is the last: frames that are missing, repeated, in another order, of another file or behind the
last one are refused. Nothing of a frame is returned before its tag was checked.
"""

import io
import os
import stat
import struct
from pathlib import Path
from typing import Any, BinaryIO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from runtime.backup.problems import CutOff, Damaged, KeyUnusable, Unreadable

MAGIC: Final = b"RSSEAL01"
_SALT: Final = 32
_FRAME: Final = 2**20
_TAG: Final = 16
_LEAST_KEY, _MOST_KEY = 32, 4096
_HEAD: Final = struct.Struct(">IB")  # bytes of the plain frame, whether it is the last
_PLACE: Final = struct.Struct(">QIB")


def read_key(path: Path) -> bytes:
    """Read a key file: 32 bytes or more that nobody else can read. Raises ``Unreadable``, ``KeyUnusable``."""
    try:
        with path.open("rb") as file:
            mode, key = os.fstat(file.fileno()).st_mode, file.read(_MOST_KEY + 1)
    except OSError as error:
        raise Unreadable(f"the key file {path} cannot be read: {error.strerror}") from error
    if stat.S_ISREG(mode) and mode & 0o077:
        raise KeyUnusable(f"others can read the key file {path}: run chmod 600 {path}")
    if not _LEAST_KEY <= len(key) <= _MOST_KEY:
        make = f"head -c 32 /dev/urandom > {path}"
        raise KeyUnusable(f"a key file has {_LEAST_KEY} to {_MOST_KEY} random bytes; create one with: {make}")
    return key


class SealingWriter:
    """Encrypts what is written into a file; ``finish`` writes the last frame."""

    def __init__(self, file: BinaryIO, key: bytes) -> None:
        self._file = file
        self._header = MAGIC + os.urandom(_SALT)
        self._cipher = _derive(key, self._header)
        self._waiting = bytearray()
        self._number = 0
        file.write(self._header)

    def write(self, data: bytes) -> None:
        """Write all full frames, and hold the rest back."""
        self._waiting += data
        while len(self._waiting) > _FRAME:
            self._write_frame(bytes(self._waiting[:_FRAME]), is_last=False)
            del self._waiting[:_FRAME]

    def finish(self) -> None:
        """Write what was held back as the last frame."""
        self._write_frame(bytes(self._waiting), is_last=True)

    def _write_frame(self, plain: bytes, *, is_last: bool) -> None:
        nonce, place = _place(self._number, len(plain), is_last)
        self._file.write(_HEAD.pack(len(plain), is_last))
        self._file.write(self._cipher.encrypt(nonce, plain, self._header + place))
        self._number += 1


class SealedReader(io.RawIOBase):
    """Reads a sealed file from its beginning. Raises ``Damaged``."""

    def __init__(self, file: BinaryIO, key: bytes) -> None:
        super().__init__()
        self._file = file
        self._header = _read_exactly(file, len(MAGIC) + _SALT)
        self._cipher = _derive(key, self._header)
        self._plain = memoryview(b"")
        self._number = 0
        self._is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        """Read up to the length of ``target``; 0 behind the last frame."""
        while not self._plain and not self._is_over:
            self._read_frame()
        size = min(len(target), len(self._plain))
        target[:size] = self._plain[:size]
        self._plain = self._plain[size:]
        return size

    def _read_frame(self) -> None:
        size, last = _HEAD.unpack(_read_exactly(self._file, _HEAD.size))
        if size > _FRAME or last > 1:
            raise Damaged("the backup is damaged: the head of an encrypted frame is wrong")
        sealed = _read_exactly(self._file, size + _TAG)
        nonce, place = _place(self._number, size, bool(last))
        try:
            plain = self._cipher.decrypt(nonce, sealed, self._header + place)
        except InvalidTag:
            at = "it is not the key of this file, or its beginning was changed" if not self._number else ""
            where = at or f"frame {self._number} was changed or is out of place"
            raise Damaged(f"the backup cannot be decrypted: {where}") from None
        self._plain = memoryview(plain)
        self._number += 1
        if last:
            self._is_over = True
            if self._file.read(1):
                raise Damaged("the backup is damaged: something follows its end")


def _derive(key: bytes, header: bytes) -> AESGCM:
    derived = HKDF(algorithm=SHA256(), length=32, salt=header, info=b"recordsmith backup").derive(key)
    return AESGCM(derived)


def _place(number: int, size: int, is_last: bool) -> tuple[bytes, bytes]:
    return number.to_bytes(12, "big"), _PLACE.pack(number, size, is_last)


def _read_exactly(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise CutOff()
    return data
