"""What rules withhold on a new record: the default, never what was sent; only a required field stands."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field

from runtime.model.record import Record, RecordInput, Strict
from runtime.model.record_type import RecordType
from runtime.records.document.withheld import as_if_not_sent


class Terms(Strict):
    days: int
    discount: int | None = None


class OfferInput(RecordInput):
    title: str
    price: int = 10
    note: str | None = None
    terms: Terms | None = None
    tags: list[Terms] = Field(default_factory=list)


OFFER = RecordType(
    name="Offer", area="sales", model=Record, input=OfferInput, collection="offers", base_path="/sales/offers"
)

SENT: dict[str, Any] = {
    "title": "T", "price": 99, "note": "N", "terms": {"days": 3, "discount": 50}, "tags": [{"days": 1}]
}  # fmt: skip


@pytest.mark.parametrize(
    ("withheld", "stands"),
    [
        pytest.param((), {}, id="nothing withheld"),
        pytest.param(("note",), {"note": None}, id="optional: gone"),
        pytest.param(("price",), {"price": 10}, id="with a default: the default"),
        pytest.param(("title",), {}, id="required: stands"),
        pytest.param(("terms",), {"terms": None}, id="a whole object"),
        pytest.param(("terms.discount",), {"terms": {"days": 3}}, id="inside an object"),
        pytest.param(("terms.days",), {}, id="required inside an object"),
        pytest.param(("tags",), {"tags": []}, id="a list"),
        pytest.param(("note", "price", "title"), {"note": None, "price": 10}, id="several"),
        pytest.param(("unknown.path",), {}, id="no field of this type"),
    ],
)
def test_what_stands(withheld: tuple[str, ...], stands: dict[str, Any]) -> None:
    before = repr(SENT)
    expected = {name: value for name, value in (SENT | stands).items() if value is not None}
    assert as_if_not_sent(OFFER, SENT, frozenset(withheld)) == expected
    assert repr(SENT) == before
