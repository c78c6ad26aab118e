"""What is said of a row that cannot be stored: code, field, value and, where one is near, a suggestion."""

from __future__ import annotations

import pytest

from tests.http.world import NOWHERE, Document, World

AIRPORT = "refName,icao,name,country.entityRefName,elevationFt,latitude,activeStatus"
PRODUCT = "refName,sku,name,price,tags"
SHIPMENT = "refName,customer.entityRefName,origin.entityRefName,destination.entityRefName,status,departsAt"
CUSTOMER = "refName,name,email,since,billing"
BY_ID = "refName,customer.entityRefName,origin.entityRefName,destination.entityId,departsAt,lines[0].sku,lines[0].quantity"


@pytest.fixture(scope="module")
def made(world: World) -> World:
    """The records that rows refer to, and some that are in their way."""
    country = {"entityId": world.make("Country", refName="PT", code="PT")["id"]}
    world.make("Airport", refName="LPPT", icao="LPPT", country=country)
    world.make("Customer", refName="casa")
    world.make("Shipment", refName="sent", status="BOOKED")
    world.make("Customer", "acme-north", refName="northern")
    world.make("Customer", "globex", refName="abroad")
    return world


def imported(world: World, kind: str, columns: str, row: str, caller: str = "acme") -> Document:
    """The first error of the one row."""
    found: Document = errors_of(world, kind, columns, row, caller)[0]
    return found


