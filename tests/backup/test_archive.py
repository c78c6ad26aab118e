"""The file of a backup: whatever happens to it, it is whole or it is refused."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.backup.archive import ArchiveReader, ArchiveWriter, Chunk
from runtime.backup.manifest import Head
from runtime.backup.problems import BackupProblem, Damaged, InTheWay, Unfit, Unwritable
from runtime.backup.sealing import read_key

KEY = bytes(range(32))
HEAD = Head(
    content="backup", id="b1", realm="main", tenant=None, created="2026-11-23T12:00:00+00:00",
    version="1", specs="s", shapes={},
)  # fmt: skip
LINES = b"".join(b'{"n":"%d","t":"%s"}\n' % (n, os.urandom(300).hex().encode()) for n in range(900))
CHUNKS = [
    Chunk("orders", 500, b"\n".join(LINES.splitlines()[:500]) + b"\n"),
    Chunk("orders", 400, b"\n".join(LINES.splitlines()[500:]) + b"\n"),
    Chunk("ports", 1, b'{"a":1}\n'),
]

Written = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(key: bytes | None = None, chunks: list[Chunk] = CHUNKS) -> Path:
        path = tmp_path / f"{os.urandom(4).hex()}.backup"
        writer = ArchiveWriter(path, key, HEAD)
        for chunk in chunks:
            writer.write(chunk)
        writer.announce("empty")
        writer.finish()
        return path

    return write


def read(path: Path, key: bytes | None = None) -> list[Chunk]:
    archive = ArchiveReader(path, key)
    try:
        head, manifest = archive.verify()
        assert head == HEAD
        assert manifest.collections["empty"]["records"] == 0
        return list(archive.chunks())
    finally:
        archive.close()


@pytest.mark.parametrize("key", [None, KEY])
def test_what_was_written_is_read(key: bytes | None, written: Written, tmp_path: Path) -> None:
    path = written(key)
    assert read(path, key) == CHUNKS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [path.name]
    assert (b"orders" in path.read_bytes()) is False


def test_without_a_key_any_tool_reads_it(written: Written) -> None:
    with zstandard.open(written(), "rb") as file:
        lines = file.read().splitlines()
    assert lines[0].startswith(b'{"content":"backup"')
    assert lines[2:3] == LINES.splitlines()[:1]
    assert lines[-1].startswith(b'{"manifest":{"collections":{"orders":{"records":900')


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize("where", [0, 3, 9, 39, 60, 0.3, 0.5, 0.9, -20, -3, -1])
def test_one_changed_byte_is_found(key: bytes | None, where: float, written: Written) -> None:
    path = written(key)
    data = bytearray(path.read_bytes())
    at = int(where * len(data)) if isinstance(where, float) else int(where)
    data[at] ^= 0x10
    path.write_bytes(data)
    with pytest.raises(BackupProblem):
        read(path, key)


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize("keep", [0, 4, 8, 39, 44, 0.2, 0.5, 0.99, -1])
def test_one_that_is_cut_off_is_found(key: bytes | None, keep: float, written: Written) -> None:
    path = written(key)
    data = path.read_bytes()
    path.write_bytes(data[: int(keep * len(data)) if isinstance(keep, float) else int(keep)])
    with pytest.raises(BackupProblem):
        read(path, key)


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize("more", [b"x", b"\0" * 100])
def test_what_follows_its_end_is_found(key: bytes | None, more: bytes, written: Written) -> None:
    path = written(key)
    path.write_bytes(path.read_bytes() + more)
    with pytest.raises(BackupProblem):
        read(path, key)


def frames(data: bytes) -> tuple[bytes, list[bytes]]:
    """Header and frames of a sealed file."""
    header, rest, found = data[:40], data[40:], []
    while rest:
        size = 5 + int.from_bytes(rest[:4], "big") + 16
        found.append(rest[:size])
        rest = rest[size:]
    return header, found


BIG = [Chunk("orders", 1, b'{"a":"%s"}\n' % os.urandom(1_100_000).hex().encode()) for _ in range(3)]


@pytest.mark.parametrize(
    "rearrange",
    [
        lambda found: [found[1], found[0], *found[2:]],
        lambda found: [found[0], *found[2:]],
        lambda found: [found[0], found[0], *found[1:]],
        lambda found: found[:-1],
        lambda found: [*found, found[-1]],
        lambda found: [*found[:-2], found[-1]],
        lambda found: [found[0][:4] + b"\x01" + found[0][5:]],
    ],
)
def test_frames_in_any_other_order_are_refused(
    rearrange: Callable[[list[bytes]], list[bytes]], written: Written
) -> None:
    path = written(KEY, BIG)
    header, found = frames(path.read_bytes())
    assert len(found) > 3
    path.write_bytes(header + b"".join(rearrange(found)))
    with pytest.raises(Damaged):
        read(path, KEY)


def test_frames_of_another_file_are_refused(written: Written) -> None:
    one, other = written(KEY, BIG), written(KEY, BIG)
    header, found = frames(one.read_bytes())
    _header, strange = frames(other.read_bytes())
    one.write_bytes(header + b"".join([found[0], strange[1], *found[2:]]))
    with pytest.raises(Damaged):
        read(one, KEY)


@pytest.mark.parametrize(
    ("sealed", "key", "error"),
    [(KEY, bytes(32), Damaged), (KEY, None, Unfit), (None, KEY, Damaged)],
)
def test_another_key_or_none_opens_nothing(
    sealed: bytes | None, key: bytes | None, error: type[BackupProblem], written: Written
) -> None:
    with pytest.raises(error):
        read(written(sealed), key)


@settings(max_examples=30)
@given(st.binary(max_size=200))
def test_bytes_of_chance_are_refused(data: bytes) -> None:
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"chance-{os.getpid()}"
    path.write_bytes(zstandard.compress(data))
    try:
        for key in (None, KEY):
            with pytest.raises(BackupProblem):
                read(path, key)
    finally:
        path.unlink()


def test_nothing_is_overwritten_and_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.backup"
    path.write_text("mine")
    with pytest.raises(InTheWay):
        ArchiveWriter(path, None, HEAD)
    path.unlink()
    writer = ArchiveWriter(path, None, HEAD)
    path.write_text("mine")
    with pytest.raises(InTheWay):
        writer.finish()
    writer.close()
    assert path.read_text() == "mine"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize(
    ("key", "mode", "says"),
    [
        (b"x" * 31, 0o600, "32 to 4096"),
        (b"", 0o600, "32 to"),
        (KEY, 0o644, "chmod 600"),
        (None, 0, "cannot be read"),
    ],
)
def test_key_files_that_are_not_good_enough(key: bytes | None, mode: int, says: str, tmp_path: Path) -> None:
    path = tmp_path / "key"
    if key is not None:
        path.write_bytes(key)
        path.chmod(mode)
    with pytest.raises(BackupProblem, match=says):
        read_key(path)


def test_a_good_key_file(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(KEY)
    path.chmod(0o400)
    assert read_key(path) == KEY


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said_of_the_file(tmp_path: Path) -> None:
    def fill(writer: ArchiveWriter) -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), writer._file.fileno())
        for chunk in CHUNKS * 100:
            writer.write(chunk)

    path = tmp_path / "acme.backup"
    with (
        closing(ArchiveWriter(path, None, HEAD)) as writer,
        pytest.raises(Unwritable, match=r"acme\.backup cannot be written: No space left on device"),
    ):
        fill(writer)
    assert list(tmp_path.iterdir()) == []


def test_other_faults_are_not_said_of_the_file(tmp_path: Path) -> None:
    with (
        pytest.raises(BlockingIOError, match="Resource temporarily unavailable"),
        closing(ArchiveWriter(tmp_path / "acme.backup", None, HEAD)),
    ):
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    assert list(tmp_path.iterdir()) == []
