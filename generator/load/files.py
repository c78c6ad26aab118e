"""The files of a folder of specifications: which there are, how their names are shown, and what they hold."""

import os
from collections.abc import Iterator
from pathlib import Path

MAX_BYTES = 1024 * 1024


def find_files(folder: Path) -> Iterator[Path]:
    """List YAML files, sorted by path; hidden ones are skipped."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith((".yaml", ".yml")) and not name.startswith("."):
                yield Path(here, name)


def escape_unprintable(name: str) -> str:
    """Write control characters, and bytes that are not UTF-8, as escapes."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in name)


def decode(content: bytes) -> str:
    """Decode the text of a file; lines end as on Unix. Raises ``UnicodeError``."""
    return content.decode("utf-8-sig").replace("\r\n", "\n")


def read_bytes(path: Path) -> bytes:
    """Read the bytes of a file. Raises ``OSError``, or ``ValueError`` for special or very large files."""
    if not path.is_file():  # reading a pipe or a device would never end
        raise ValueError("not a regular file: a pipe, a device or a link that leads nowhere")
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES // 1024} KiB: write one thing per file")
    return path.read_bytes()
