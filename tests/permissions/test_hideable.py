"""Which fields a rule may hide: a table over one record type."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.model.record import EntityReference, Record, RecordInput, Strict
from runtime.model.record_type import RecordType
from runtime.permissions.hideable import hiding_problem


class Address(Strict):
    street: str | None = None
    zip: str | None = None


class Line(Strict):
    sku: str | None = None


class ParcelInput(RecordInput):
    label: str | None = None
    weight: int | None = None
    summary: str | None = None
    secret: str | None = None
    address: Address | None = None
    lines: list[Line] | None = None
    names: dict[str, str] | None = None
    extra: Any = None
    target: EntityReference | None = None


PARCEL = RecordType(
    name="Parcel", area="logistics", domain="parcel", model=Record, input=ParcelInput,
    collection="parcels", base_path="/logistics/parcels", hidden=frozenset({"secret"}),
    display="{label}, {address.street}", calculated={"summary": "{weight} kg"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "said"),
    [
        pytest.param("lines", None, id="a list as a whole"),
        pytest.param("names", None, id="a map as a whole"),
        pytest.param("extra", None, id="a free-form field as a whole"),
        pytest.param("target", None, id="a reference as a whole"),
        pytest.param("address.zip", None, id="a part of an object"),
        pytest.param("summary", None, id="a calculated field"),
        pytest.param("weight", None, id="a field that a calculated one is made of"),
        pytest.param("label", None, id="a field of the display name"),
        pytest.param("address", None, id="an object, a part of which is in the display name"),
        pytest.param("lines.sku", "hide lines as a whole", id="a part of a list"),
        pytest.param("names.de", "hide names as a whole", id="a part of a map"),
        pytest.param("extra.a.b", "hide extra as a whole", id="a part of a free-form field"),
        pytest.param("target.entityRefName", "hide target as a whole", id="a part of a reference"),
        pytest.param("wieght", "did you mean weight?", id="a misspelt field"),
        pytest.param("address.zipp", "did you mean zip?", id="a misspelt part"),
        pytest.param("secret", "no field secret", id="what the type hides is unknown"),
        pytest.param("", "no field", id="nothing"),
        pytest.param("$where", "no field", id="an operator"),
        pytest.param("dataDomain.ownerId", "every record", id="a part of a common field"),
        pytest.param("_id", "no field", id="the id as it is stored"),
    ],
)
def test_what_can_be_hidden(path: str, said: str | None) -> None:
    found = hiding_problem(PARCEL, path)
    assert found is None if said is None else said in (found or "")


@pytest.mark.parametrize("name", sorted(info.alias or name for name, info in Record.model_fields.items()))
def test_no_field_of_every_record_can_be_hidden(name: str) -> None:
    assert "every record" in (hiding_problem(PARCEL, name) or "")
