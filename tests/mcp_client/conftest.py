"""A small server for the tests of a module, and the port on which it answers by HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.mcp_client.servers import Small, run_http


@pytest.fixture(scope="module")
def small() -> Small:
    return Small()


@pytest.fixture(scope="module")
def port(small: Small) -> Iterator[int]:
    with run_http(small) as opened:
        yield opened
