"""The assertions of test modules, rewritten by one worker each, not by every worker.

Where nothing is compiled yet, as in a fresh clone, pytest takes 13 seconds of CPU to rewrite all test modules, and
loads them in a tenth of a second afterwards. Workers that start together would all do it. Each begins with a
share of the modules, and finds those of the others done when it collects.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from _pytest.assertion import rewrite


def rewrite_share(config: pytest.Config, files: Sequence[Path], number: int, count: int) -> None:
    """Rewrite those of the files that are the share of worker ``number`` of ``count``."""
    for file in sorted(files)[number::count]:
        write_rewritten(config, file)


def write_rewritten(config: pytest.Config, file: Path) -> None:
    """Write the compiled module where pytest looks for it, unless it is there. What does not compile is reported later."""
    state, folder = config.stash[rewrite.assertstate_key], rewrite.get_cache_dir(file)
    compiled = folder / f"{file.stem}{rewrite.PYC_TAIL}"
    if rewrite._read_pyc(file, compiled, state.trace) is not None or not rewrite.try_makedirs(folder):
        return
    try:
        found, code = rewrite._rewrite_test(file, config)
    except (SyntaxError, ValueError, OSError):
        return
    rewrite._write_pyc(state, code, found, compiled)
