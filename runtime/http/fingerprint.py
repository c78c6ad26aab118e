"""Files that are hashed while they are read, so that a request can be recognized by its file."""

from collections.abc import AsyncIterator
from hashlib import sha256


class HashedFile(AsyncIterator[bytes]):
    """The bytes of an uploaded file, in pieces that are forgotten once they are read.

    The file is hashed, not the form around it, whose boundary differs each time it is sent.
    """

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self._pieces = pieces
        self._hash = sha256()
        self._digest: str | None = None

    async def __anext__(self) -> bytes:
        if self._digest is not None:  # an import would take what is left for an empty file
            raise RuntimeError("the file has been read to its end for its digest")
        piece = await anext(self._pieces)
        self._hash.update(piece)
        return piece

    async def read_digest(self) -> str:
        """Read what is left of the file and return the digest of all of it. Raises as reading does."""
        if self._digest is None:
            async for _piece in self:
                pass
            self._digest = self._hash.hexdigest()
        return self._digest
