"""Text → value by type, for filters, CSV cells and the pairs of a partial update."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from hypothesis import given
from hypothesis import strategies as st

from runtime.filter.literal_values import read_variable
from runtime.filter.syntax_literals import Number, ReferenceId, Text
from runtime.filter.unreadable import Unreadable
from runtime.filter.values import read_value
from runtime.model.field_type import FieldType, ValueKind
from tests.filter.sample import OID

K = ValueKind
COLOURS = FieldType(K.STRING, values=("RED", "GREEN"))


@pytest.mark.parametrize(
    ("kind", "literal", "value"),
    [
        pytest.param(K.STRING, "x y", "x y", id="text"),
        pytest.param(K.STRING, Text("", quoted=True), "", id="empty text"),
        pytest.param(K.INTEGER, "-007", -7, id="integer"),
        pytest.param(K.INTEGER, "9223372036854775807", 2**63 - 1, id="largest integer"),
        pytest.param(K.INTEGER, Number("#-5"), -5, id="# integer"),
        pytest.param(K.INTEGER, Number("##1e5"), 100_000, id="## integer"),
        pytest.param(K.INTEGER, Text("0e999999"), 0, id="zero with an exponent"),
        pytest.param(K.INTEGER, Number("##10.0"), 10, id="## whole"),
        pytest.param(K.INTEGER, Text("5.0", quoted=False), 5, id="whole"),
        pytest.param(K.INTEGER, Text("-1e2", quoted=False), -100, id="whole with an exponent"),
        pytest.param(K.NUMBER, "1e3", 1000.0, id="number"),
        pytest.param(K.NUMBER, Number("##-.5"), -0.5, id="## number"),
        pytest.param(K.DECIMAL, "0.10", Decimal128("0.10"), id="decimal keeps its digits"),
        pytest.param(K.DECIMAL, Number("#3"), Decimal128("3"), id="# decimal"),
        pytest.param(K.BOOLEAN, "false", False, id="boolean"),
        pytest.param(K.DATE, "2024-02-29", "2024-02-29", id="leap day"),
        pytest.param(K.DATE, Text("2024-02-29", quoted=True), "2024-02-29", id="quoted date"),
        pytest.param(K.DATETIME, "2026-01-02", datetime(2026, 1, 2, tzinfo=UTC), id="midnight"),
        pytest.param(K.DATETIME, "2026-01-02T03:04Z", datetime(2026, 1, 2, 3, 4, tzinfo=UTC), id="minutes"),
        pytest.param(
            K.DATETIME, "2026-01-02T03:04:05-0130", datetime(2026, 1, 2, 4, 34, 5, tzinfo=UTC), id="-01:30"
        ),
        pytest.param(
            K.DATETIME, "2026-01-02T03:04:05.9+14", datetime(2026, 1, 1, 13, 4, 5, 900_000, UTC), id="+14"
        ),
        pytest.param(K.OBJECT_ID, OID.upper(), ObjectId(OID), id="object id"),
        pytest.param(K.OBJECT_ID, ReferenceId(OID), ObjectId(OID), id="@@ on an id"),
        pytest.param(K.JSON, "true", True, id="free form: boolean"),
        pytest.param(K.JSON, "12", 12, id="free form: integer"),
        pytest.param(K.JSON, "1.5", 1.5, id="free form: number"),
        pytest.param(K.JSON, Number("##2"), 2.0, id="free form: ## is a double"),
        pytest.param(K.JSON, "2026-01-02", "2026-01-02", id="free form: dates are text"),
    ],
)
def test_text_reads_as_value(kind: ValueKind, literal: Any, value: Any) -> None:
    found = read_value(FieldType(kind), literal)
    assert (found, type(found)) == (value, type(value))


NOT_READABLE = {
    K.INTEGER: [
        "",
        " 5",
        "5 ",
        "1_000",
        "5.0",
        "0x10",
        "٣",
        "--5",
        "9" * 5000,
        str(2**63),
        str(-(2**63) - 1),
    ],
    K.NUMBER: ["", "nan", "inf", "1e400", "1,5", "1_0", ".", "e5", "1" * 5000, "0x1p3"],
    K.DECIMAL: ["", "NaN", "Infinity", "1e7000", "1." + "1" * 34, "1e999999999"],
    K.BOOLEAN: ["", "True", "1", "yes", "TRUE"],
    K.DATE: ["", "2026-2-1", "2026-02-30", "0000-01-01", "2026-01-02T00:00Z", "20260102", "２０２６-01-02"],
    K.DATETIME: [
        *("", "now", "2026-02-30", "2026-01-02T10:00", "2026-01-02T24:00Z", "2026-01-02T10:60Z"),
        *("2026-01-02T10:00:60Z", "2026-01-02T10:00+24:00", "2026-01-02T10:00+01:60", "1767322800"),
        *("0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00", "2026-01-02 10:00Z", "2026-01-02T10Z"),
    ],
    K.OBJECT_ID: ["", "x" * 24, OID[:-1], OID + "0", f"@@{OID}"],
    K.OBJECT: ["x"],
    K.MAP: ["x"],
    K.LIST: ["x"],
}


@pytest.mark.parametrize(("kind", "texts"), NOT_READABLE.items())
def test_anything_else_is_unreadable_and_says_what_is_right(kind: ValueKind, texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(Unreadable) as caught:
            read_value(FieldType(kind), text)
        assert caught.value.expected
        assert caught.value.example


@pytest.mark.parametrize("text", ["5.5", "1e-1", "1e19", "1e400", "5.0x"])
def test_a_fraction_is_no_integer(text: str) -> None:
    with pytest.raises(Unreadable, match="an integer"):
        read_value(FieldType(K.INTEGER), Text(text, quoted=False))


@pytest.mark.parametrize(("text", "example"), [("GREN", "GREEN"), ("xyz", "RED"), ("red", "RED")])
def test_an_enumerated_value_names_the_nearest(text: str, example: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_value(COLOURS, text)
    assert (caught.value.expected, caught.value.example) == ("one of RED, GREEN", example)


@pytest.mark.parametrize("kind", [K.INTEGER, K.NUMBER, K.DECIMAL, K.BOOLEAN])
def test_quoted_text_is_no_number(kind: ValueKind) -> None:
    with pytest.raises(Unreadable, match="written without quotes"):
        read_value(FieldType(kind), Text("1", quoted=True))


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_64_bit_integer_reads_as_itself(number: int) -> None:
    assert read_value(FieldType(K.INTEGER), str(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_reads_as_itself(number: float) -> None:
    assert read_value(FieldType(K.NUMBER), repr(number)) == number


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**20), max_value=10**20))
def test_every_decimal_reads_as_itself(number: Decimal) -> None:
    assert read_value(FieldType(K.DECIMAL), str(number)).to_decimal() == number


ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=ZONES))
def test_every_moment_reads_as_itself_in_milliseconds(moment: datetime) -> None:
    found = read_value(FieldType(K.DATETIME), moment.isoformat())
    assert found == moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert found.tzinfo is UTC


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (K.STRING, "u1", "u1"),
        (K.INTEGER, 5, 5),
        (K.BOOLEAN, True, True),
        (K.DECIMAL, Decimal("1.5"), Decimal128("1.5")),
        (K.OBJECT_ID, OID, ObjectId(OID)),
        (K.DATETIME, datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)),
        (K.JSON, 5, 5),
        (K.JSON, "5", "5"),
    ],
)
def test_a_variable_reads_by_the_field(kind: ValueKind, given: Any, value: Any) -> None:
    assert read_variable(FieldType(kind), given) == value


@given(st.sampled_from(list(ValueKind)), st.text(max_size=40))
def test_any_text_is_a_value_or_unreadable(kind: ValueKind, text: str) -> None:
    with contextlib.suppress(Unreadable):
        read_value(FieldType(kind), text)
