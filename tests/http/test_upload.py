"""A file in a form, read as it comes: whatever the pieces, the same bytes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import MalformedRequest, ServiceError, TooLarge
from runtime.http.upload import read_file

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
        return b"".join([piece async for piece in read_file(pieces(), b"b", most)])

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
        (b"--b\r\nX: " + b"y" * 100, MalformedRequest, "ends before"),
        (b"--b\r\n" + b"X: y\r\n" * 100 + b"\r\n" + END, MalformedRequest, "broken"),
        (b"refName\r\n" + HEAD + END, MalformedRequest, "broken"),
        (HEAD.replace(b"\r\n\r\n", b"\r\nno header\r\n\r\n") + END, MalformedRequest, "broken"),
        (HEAD.replace(b"form-data; name=", b"form-data; filename=") + END, MalformedRequest, "field :"),
        (HEAD + b"x" * 10_001 + END, TooLarge, "10000 bytes"),
        (b"\r\n" * 6000 + HEAD + END, TooLarge, "10000 bytes"),
    ],
    ids=[
        "nothing",
        "cut off",
        "no field",
        "another field",
        "two fields",
        "endless header",
        "cut off in a header",
        "endless headers",
        "no form",
        "no header",
        "no name",
        "too large",
        "nothing for long",
    ],
)
def test_what_is_refused(body: bytes, error: type[ServiceError], says: str) -> None:
    with pytest.raises(error, match=says):
        read(body, 100)


@pytest.mark.parametrize(
    "head",
    [
        HEAD,
        HEAD.replace(b'"file"', b"file"),
        HEAD.replace(b"Content-Disposition", b"content-disposition"),
        HEAD.replace(b"Content-Type: text/csv\r\n", b""),
        b"\r\n" + HEAD,
    ],
    ids=["usual", "no quotes", "small letters", "no media type", "a line before"],
)
@pytest.mark.parametrize("size", [1, 10, 1000])
def test_ways_to_write_a_form(head: bytes, size: int) -> None:
    assert read(head + b"refName\r\n" + END + b"behind it", size) == b"refName\r\n"


def test_nothing_is_taken_before_it_is_asked_for() -> None:
    """A slow store slows the sender down: what has been taken is what has been given, but for one piece."""
    taken: list[int] = []

    async def pieces() -> AsyncIterator[bytes]:
        yield HEAD
        for number in range(100):
            taken.append(number)
            yield b"x" * 64

    async def first_of() -> None:
        file = read_file(pieces(), b"b", 10_000)
        assert await anext(file)
        assert taken == [0]
        assert await anext(file)
        assert taken == [0, 1]

    asyncio.run(first_of())
