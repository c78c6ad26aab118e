"""A record type before and after changes that lose values, at every depth at which fields can be."""

from __future__ import annotations

from typing import Any, Literal

from runtime.model.record import Strict
from tests.kinds import kind_of
from tests.migrations.versions import TEXT, VERSIONS, Document, OldPlace, shape


class WideLine(Strict):
    sku: str
    kind: Literal["A", "B"] | None = None


class WideFields(Strict):
    status: Literal["NEW", "GONE"] | None = None
    size: Literal["S", "L"] | None = None
    code: str | None = None
    place: OldPlace | None = None
    lines: list[WideLine] | None = None
    marks: list[Literal["R", "G"]] | None = None
    grades: dict[str, Literal["R", "G"]] | None = None
    routes: dict[str, WideLine] | None = None
    weight: int | None = None


class TightPlace(Strict):
    road: str | None = None
    zip_code: int | None = None


class TightLine(Strict):
    sku: str
    kind: Literal["A"] | None = None
    amount: int = 2


class TightFields(Strict):
    state: Literal["NEW"] | None = None
    size: Literal["S"] | None = None
    code: int | None = None
    place: TightPlace | None = None
    lines: list[TightLine] | None = None
    marks: list[Literal["R"]] | None = None
    grades: dict[str, Literal["R"]] | None = None
    routes: dict[str, TightLine] | None = None
    weight: int | None = None


class SlimPlace(Strict):
    road: str | None = None


class SlimLine(Strict):
    sku: str


class SlimFields(Strict):
    place: SlimPlace | None = None
    lines: list[SlimLine] | None = None
    routes: dict[str, SlimLine] | None = None
    weight: int | None = None


def choice(*values: str) -> Document:
    return {"type": "enum", "values": list(values)}


def _line(**kind: Any) -> Document:
    return {"type": "object", "fields": {"sku": TEXT, **kind}}


WIDE_SHAPE = shape(
    status=choice("NEW", "GONE"),
    size=choice("S", "L"),
    code=TEXT,
    place={"type": "object", "fields": {"road": TEXT, "zipCode": TEXT}},
    lines={"type": "list", "item": _line(kind=choice("A", "B"))},
    marks={"type": "list", "item": choice("R", "G")},
    grades={"type": "map", "item": choice("R", "G")},
    routes={"type": "map", "item": _line(kind=choice("A", "B"))},
    weight={"type": "integer"},
)
_TIGHT_LINE = _line(kind=choice("A"), amount={"type": "integer", "default": 2})
TIGHT_SHAPE = shape(
    state={**choice("NEW"), "renamedFrom": "status"},
    size={**choice("S"), "default": "S"},
    code={"type": "integer"},
    place={"type": "object", "fields": {"road": TEXT, "zipCode": {"type": "integer"}}},
    lines={"type": "list", "item": _TIGHT_LINE},
    marks={"type": "list", "item": choice("R")},
    grades={"type": "map", "item": choice("R")},
    routes={"type": "map", "item": _TIGHT_LINE},
    weight={"type": "integer"},
)
SLIM_SHAPE = shape(
    place={"type": "object", "fields": {"road": TEXT}},
    lines={"type": "list", "item": _line()},
    routes={"type": "map", "item": _line()},
    weight={"type": "integer"},
)


VERSIONS["wide"] = (kind_of("Parcel", "post", WideFields), WIDE_SHAPE)
VERSIONS["tight"] = (kind_of("Parcel", "post", TightFields, renamed={"state": "status"}), TIGHT_SHAPE)
VERSIONS["slim"] = (kind_of("Parcel", "post", SlimFields), SLIM_SHAPE)
