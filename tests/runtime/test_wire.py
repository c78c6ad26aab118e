"""Stored documents → JSON, checked input → documents: tables of hard values, and a round trip of any.

Whatever ``to_document`` makes, BSON can keep: every document made here is encoded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal, DecimalException
from typing import Any

import bson
import orjson
import pytest
from bson import Decimal128, Int64, ObjectId
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.errors import RequestError, ValidationFailed
from runtime.model.problems import validate_body
from runtime.storage.codec import encode_document
from runtime.storage.wire import (
    Json,
    create_id,
    etag,
    record_json,
    render_rows,
    to_json,
    to_wire,
    without,
)

from .conftest import MOMENT, WIDGET, Document, WidgetInput, stored_widget

ID = "65f0a1b2c3d4e5f60718293a"
INT64_MAX = 2**63 - 1


def document_of(body: bytes | Mapping[str, Any]) -> Document:
    """A body as it would be stored, after a trip through BSON."""
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    return bson.decode(bson.encode(encode_document(WIDGET, validate_body(WidgetInput, raw))))


PLAIN = r"-?[0-9]{1,17}(\.[0-9]{1,17})?"


def _is_kept(number: Decimal) -> bool:
    """Whether 34 digits and the exponents of decimal128 are enough."""
    with suppress(DecimalException):
        return Decimal128(number).to_decimal() == number
    return False


class TestToJson:
    @pytest.mark.parametrize(
        ("stored", "shown"),
        [
            pytest.param(ObjectId(ID), f'"{ID}"', id="object id"),
            pytest.param(MOMENT, '"2026-03-27T04:12:14.118Z"', id="date-time"),
            pytest.param(datetime(2026, 1, 2), '"2026-01-02T00:00:00.000Z"', id="midnight"),
            pytest.param(datetime(1, 1, 1), '"0001-01-01T00:00:00.000Z"', id="first year"),
            pytest.param(
                datetime(9999, 12, 31, 23, 59, 59, 999000), '"9999-12-31T23:59:59.999Z"', id="last moment"
            ),
            pytest.param(
                datetime(2026, 3, 27, 6, 12, tzinfo=timezone(timedelta(hours=2))),
                '"2026-03-27T04:12:00.000Z"',
                id="date-time with zone",
            ),
            pytest.param(date(2026, 3, 27), '"2026-03-27"', id="date"),
            pytest.param(Decimal128("1.50"), '"1.50"', id="decimal keeps its zeros"),
            pytest.param(Decimal128("1E+3"), '"1000"', id="decimal without exponent"),
            pytest.param(Decimal128("1E-8"), '"0.00000001"', id="small decimal"),
            pytest.param(Decimal128("-0"), '"-0"', id="negative zero"),
            pytest.param(Decimal("2.50"), '"2.50"', id="decimal of Python"),
            pytest.param(Int64(INT64_MAX), str(INT64_MAX), id="greatest integer"),
            pytest.param(-(2**63), str(-(2**63)), id="least integer"),
            pytest.param(0.1, "0.1", id="number"),
            pytest.param(1.0, "1.0", id="number that is whole"),
            pytest.param(None, "null", id="null"),
            pytest.param({"b", "a"}, '["a","b"]', id="set, sorted"),
            pytest.param({"": 1, "a.b": [ObjectId(ID)]}, f'{{"":1,"a.b":["{ID}"]}}', id="nested"),
            pytest.param('a"\0\u2028é', '"a\\"\\u0000\u2028é"', id="text"),
        ],
    )
    def test_a_stored_value_is_written_as_on_the_wire(self, stored: Any, shown: str) -> None:
        assert to_json(stored).decode() == shown

    def test_the_greatest_decimal_is_written_out(self) -> None:
        greatest = Decimal128("9.999999999999999999999999999999999E+6144")
        assert orjson.loads(to_json(greatest)) == "9" * 34 + "0" * 6111

    @given(
        st.decimals(allow_nan=False, allow_infinity=False).filter(_is_kept)
        | st.from_regex(PLAIN, fullmatch=True)
    )
    def test_a_decimal_is_written_as_python_would(self, number: Decimal | str) -> None:
        stored = Decimal128(number)
        assert orjson.loads(to_json(stored)) == f"{stored.to_decimal():f}"

    @given(st.datetimes())
    def test_a_moment_is_written_as_python_would(self, moment: datetime) -> None:
        assert orjson.loads(to_json(moment)) == moment.isoformat(timespec="milliseconds") + "Z"

    def test_what_has_no_json_form_is_a_fault_of_ours(self) -> None:
        with pytest.raises(TypeError):
            to_json({"value": object()})

    def test_id_comes_first_in_place_of_the_stored_one(self) -> None:
        stored = {"refName": "x", "_id": ObjectId(ID)}

        assert list(to_wire(stored).items()) == [("id", ObjectId(ID)), ("refName", "x")]
        assert list(stored) == ["refName", "_id"]
        assert render_rows([stored, stored]) == [to_wire(stored)] * 2

    def test_a_record_comes_with_its_entity_tag(self) -> None:
        stored = stored_widget(version=7)

        answer = record_json(WIDGET, stored, status=201, headers={"Location": "/x"})

        assert isinstance(answer, Json)
        assert (answer.status, answer.headers) == (201, {"ETag": '"7"', "Location": "/x"})
        assert orjson.loads(answer.body)["id"] == str(stored["_id"])
        assert etag(stored) == '"7"'

    def test_a_projected_record_without_version_has_no_tag(self) -> None:
        assert record_json(WIDGET, {"_id": create_id()}).headers == {}


DOCUMENT: Document = {"a": 1, "b": {"c": 2, "d": {"e": 3}}, "f": [{"g": 4, "h": 5}, {"h": 6}]}


class TestWithout:
    @pytest.mark.parametrize(
        ("paths", "left"),
        [
            ([], DOCUMENT),
            (["a"], {"b": {"c": 2, "d": {"e": 3}}, "f": [{"g": 4, "h": 5}, {"h": 6}]}),
            (["b.c", "b.d.e"], {"a": 1, "b": {"d": {}}, "f": [{"g": 4, "h": 5}, {"h": 6}]}),
            (["b", "b.c"], {"a": 1, "f": [{"g": 4, "h": 5}, {"h": 6}]}),
            (["f.h"], {"a": 1, "b": {"c": 2, "d": {"e": 3}}, "f": [{"g": 4}, {}]}),
            (["x", "a.b", "b.x.y", "f.g.z"], DOCUMENT),
        ],
        ids=str,
    )
    def test_only_what_is_named_goes(self, paths: list[str], left: Document) -> None:
        before = orjson.dumps(DOCUMENT)

        assert without(DOCUMENT, paths) == left
        assert orjson.dumps(DOCUMENT) == before

    def test_lists_of_other_things_stay(self) -> None:
        mixed = {"f": ["text", 1, None, {"g": 1, "h": 2}]}
        assert without(mixed, ["f.g"]) == {"f": ["text", 1, None, {"h": 2}]}


class TestToDocument:
    @pytest.mark.parametrize(
        ("sent", "stored"),
        [
            pytest.param({"id": ID}, {"_id": ObjectId(ID)}, id="id"),
            pytest.param({"ownerKey": ID}, {"ownerKey": ObjectId(ID)}, id="object id"),
            pytest.param(
                {"supplier": {"entityId": ID}}, {"supplier": {"entityId": ObjectId(ID)}}, id="reference"
            ),
            pytest.param(
                {"lines": [{"sku": "A"}, {"sku": "B", "product": {"entityId": ID}}]},
                {"lines": [{"sku": "A"}, {"sku": "B", "product": {"entityId": ObjectId(ID)}}]},
                id="reference in a list",
            ),
            pytest.param({"madeOn": "2026-03-27"}, {"madeOn": "2026-03-27"}, id="date"),
            pytest.param({"madeOn": "0001-01-01"}, {"madeOn": "0001-01-01"}, id="first day"),
            pytest.param(
                {"seenAt": "2026-03-27T04:12:14.118999Z"}, {"seenAt": MOMENT}, id="microseconds are cut off"
            ),
            pytest.param({"seenAt": "2026-03-27T09:42:14.118+05:30"}, {"seenAt": MOMENT}, id="another zone"),
            pytest.param(
                {"lines": [{"sku": "A", "due": "2026-03-27T04:12:14.118Z"}]},
                {"lines": [{"sku": "A", "due": MOMENT}]},
                id="date-time in a list",
            ),
            pytest.param({"seenAt": "0001-01-01T00:00:00Z"}, {"seenAt": datetime(1, 1, 1)}, id="year 1"),
            pytest.param(
                {"seenAt": "9999-12-31T23:59:59.9999Z"},
                {"seenAt": datetime(9999, 12, 31, 23, 59, 59, 999000)},
                id="year 9999",
            ),
            pytest.param({"price": "1.50"}, {"price": Decimal128("1.50")}, id="decimal as text"),
            pytest.param({"price": 1.5}, {"price": Decimal128("1.5")}, id="decimal as number"),
            pytest.param({"price": "1" * 34}, {"price": Decimal128("1" * 34)}, id="34 digits"),
            pytest.param(
                {"price": "1" + "0" * 40}, {"price": Decimal128("1" + "0" * 40)}, id="41 digits, 40 of them 0"
            ),
            pytest.param({"price": "1E+6144"}, {"price": Decimal128("1E+6144")}, id="greatest exponent"),
            pytest.param({"price": "1E-6176"}, {"price": Decimal128("1E-6176")}, id="least exponent"),
            pytest.param(
                {"prices": {"EUR": "1.10", "a b": "2"}},
                {"prices": {"EUR": Decimal128("1.10"), "a b": Decimal128("2")}},
                id="map of decimals",
            ),
            pytest.param(
                {"profile": {"secretMargin": "0.25"}},
                {"profile": {"secretMargin": Decimal128("0.25")}},
                id="hidden decimal inside an object",
            ),
            pytest.param({"count": INT64_MAX}, {"count": INT64_MAX}, id="greatest integer"),
            pytest.param({"count": -(2**63)}, {"count": -(2**63)}, id="least integer"),
            pytest.param({"extra": None, "title": None}, {}, id="null is absent"),
            pytest.param({"profile": {"title": None}}, {"profile": {}}, id="null inside an object"),
            pytest.param(
                {"extra": {"a": None, "b": [None, 1, 1.0, "x", True, {}]}},
                {"extra": {"a": None, "b": [None, 1, 1.0, "x", True, {}]}},
                id="null inside free-form JSON stays",
            ),
            pytest.param({"extra": "a\0b"}, {"extra": "a\0b"}, id="NUL inside a text"),
            pytest.param({"title": "\ufffe\U0010ffff"}, {"title": "\ufffe\U0010ffff"}, id="any character"),
            pytest.param(
                {"extra": {"a$": 1}}, {"extra": {"a$": 1}}, id="a dollar behind the first character"
            ),
            pytest.param(
                {"extra": "$refName", "title": "$$ROOT"},
                {"extra": "$refName", "title": "$$ROOT"},
                id="$ text",
            ),
        ],
    )
    def test_input_as_it_is_stored(self, sent: Document, stored: Document) -> None:
        assert document_of(sent) == stored

    @pytest.mark.parametrize(
        ("body", "path", "said"),
        [
            pytest.param({"price": "1" * 35}, "price", "34 digits", id="35 digits"),
            pytest.param({"price": "1." + "1" * 34}, "price", "34 digits", id="35 digits with a point"),
            pytest.param({"price": "1E+6145"}, "price", "34 digits", id="exponent too great"),
            pytest.param({"price": "1E-6177"}, "price", "34 digits", id="exponent too small"),
            pytest.param({"price": "1E+999999999"}, "price", "34 digits", id="exponent beyond measure"),
            pytest.param({"price": "NaN"}, "price", "finite", id="decimal NaN"),
            pytest.param({"price": "Infinity"}, "price", "finite", id="decimal infinity"),
            pytest.param({"prices": {"EUR": "1" * 35}}, "prices.EUR", "34 digits", id="in a map"),
            pytest.param(b'{"ratio": NaN}', "ratio", "finite", id="number NaN"),
            pytest.param(b'{"ratio": -Infinity}', "ratio", "finite", id="number infinity"),
            pytest.param(b'{"ratio": 1e400}', "ratio", "finite", id="number beyond a double"),
            pytest.param(b'{"extra": NaN}', "extra", "finite", id="free-form NaN"),
            pytest.param(b'{"extra": {"a": [1, Infinity]}}', "extra.a[1]", "finite", id="nested infinity"),
            pytest.param(b'{"extra": 1e400}', "extra", "finite", id="free-form beyond a double"),
            pytest.param({"count": 2**63}, "count", "64 bits", id="integer too great"),
            pytest.param(b'{"count": -9223372036854775809}', "count", "64 bits", id="integer too small"),
            pytest.param(b'{"extra": [18446744073709551616]}', "extra[0]", "64 bits", id="free-form integer"),
            pytest.param(
                {"seenAt": "0001-01-01T00:00:00+14:00"}, "seenAt", "year", id="before year 1 in UTC"
            ),
            pytest.param(
                {"seenAt": "9999-12-31T23:59:59-00:01"}, "seenAt", "year", id="after year 9999 in UTC"
            ),
            pytest.param({"extra": {"$gt": 1}}, "extra", "$gt", id="free-form key with a dollar"),
            pytest.param({"extra": {"a": [{"$": 1}]}}, "extra.a[0]", '"$"', id="nested key with a dollar"),
            pytest.param({"extra": {"a.b": 1}}, "extra", "a.b", id="key with a dot"),
            pytest.param({"extra": {"a\0b": 1}}, "extra", "NUL", id="key with NUL"),
            pytest.param({"extra": {"": 1}}, "extra", "empty", id="empty key"),
            pytest.param({"prices": {"$set": "1"}}, "prices", "$set", id="map key with a dollar"),
            pytest.param({"prices": {"a.b": "1"}}, "prices", "a.b", id="map key with a dot"),
            pytest.param({"prices": {"": "1"}}, "prices", "empty", id="empty map key"),
            pytest.param({"prices": {"\0": "1"}}, "prices", "NUL", id="map key with NUL"),
        ],
    )
    def test_what_cannot_be_stored_is_a_violation(self, body: Any, path: str, said: str) -> None:
        with pytest.raises(ValidationFailed) as caught:
            document_of(body)

        (violation,) = caught.value.details["violations"]
        assert violation["path"] == path
        assert said in violation["message"]

    @pytest.mark.parametrize("inside", [b"", b"1", b'"x"', b"null"])
    @pytest.mark.parametrize(("before", "after"), [(b"[", b"]"), (b'{"a":', b"}")], ids=["lists", "objects"])
    def test_free_form_json_may_be_nested_32_deep(self, inside: bytes, before: bytes, after: bytes) -> None:
        core = inside if inside or before == b"[" else b"{}"
        levels = 32 if core is inside else 31

        assert document_of(b'{"extra":' + before * levels + core + after * levels + b"}")
        with pytest.raises(ValidationFailed, match="deeper than 32"):
            document_of(b'{"extra":' + before * (levels + 1) + core + after * (levels + 1) + b"}")

    def test_a_long_key_does_not_come_back_whole(self) -> None:
        with pytest.raises(ValidationFailed) as caught:
            document_of({"extra": {"k" * 100_000: {"$" + "x" * 100_000: 1}}})

        assert len(to_json(caught.value.details)) + len(caught.value.message) < 2000

    def test_the_record_itself_is_not_changed(self) -> None:
        record = validate_body(WidgetInput, orjson.dumps({"id": ID, "extra": {"a": 1}, "prices": {"x": "1"}}))
        before = record.model_copy(deep=True)

        encode_document(WIDGET, record)

        assert record == before

    def test_every_id_is_new(self) -> None:
        assert len({create_id() for _ in range(1000)}) == 1000


# Any valid body, and what a reader gets back for it.

_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
_KEY = _TEXT.filter(lambda name: name and name[0] != "$" and "." not in name and "\0" not in name)
_INT64 = st.integers(-(2**63), INT64_MAX)
_DOUBLE = st.floats(allow_nan=False, allow_infinity=False)
_HEX = st.binary(min_size=12, max_size=12).map(bytes.hex)
_DECIMAL = st.builds(
    lambda digits, exponent, sign: Decimal((sign, tuple(map(int, str(digits))), exponent)),
    st.integers(0, 10**34 - 1),
    st.integers(-60, 60),
    st.integers(0, 1),
)
_JSON = st.recursive(
    st.none() | st.booleans() | _INT64 | _DOUBLE | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEY, inner, max_size=3),
    max_leaves=12,
)
_MOMENT = st.datetimes(
    datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC) | st.just(timezone(timedelta(hours=5)))
)
_REFERENCE = st.fixed_dictionaries({"entityId": _HEX}, optional={"entityRefName": _TEXT})
_BODY = st.fixed_dictionaries(
    {},
    optional={
        "title": _TEXT,
        "count": _INT64,
        "ratio": _DOUBLE,
        "price": _DECIMAL.map(str),
        "active": st.booleans(),
        "madeOn": st.dates().map(date.isoformat),
        "seenAt": _MOMENT.map(datetime.isoformat),
        "ownerKey": _HEX,
        "extra": _JSON,
        "tags": st.lists(_TEXT, max_size=3),
        "prices": st.dictionaries(_KEY, _DECIMAL.map(str), max_size=3),
        "supplier": _REFERENCE,
        "lines": st.lists(
            st.fixed_dictionaries(
                {"sku": _TEXT}, optional={"quantity": st.integers(1, 99), "product": _REFERENCE}
            ),
            max_size=3,
        ),
    },
)


def _normal(name: str, value: Any) -> Any:
    """What a reader gets for a sent value."""
    if name in ("price", "prices"):
        plain = {
            key: f"{Decimal(text):f}" for key, text in (value if name == "prices" else {"": value}).items()
        }
        return plain if name == "prices" else plain[""]
    if name == "seenAt":
        moment = datetime.fromisoformat(value).astimezone(UTC).replace(tzinfo=None)
        cut = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
        return cut.isoformat(timespec="milliseconds") + "Z"
    return value


@given(body=_BODY)
@settings(max_examples=300)
def test_what_is_sent_is_what_is_read(body: Document) -> None:
    expected = {name: _normal(name, value) for name, value in body.items() if value is not None}

    read = orjson.loads(to_json(document_of(body)))

    assert read == expected


_ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from([*WIDGET.fields, "x"]), _ANY_JSON | _HEX | _DECIMAL.map(str), max_size=4)
)
@settings(max_examples=300)
def test_any_json_is_stored_or_refused_as_a_request_error(body: Document) -> None:
    raw = json.dumps(body).encode()  # with NaN, Infinity and lone surrogates as escapes

    with suppress(RequestError):
        document = document_of(raw)
        assert all(math.isfinite(value) for value in document.values() if isinstance(value, float))
        assert to_json(document)
