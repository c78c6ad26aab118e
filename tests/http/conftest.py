"""The example service over a fresh database, with callers of several tenants and roles.

``world`` is made once a module: tests make the records they need and do not meet in refNames.
``play`` runs one ``Scenario`` and checks the answer and the whole realm.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from tests.http.world import Play, World, open_world


@pytest.fixture(scope="session")
def key_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One set of token keys for all worlds: making them takes a tenth of a second."""
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="session")
def usual_settings() -> dict[str, Any]:
    """What the services of a folder are set to, by attribute name; a module adds to it with ``settings``."""
    return {}


@pytest.fixture(scope="module")
def world(
    request: pytest.FixtureRequest,
    mongo_uri: str,
    mongo_client: MongoClient[dict[str, Any]],
    key_folder: Path,
    usual_settings: dict[str, Any],
) -> Iterator[World]:
    """The service of a module."""
    mark = request.node.get_closest_marker("settings")
    settings = usual_settings | (mark.kwargs if mark else {})
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, **settings) as opened:
        yield opened


@pytest.fixture
def user(world: World) -> str:
    """A user who is signed in under its own name."""
    return world.sign_in_another()


@pytest.fixture
def play(world: World) -> Play:
    """Run one scenario; the answer's JSON for what else a test wants to say of it."""
    return world.play
