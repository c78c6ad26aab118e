"""Random bins as the store keeps them: with every type of field, and all that is hard to tell in a cell."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bson import Decimal128, ObjectId
from hypothesis import strategies as st

from tests.transfer.stock import ROOMS, Document

SIGNS = ",;\t|\"'\r\n\ufeff\ufffe\0 é€😀=+-@＝＋－＠\u2028\x85\x1c"
ASCII_SIGNS = ",;\t|\"'\r\n\0 =+-@"

FLAT = (
    "refName,displayName,title,code,count,ratio,price,active,seenAt,day,ownerKey,shelf.entityRefName,"
    "size.unit,size.height,tags,labels,extra"
)
"""Every type of field, lists and maps as JSON."""

WHOLE = (
    "refName,size,parts,dynamicAttributes.all.text,dynamicAttributes.all.number,dynamicAttributes.all.choices"
)
"""Objects as JSON, and dynamic attributes, whose type is that of what is stored."""

BY_ITEM = "refName,title,parts[0].sku,parts[0].note,parts[0].quantity,parts[0].shelf.entityRefName"
TAG_BY_TAG = "tags[0],refName"
BY_PART_OF_ITEM = "refName,parts[0].sku"
BY_REFERENCE_OF_ITEM = "parts[0].note,parts[0].shelf.entityRefName,refName"
PARTS = "refName,parts"


def texts(signs: str, codec: str, **size: int) -> st.SearchStrategy[str]:
    """Texts of a character set, most of them of what needs quotes or a guard."""
    return st.text(st.one_of(st.sampled_from(signs), st.characters(codec=codec)), **{"max_size": 8, **size})


@st.composite
def bins(draw: st.DrawFn, shelves: dict[str, ObjectId], signs: str, codec: str) -> list[Document]:
    """Some bins whose refNames and codes differ, with these shelves by refName."""
    text = texts(signs, codec)
    names = draw(st.lists(texts(signs, codec, min_size=1), max_size=4, unique=True))
    return [
        {"refName": name, "displayName": name, **_present(draw, _fields(draw, text, shelves, at))}
        for at, name in enumerate(names)
    ]


def _present(draw: st.DrawFn, fields: Document) -> Document:
    """Without those that are missing: a null is stored now and then."""
    return {name: value for name, value in fields.items() if value is not None or draw(st.booleans())}


def _fields(draw: st.DrawFn, text: st.SearchStrategy[str], shelves: dict[str, ObjectId], at: int) -> Document:
    parts = st.fixed_dictionaries(
        {}, optional={"sku": text, "note": text, "quantity": whole, "shelf": reference(shelves)}
    )
    attributes = st.fixed_dictionaries(
        {},
        optional={
            "text": st.fixed_dictionaries({"type": st.just("String")}, optional={"value": text}),
            "number": st.fixed_dictionaries({"type": st.just("Double"), "value": double}),
            "choices": st.fixed_dictionaries({"type": st.just("MultiSelect"), "value": st.lists(text)}),
        },
    )
    told = {
        "title": text, "count": whole, "ratio": double, "price": decimal, "active": st.booleans(),
        "seenAt": moment, "day": st.dates().map(str), "ownerKey": object_id, "shelf": reference(shelves),
        "size": st.fixed_dictionaries({}, optional={"unit": text, "height": double}),
        "tags": st.lists(text, max_size=3), "parts": st.lists(parts, max_size=3),
        "labels": st.dictionaries(name, text, max_size=2), "extra": json(text),
        "dynamicAttributes": st.fixed_dictionaries({}, optional={"all": attributes}),
    }  # fmt: skip
    fields = {field: draw(st.none() | values) for field, values in told.items()}
    return fields | {"code": draw(st.sampled_from([f"C-{at}", f"={at}"]))}


whole = st.integers(-(2**63), 2**63 - 1)
double = st.floats(allow_nan=False, allow_infinity=False)
decimal = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**20), max_value=10**20).map(
    Decimal128
) | st.sampled_from([Decimal128("1E+3"), Decimal128("0E-7"), Decimal128("-0"), Decimal128("12.90")])  # fmt: skip
object_id = st.binary(min_size=12, max_size=12).map(ObjectId)
moment = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).map(
    lambda one: one.replace(microsecond=one.microsecond // 1000 * 1000)
)
name = st.text("abcXYZ_", min_size=1, max_size=5)


def reference(shelves: dict[str, ObjectId]) -> st.SearchStrategy[Document]:
    """A reference with its copies."""
    return st.sampled_from(ROOMS).map(
        lambda room: {"entityId": shelves[room], "entityRefName": room, "entityDisplayName": room}
    )


def json(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Free-form values."""
    plain = st.none() | st.booleans() | whole | double | text
    return st.recursive(
        plain, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(name, inner, max_size=2)
    )
