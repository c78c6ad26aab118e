"""Generated Python through ruff: imports sorted, lines broken. One process for all files of a run.

The options are given whole and no configuration file is read, so the text does not depend on the
machine, the folder or the caller's project.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ruff import find_ruff_bin

_MEMORY: Final = Path("/dev/shm")
"""Where Linux has files in memory: to create hundreds on a disk takes longer than to format them."""
_BLOCK: Final = 4096

_OPTIONS = ("--isolated", "--no-cache", "--quiet", "--target-version", "py311", "--line-length", "110")


@contextmanager
def format_aside(
    texts: Mapping[str, str], first_party: Iterable[str]
) -> Iterator[Callable[[], dict[str, str]]]:
    """Format the texts while the block works; yield what waits for them.

    Imports of ``first_party`` packages are sorted after libraries.
    """
    if not texts:
        yield dict
        return
    parent = _find_memory(texts.values())
    with (
        TemporaryDirectory(prefix="recordsmith-", dir=parent) as folder,
        ThreadPoolExecutor(max_workers=1) as aside,
    ):
        root = Path(folder)
        for path, text in texts.items():  # not aside: for each file that would wait for its turn to compute
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        running = aside.submit(_format_folder, folder, first_party)

        def finish() -> dict[str, str]:
            running.result()
            return {path: (root / path).read_text(encoding="utf-8") for path in texts}

        yield finish


def _find_memory(texts: Iterable[str]) -> Path | None:
    """Return the folder of files in memory, if they have room there twice; None for the usual one."""
    most_bytes = sum(4 * len(text) + _BLOCK for text in texts)
    try:
        has_room = shutil.disk_usage(_MEMORY).free > 2 * most_bytes and os.access(_MEMORY, os.W_OK)
    except OSError:
        return None
    return _MEMORY if has_room else None


def _format_folder(folder: str, first_party: Iterable[str]) -> None:
    known = ", ".join(f'"{name}"' for name in sorted(set(first_party)))
    sorting = ("--config", f"lint.isort.known-first-party = [{known}]", "--config", "src = []")
    _run_ruff("check", "--select", "I", "--fix", *_OPTIONS, *sorting, folder)
    _run_ruff("format", *_OPTIONS, folder)


def _run_ruff(*arguments: str) -> None:
    done = subprocess.run([find_ruff_bin(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ruff refuses generated code: {done.stdout}{done.stderr}")
