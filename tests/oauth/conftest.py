"""One set of token keys for all worlds of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def key_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Making them takes a tenth of a second."""
    return tmp_path_factory.mktemp("keys")
