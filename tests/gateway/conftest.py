"""The example service, as ``tests/http`` has it, which reads its rules again for each request."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.conftest import key_folder, play, world

__all__ = ["key_folder", "play", "usual_settings", "world"]


@pytest.fixture(scope="session")
def usual_settings() -> dict[str, Any]:
    return {"rule_cache_seconds": 0}
