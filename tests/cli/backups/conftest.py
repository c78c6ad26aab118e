"""Realms for backups: one that each test finds emptied, another one, and the command that reports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient

from .scene import APP, Document, Run


@pytest.fixture
def realm(emptied_realm: str) -> str:
    return emptied_realm


@pytest.fixture
def other(run: Run, mongo_client: MongoClient[Document]) -> Iterator[str]:
    """A second realm."""
    name = f"other-{uuid4().hex[:12]}"
    run("realms", "create", name)
    yield name
    mongo_client.drop_database(name)


@pytest.fixture
def application() -> dict[str, str]:
    """The environment that names the application of ``run``."""
    return APP


@pytest.fixture
def run(command: Any, application: dict[str, str]) -> Run:
    """What a command reports; ``code``: how it ends."""

    def start(*words: Any, code: int = 0) -> Document:
        done = command(*map(str, words), "--json", env=application)
        assert done.exit_code == code, done.output
        found: Document = json.loads(done.stdout)
        return found

    return start


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_bytes(b"k" * 32)
    path.chmod(0o600)
    return path
