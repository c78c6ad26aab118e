"""Reading a zstd stream to its very end, which has to be that of its file."""

import io
from typing import Any, BinaryIO, Final

import zstandard

from runtime.backup.problems import CutOff, Damaged

_LARGEST_WINDOW: Final = 2**27
_FED: Final = 2**11


class Inflating(io.RawIOBase):
    """Reads a zstd stream that has to end where its file does. Raises ``Damaged``, ``zstandard.ZstdError``.

    It is fed so little at a time that what comes of a hostile file has a bound as well.
    """

    def __init__(self, source: BinaryIO) -> None:
        super().__init__()
        self._source = source
        decompressor = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
        self._zstd = decompressor.decompressobj()
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        """Read up to the length of ``target``; 0 at the end of the stream."""
        while not self._ready and not self._zstd.eof:
            if not (data := self._source.read(_FED)):
                raise CutOff()
            self._ready = memoryview(self._zstd.decompress(data))
        size = min(len(target), len(self._ready))
        target[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        if not size and (self._zstd.unused_data or self._source.read(1)):
            raise Damaged("the backup is damaged: something follows its end")
        return size
