"""The example service, as ``tests/http`` has it, which sees changes at once and throttles nobody."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.conftest import key_folder, world

__all__ = ["key_folder", "usual_settings", "world"]


@pytest.fixture(scope="session")
def usual_settings() -> dict[str, Any]:
    """Without a memory, so that what is changed in the store is seen at once."""
    return {"credential_cache_seconds": 0, "login_failures": 100_000}
