"""Finding the references of a document: the walk along dotted paths, through lists."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from runtime.model.catalog import Catalog
from runtime.model.record_type import Reference
from runtime.records.references import _entries, _fill_references, entries, refuse_missing

from .conftest import SUPPLIER, WIDGET, Document

CATALOG = Catalog((SUPPLIER, WIDGET))
A, B, C = ({"entityId": letter * 24} for letter in "abc")


@pytest.mark.parametrize(
    ("path", "document", "found"),
    [
        pytest.param("supplier", {"supplier": A}, [("supplier", A)], id="at the top"),
        pytest.param("supplier", {}, [], id="absent"),
        pytest.param("supplier", {"supplier": None}, [], id="null"),
        pytest.param(
            "origin.airport", {"origin": {"airport": A}}, [("origin.airport", A)], id="in an object"
        ),
        pytest.param("origin.airport", {"origin": {}}, [], id="absent in an object"),
        pytest.param("origin.airport", {}, [], id="absent object"),
        pytest.param(
            "suppliers[]",
            {"suppliers": [A, B]},
            [("suppliers[0]", A), ("suppliers[1]", B)],
            id="list of them",
        ),
        pytest.param("suppliers[]", {"suppliers": []}, [], id="empty list"),
        pytest.param(
            "lines[].product",
            {"lines": [{"product": A}, {"sku": "x"}, {"product": B}]},
            [("lines[0].product", A), ("lines[2].product", B)],
            id="in a list, one absent",
        ),
        pytest.param(
            "stages[].lines[].product",
            {"stages": [{"lines": [{"product": A}]}, {}, {"lines": [{"product": B}, {"product": C}]}]},
            [
                ("stages[0].lines[0].product", A),
                ("stages[2].lines[0].product", B),
                ("stages[2].lines[1].product", C),
            ],
            id="in a list in a list",
        ),
        pytest.param(
            "deal.items[].origin.airport",
            {"deal": {"items": [{"origin": {"airport": A}}]}},
            [("deal.items[0].origin.airport", A)],
            id="mixed",
        ),
    ],
)
def test_a_path_leads_to_every_reference(
    path: str, document: Document, found: list[tuple[str, Document]]
) -> None:
    assert list(entries(Reference(path, "Supplier"), document)) == found


def test_the_entries_of_a_document_come_with_their_target() -> None:
    document = {"supplier": A, "lines": [{"sku": "x", "product": B}]}
    assert list(_entries(WIDGET, document)) == [
        ("Supplier", "supplier", A),
        ("Widget", "lines[0].product", B),
    ]
    assert list(_entries(replace(WIDGET, references=()), document)) == []


ROW = {"refName": "S-1", "displayName": "Smith & Sons"}


class TestFill:
    @staticmethod
    def fill(document: Document, found: dict[tuple[str, str], Document]) -> Any:
        kind = replace(WIDGET, references=(Reference("supplier", "Supplier"), Reference("maker", "Supplier")))
        return _fill_references(CATALOG, kind, document, found)

    def test_type_and_names_are_those_of_the_stored_record(self) -> None:
        document = {"supplier": {**A, "entityType": "Airport", "entityDisplayName": "forged"}}

        assert self.fill(document, {("Supplier", "a" * 24): ROW}) == []

        assert document["supplier"] == A | {
            "entityType": "Supplier",
            "entityRefName": "S-1",
            "entityDisplayName": "Smith & Sons",
        }

    def test_every_missing_one_is_named(self) -> None:
        refusal = refuse_missing(
            self.fill({"supplier": dict(A), "maker": dict(B)}, {("Widget", "a" * 24): ROW})
        )

        assert [violation["path"] for violation in refusal.details["violations"]] == ["supplier", "maker"]
        assert refusal.message.startswith(f"supplier: no Supplier has the id {'a' * 24}; maker: ")

    def test_many_missing_ones_are_capped(self) -> None:
        kind = replace(WIDGET, references=(Reference("lines[].product", "Widget"),))
        document = {"lines": [{"product": {"entityId": f"{at:024x}"}} for at in range(1000)]}

        refusal = refuse_missing(_fill_references(CATALOG, kind, document, {}))

        assert len(refusal.details["violations"]) == 100
        assert refusal.message.count("no Widget") == 5
