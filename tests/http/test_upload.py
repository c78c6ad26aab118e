"""A file in a form, read as it comes: whatever the pieces, the same bytes (spec 2 §4.4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import MalformedRequest, ServiceError, TooLarge
from runtime.http.upload import _file, _Source

HEAD = (
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
)
END = b"\r\n--b--\r\n"


def read(body: bytes, size: int, most: int = 10_000) -> bytes:
    """The file in a body that comes in pieces of ``size`` bytes."""

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), size):
            yield body[start : start + size]

    async def whole() -> bytes:
        return b"".join([piece async for piece in _file(_Source(pieces(), most), b"\r\n--b")])

    return asyncio.run(whole())


@given(st.binary(max_size=200).filter(lambda file: b"\r\n--b" not in file), st.integers(1, 64))
def test_the_file_comes_out_as_it_went_in(file: bytes, size: int) -> None:
    assert read(HEAD + file + END, size) == file


@pytest.mark.parametrize("file", [b"", b"\r\n", b"\r\n--", b"\r\n--a", b"--b", b"\r\n\r\n--x\r\n-"], ids=repr)
@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_what_looks_like_a_boundary_and_is_none(file: bytes, size: int) -> None:
    assert read(HEAD + file + END, size) == file


@pytest.mark.parametrize(
    ("body", "error", "says"),
    [
        (b"", MalformedRequest, "ends before"),
        (HEAD + b"no end", MalformedRequest, "ends before"),
        (b"--b--\r\n", MalformedRequest, "empty"),
        (HEAD.replace(b'"file"', b'"other"') + END, MalformedRequest, "field other"),
        (HEAD + b"x" + END.replace(b"--\r\n", b"\r\n") + HEAD[5:] + END, MalformedRequest, "several fields"),
        (b"--b\r\nX: " + b"y" * 9000 + END, MalformedRequest, "broken"),
        (HEAD + b"x" * 10_001 + END, TooLarge, "10000 bytes"),
    ],
    ids=["nothing", "cut off", "no field", "another field", "two fields", "endless headers", "too large"],
)
def test_what_is_refused(body: bytes, error: type[ServiceError], says: str) -> None:
    with pytest.raises(error, match=says):
        read(body, 100)
