"""An application whose one record type is that of the new version (``tests.migrations.versions``)."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI

from runtime.app import create_app
from tests.migrations.versions import ALLOWED, build_catalog

CATALOG = build_catalog("new")
SEEDS, RULES, SUBJECTS = (), (ALLOWED,), {}

__all__ = ["CATALOG", "RULES", "SEEDS", "SUBJECTS", "create"]


def create() -> FastAPI:
    return create_app(CATALOG, [], document=Path("openapi.json"), rules=RULES)
