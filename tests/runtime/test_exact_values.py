"""Decimals and dates as bodies carry them: what is written is what is kept, or it is refused."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, TypeAdapter, ValidationError

from runtime.model.record import ExactDecimal, LocalDate, Moment, Strict


class Priced(Strict):
    price: Annotated[Decimal | None, Field(ge=0), ExactDecimal()] = None
    at: Moment | None = None
    day: LocalDate | None = None
    paid: Annotated[Decimal | None, Field(multiple_of=0.01), ExactDecimal()] = None
    prices: list[Annotated[Decimal, ExactDecimal()]] | None = None


TAKEN = {
    "a decimal as text": ('{"price": "12.50"}', "price", Decimal("12.50")),
    "a decimal as a number": ('{"price": 12.5}', "price", Decimal("12.5")),
    "a decimal as a whole number": ('{"price": 12}', "price", Decimal(12)),
    "fifteen digits as a number": ('{"price": 123456789012.345}', "price", Decimal("123456789012.345")),
    "a great round number": ('{"price": 1e20}', "price", Decimal("1e20")),
    "many digits as text": (
        '{"price": "1234567890123456789.01"}',
        "price",
        Decimal("1234567890123456789.01"),
    ),
    "a long whole number": ('{"price": 123456789012345678901}', "price", Decimal("123456789012345678901")),
    "a multiple of 34 digits": (f'{{"paid": "{"9" * 34}"}}', "paid", Decimal("9" * 34)),
    "a multiple behind the point": (
        f'{{"paid": "{"9" * 27}.99"}}',
        "paid",
        Decimal("9" * 27 + ".99"),
    ),
    "null": ('{"price": null, "at": null, "day": null}', "price", None),
    "a date": ('{"day": "2026-03-27"}', "day", date(2026, 3, 27)),
    "a list of decimals": ('{"prices": ["1.10", 2]}', "prices", [Decimal("1.10"), Decimal(2)]),
}


@pytest.mark.parametrize(("body", "name", "kept"), TAKEN.values(), ids=TAKEN)
def test_what_is_written_is_kept(body: str, name: str, kept: object) -> None:
    assert getattr(Priced.model_validate_json(body), name) == kept


@pytest.mark.parametrize("text", ["2026-03-27T04:12:14.118Z", "2026-03-27T05:12:14.118+01:00"])
def test_a_moment_is_kept_whatever_its_zone(text: str) -> None:
    at = Priced.model_validate_json(f'{{"at": "{text}"}}').at
    assert at is not None
    assert at.timestamp() == 1774584734.118


REFUSED = {
    "a rounded number": '{"price": 12345678901234567.5}',
    "a rounded number in a list": '{"prices": [0.12345678901234567]}',
    "true": '{"price": true}',
    "a number in words": '{"price": "ten"}',
    "no number": '{"price": "NaN"}',
    "an endless number": '{"price": "Infinity"}',
    "blanks": '{"price": " 5 "}',
    "an exponent in text": '{"price": "1e5"}',
    "an underscore": '{"price": "1_000"}',
    "digits of another script": '{"price": "٣"}',
    "an empty text": '{"price": ""}',
    "a sign alone": '{"price": "-"}',
    "a negative price": '{"price": "-1"}',
    "no multiple": '{"paid": "1.234"}',
    "no multiple, in many digits": f'{{"paid": "{"9" * 27}.991"}}',
    "a list": '{"price": ["1"]}',
    "seconds since 1970": '{"at": 5}',
    "seconds since 1970 in text": '{"at": "5"}',
    "a moment without zone": '{"at": "2026-03-27T04:12:14"}',
    "a date for a moment": '{"at": "2026-03-27"}',
    "a moment that never was": '{"at": "2026-02-30T00:00:00Z"}',
    "a moment for a date": '{"day": "2026-03-27T00:00:00"}',
    "a day that never was": '{"day": "2026-02-30"}',
    "a number for a date": '{"day": 20260327}',
    "digits of another script in a date": '{"day": "٢٠٢٦-03-27"}',
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_what_could_not_be_kept_is_refused(body: str) -> None:
    with pytest.raises(ValidationError):
        Priced.model_validate_json(body)


@given(st.decimals(0, 10**18, places=4))
def test_text_is_kept_to_the_last_digit(value: Decimal) -> None:
    assert Priced.model_validate_json(f'{{"price": "{value:f}"}}').price == value


@given(st.floats(0, 1e18))
def test_a_number_is_kept_as_written_or_refused(value: float) -> None:
    body = f'{{"price": {value!r}}}'
    if len(Decimal(repr(value)).normalize().as_tuple().digits) <= 15:
        assert Priced.model_validate_json(body).price == Decimal(repr(value))
    else:
        with pytest.raises(ValidationError, match="send it as text"):
            Priced.model_validate_json(body)


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        pytest.param("2026-03-27T04:12:14Z", "2026-03-27T04:12:14.000Z", id="whole seconds"),
        pytest.param("2026-03-27T04:12:14.118Z", "2026-03-27T04:12:14.118Z", id="milliseconds"),
        pytest.param("2026-03-27T04:12:14.118999Z", "2026-03-27T04:12:14.118Z", id="microseconds"),
        pytest.param("2026-03-27T01:12:14+05:30", "2026-03-26T19:42:14.000Z", id="another zone"),
    ],
)
def test_a_moment_is_told_as_records_have_it(sent: str, told: str) -> None:
    assert TypeAdapter(Moment).dump_json(datetime.fromisoformat(sent)).decode() == f'"{told}"'


def test_a_moment_has_one_schema_both_ways() -> None:
    ways = [
        TypeAdapter(Moment).json_schema(mode="validation"),
        TypeAdapter(Moment).json_schema(mode="serialization"),
    ]
    assert ways == [{"type": "string", "format": "date-time"}] * 2