def errors_of(world: World, kind: str, columns: str, row: str, caller: str = "acme") -> list[Document]:
    """The errors of the one row."""
    answer = world.ask(
        f"POST /logistics/{kind}/csv", caller, params={"requestedColumns": columns, "fieldSeparator": "|"},
        files={"file": ("rows.csv", f"header\n{row}\n".encode(), "text/csv")},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    (report,) = answer.json()["rows"]
    found: list[Document] = report["errors"]
    return found


@pytest.mark.parametrize(
    ("kind", "columns", "row", "code", "field", "suggestion"),
    [
        ("airports", AIRPORT, "A|A1|Field|PT|high|1|", "PARSE", "elevationFt", None),
        ("airports", AIRPORT, "A|A1|Field|PT|1.5|1|", "PARSE", "elevationFt", None),
        ("airports", AIRPORT, "A|A1|Field|PT|99999999999999999999|1|", "PARSE", "elevationFt", None),
        ("airports", AIRPORT, "A|A1|Field|PT|1|north|", "PARSE", "latitude", None),
        ("airports", AIRPORT, "A|A1|Field|PT|1|1|ACTIV", "PARSE", "activeStatus", "ACTIVE"),
        ("airports", AIRPORT, "A|A1|Field|PT|1", "PARSE", None, None),
        ("airports", AIRPORT, "A|A1|Field|PT|1|1|ACTIVE|more", "PARSE", None, None),
        ("airports", AIRPORT, "A|A1|Field|PT|99999|1|", "VALIDATION", "elevationFt", None),
        ("airports", AIRPORT, "A|A1|Field|PT|1|91|", "VALIDATION", "latitude", None),
        ("airports", AIRPORT, "A|a b|Field|PT|1|1|", "VALIDATION", "icao", None),
        ("airports", AIRPORT, "A|A1||PT|1|1|", "VALIDATION", "name", None),
        ("airports", AIRPORT, "A|A1|Field||1|1|", "VALIDATION", "country", None),
        ("airports", AIRPORT, "A|A1|Field|PTT|1|1|", "REFERENCE", "country", "PT"),
        ("airports", AIRPORT, f"{'A' * 201}|A1|Field|PT|1|1|", "VALIDATION", "refName", None),
        ("airports", AIRPORT, "A|LPPT|Field|PT|1|1|", "DUPLICATE", "icao", None),
        ("products", PRODUCT, "P|SKU-1|Tulips|cheap|", "PARSE", "price", None),
        ("products", PRODUCT, 'P|SKU-1|Tulips|"12,90"|', "PARSE", "price", "12.90"),
        ("customers", CUSTOMER, "C|Casa|a@b|31.12.2025|", "PARSE", "since", "2025-12-31"),
        ("products", PRODUCT, "P|SKU-1|Tulips|-1|", "VALIDATION", "price", None),
        ("products", PRODUCT, "P|SKU-1|Tulips|1|red", "PARSE", "tags", None),
        ("products", PRODUCT, 'P|SKU-1|Tulips|1|"[""red"",""red""]"', "VALIDATION", "tags", None),
        ("shipments", SHIPMENT, "S|casa|LPPT|LPPT|DELIVERED|", "STATE", "status", None),
        ("shipments", SHIPMENT, "sent|casa|LPPT|LPPT|DELIVERED|", "STATE", "status", None),
        ("shipments", SHIPMENT, "S|nobody|LPPT|LPPT||", "REFERENCE", "customer", None),
        ("shipments", SHIPMENT, "S|casa|LPPT|LPPT||2026-01-02T10:00", "PARSE", "departsAt", "2026-01-02T10:00Z"),
        ("customers", CUSTOMER, "C|Casa|nowhere|2024-05-17|", "VALIDATION", "email", None),
        ("customers", CUSTOMER, "C|Casa|a@b|2024-02-30|", "PARSE", "since", None),
        ("customers", CUSTOMER, "C|Casa|a@b||{city", "PARSE", "billing", None),
        ("customers", CUSTOMER, 'C|Casa|a@b||"{""city"": 99999999999999999999}"', "PARSE", "billing", None),
        ("customers", CUSTOMER, 'C|Casa|a@b||"{""city"":""Lisbon""}"', "VALIDATION", "billing.street", None),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_row(
    made: World, kind: str, columns: str, row: str, code: str, field: str | None, suggestion: str | None
) -> None:
    before = made.snapshot()
    error = imported(made, kind, columns, row)
    assert (error["code"], error.get("field")) == (code, field), error
    assert error["message"]
    assert error.get("suggestion") == suggestion
    assert made.snapshot() == before


@pytest.mark.parametrize(
    ("kind", "columns", "row", "expected"),
    [
        ("airports", AIRPORT, "A|a b|Field|PTT|high|91|", "PARSE elevationFt, REFERENCE country, VALIDATION icao latitude"),
        ("airports", AIRPORT, "A|A1|Field|PTT|high|1|", "PARSE elevationFt, REFERENCE country"),
        ("airports", AIRPORT, "A|A1||PT|high|1|", "PARSE elevationFt, VALIDATION name"),
        ("airports", AIRPORT, "LPPT|LPPT||PTT|high|1|", "PARSE elevationFt, REFERENCE country, VALIDATION name"),
        ("airports", AIRPORT, "|a b|Field|PTT|1|1|", "REFERENCE country, VALIDATION icao"),
        ("airports", AIRPORT, "A|a b|Field|PT|1", "PARSE -"),
        ("products", PRODUCT, "P|SKU-1|Tulips|cheap|red", "PARSE price tags"),
        ("products", PRODUCT, 'P|SKU-1|Tulips|cheap|"[""red"",""red""]"', "PARSE price, VALIDATION tags"),
        ("shipments", SHIPMENT, "S|casa|LPP|LPPT|DELIVERED|noon", "PARSE departsAt, REFERENCE origin, STATE status"),
        ("shipments", SHIPMENT, "S||LPPT|LPPT|DELIVERED|", "REFERENCE customer, STATE status"),
        ("shipments", SHIPMENT, "sent|nobody|LPPT|LPPT|DELIVERED|noon", "PARSE departsAt, REFERENCE customer, STATE status"),
        ("shipments", SHIPMENT, "S|casa|LPPT|LPPT|GONE|noon", "PARSE status departsAt"),
        ("shipments", f"{SHIPMENT},weightKg", "S|casa|LPPT|LPPT|DELIVERED||0", "STATE status, VALIDATION weightKg"),
        ("shipments", f"{SHIPMENT},weightKg", "S|casa|LPPT|LPPT|||heavy", "PARSE weightKg"),
        ("shipments", "refName,customer.entityRefName", "S|nobody", "REFERENCE customer, VALIDATION origin destination"),
        ("shipments", "refName,departsAt,weightKg", "sent|noon|0", "PARSE departsAt, VALIDATION weightKg"),
        ("shipments", f"{SHIPMENT},lines[0].sku,lines[0].quantity", "S|none|LPPT|LPPT||noon|A|many", "PARSE departsAt lines[0].quantity, REFERENCE customer"),
        ("customers", CUSTOMER, "C|Casa|nowhere|soon|{city", "PARSE since billing, VALIDATION email"),
        ("customers", CUSTOMER, 'C|Casa|a@b|soon|"{""city"":""Lisbon""}"', "PARSE since, VALIDATION billing.street billing.country"),
        ("customers", CUSTOMER, 'C||a|soon|"{""zip"":1}"', "PARSE since, VALIDATION billing.zip name email"),
        ("shipments", BY_ID, f"S|casa|LPPT|{NOWHERE}|noon|A|1", "PARSE departsAt, REFERENCE destination"),
        ("shipments", BY_ID, f"sent|casa|LPP|{NOWHERE}||A|0", "REFERENCE origin destination, VALIDATION lines[0].quantity"),
        ("shipments", f"{SHIPMENT},lines[0].sku,lines[0].quantity", "S||LPPT|LPPT|||A|0", "REFERENCE customer, VALIDATION lines[0].quantity"),
    ],
)  # fmt: skip
def test_all_that_is_wrong_with_a_row_at_once(
    made: World, kind: str, columns: str, row: str, expected: str
) -> None:
    before = made.snapshot()
    found: dict[str, list[str]] = {}
    for error in errors_of(made, kind, columns, row):
        found.setdefault(error["code"], []).append(error.get("field", "-"))
    assert ", ".join(f"{code} {' '.join(fields)}" for code, fields in found.items()) == expected
    assert made.snapshot() == before


def test_a_name_that_is_taken_where_the_caller_cannot_see_it(made: World) -> None:
    error = imported(made, "customers", "refName,name", "northern|Mine", "acme-south")
    assert (error["code"], error["field"], error["value"]) == ("DUPLICATE", "refName", "northern")


def test_a_record_for_somebody_else(made: World) -> None:
    columns = "refName,name,dataDomain.tenantId"
    error = imported(made, "customers", columns, "theirs|Mine|globex", "acme-user")
    assert (error["code"], error["field"], error["value"]) == ("SCOPE", "dataDomain", "globex")


@pytest.mark.parametrize("name", ["", "Mine|"], ids=["a required column is missing", "all columns are there"])
def test_a_row_for_another_tenant_does_not_show_what_is_there(made: World, name: str) -> None:
    columns = f"refName,{'name,' if name else ''}dataDomain.tenantId"
    errors = [
        imported(made, "customers", columns, f"{ref_name}|{name}globex", "acme-user")
        for ref_name in ("abroad", "nowhere")
    ]
    assert errors[0] == errors[1]
    assert errors[0]["code"] == ("SCOPE" if name else "VALIDATION")


def test_a_reference_without_its_name_says_which_column_it_takes(made: World) -> None:
    columns = AIRPORT.replace("country.entityRefName", "country")
    error = imported(made, "airports", columns, "A|A1|Field|PT|1|1|")
    assert (error["code"], error["field"], error["value"]) == ("PARSE", "country", "PT")
    assert error["message"] == "country is a reference: ask for the column country.entityRefName instead"
    error = imported(made, "orders", "refName,shipments", "O|sent")
    assert error["message"] == "shipments is a list of references: ask for shipments[0].entityRefName instead"


def test_a_file_in_windows_1252(made: World) -> None:
    answer = made.ask(
        "POST /logistics/customers/csv",
        params={"requestedColumns": "refName,name", "charsetEncoding": "windows-1252"},
        files={"file": ("rows.csv", "refName,name\ncp,São – €5\n".encode("cp1252"), "text/csv")},
    )
    assert answer.json()["insertCount"] == 1, answer.text
    assert made.ask("GET /logistics/customers/refName/cp").json()["name"] == "São – €5"
