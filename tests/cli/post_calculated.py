"""An application whose one record type, that of the old version, has a field that cannot be calculated of each record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from runtime.model.catalog import Catalog
from runtime.seams import Seams
from tests.migrations.versions import ALLOWED, build_catalog

_OLD = build_catalog("old")
CATALOG = Catalog(
    tuple(replace(one, calculated={"tag": "share"}) if one.name == "Parcel" else one for one in _OLD),
    shapes=_OLD.shapes,
)
SEEDS, RULES, SUBJECTS = (), (ALLOWED,), {}


def share(record: Mapping[str, Any]) -> str:
    return str(100 // record["weight"])


SEAMS = Seams(expressions={"share": share})
