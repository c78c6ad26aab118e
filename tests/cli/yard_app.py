"""An application whose record types refer to each other in every way, for commands that look at records."""

from __future__ import annotations

from runtime.model.catalog import Catalog
from tests.records.depots import YARD

CATALOG = Catalog(YARD)
SEEDS, RULES, SUBJECTS = (), (), {}

__all__ = ["CATALOG", "RULES", "SEEDS", "SUBJECTS"]
