"""A folder of specifications → ``Specs``. A second process reads a large one that no earlier run has read."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import orjson

from generator.aside import may_run_aside, run_aside
from generator.cache import TextCache
from generator.load.files import decode, find_files, read_bytes
from generator.load.folder import Loader
from generator.load.trees import read_values
from generator.spec import Specs

_MANY: Final = 100
"""Files that two processes read faster than one."""


def load(
    folder: Path,
    system: Path | None = None,
    texts: TextCache | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> Specs:
    """Load all files of the folder, sorted by path. Problems are collected in ``Specs.problems``.

    ``system``: a folder that is loaded first, with the specifications of the service itself. Never raises for
    what a file holds: ``resolve`` raises once, for these problems and its own.
    ``texts``: where the plain values of files are, by their text. ``meanwhile`` is called while a second
    process reads, where one does.
    """
    loader, files = Loader(folder, texts), [*find_files(folder)]
    if meanwhile and texts is None and len(files) >= _MANY and may_run_aside():
        of_system = find_files(system) if system else ()
        with run_aside(partial(_read_values, (*of_system, *files))) as finish:
            meanwhile()
            loader.values = orjson.loads(finish())
    if system is not None:
        loader.load_system(system)
    loader.read(files)
    return loader.specs()


def _read_values(files: Iterable[Path]) -> bytes:
    """Read the values of files. Those that cannot be read are left to the process that reports why."""
    return orjson.dumps(read_values(_read_texts(files)))


def _read_texts(files: Iterable[Path]) -> Iterator[str]:
    for path in files:
        with suppress(OSError, ValueError):
            yield decode(read_bytes(path))
