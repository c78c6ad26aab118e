"""An application whose one record type is that of the old version (``tests.migrations.versions``)."""

from __future__ import annotations

from tests.migrations.versions import ALLOWED, build_catalog

CATALOG = build_catalog("old")
SEEDS, RULES, SUBJECTS = (), (ALLOWED,), {}

__all__ = ["CATALOG", "RULES", "SEEDS", "SUBJECTS"]
