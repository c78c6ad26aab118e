"""Files of the cache, which only this user of this machine can have written.

They are in the working tree, where a commit can put anything. So each begins with a keyed hash of itself, and
one with another hash counts as missing. The key is outside of all working trees; the first run creates it.
"""

from __future__ import annotations

import hmac
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from generator.cache.sources import ignore_in_git
from generator.files import replace_file

_BYTES = 32


def read_sealed(file: Path) -> bytes:
    """Return the content of a file that an earlier run has written; empty where there is none."""
    try:
        head, _, content = file.read_bytes().partition(b"\n")
    except OSError:
        return b""
    key = _read_key(_find_key_file())
    is_ours = key is not None and hmac.compare_digest(head, _hash(key, file, content))
    return content if is_ours else b""


def write_sealed(file: Path, content: bytes) -> None:
    """Write a file for later runs, where that is possible: without it they are as slow as this one."""
    with suppress(OSError):
        key_file = _find_key_file()
        key = _read_key(key_file) or _create_key(key_file)
        if key is not None:
            replace_file(file, b"%b\n%b" % (_hash(key, file, content), content))
            ignore_in_git(file.parent)


def _hash(key: bytes, file: Path, content: bytes) -> bytes:
    """Hash a content for the kind of file that it is."""
    return hmac.digest(key, file.suffix.encode() + b"\n" + content, "sha256").hex().encode()


def _find_key_file() -> Path | None:
    """Find where the key is: in the folder for caches of this user; None for one without a home."""
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    try:
        folder = Path(named) if os.path.isabs(named) else Path.home() / ".cache"
    except RuntimeError:
        return None
    return folder / "recordsmith" / "cache.key"


def _read_key(file: Path | None) -> bytes | None:
    try:
        key = file.read_bytes() if file else b""
    except OSError:
        return None
    return key if len(key) == _BYTES else None


def _create_key(file: Path | None) -> bytes | None:
    """Create the key, unless another run does in the meantime; return the one that is there then."""
    if file is None:
        return None
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=file.parent)  # for this user alone
    with os.fdopen(handle, "wb") as stream:
        stream.write(os.urandom(_BYTES))
    with suppress(FileExistsError):
        os.link(name, file)
    Path(name).unlink()
    return _read_key(file)
