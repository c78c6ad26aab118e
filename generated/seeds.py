"""Records to insert once per realm and tenant. Written by the generator; do not edit."""

from generated.record_types import (
    AIRPORT,
    CARRIER,
    COUNTRY,
    CUSTOMER,
    ORDER,
    PORT,
    PRODUCT,
    REGION,
    SHIPMENT,
    SUPPLIER,
)
from runtime.model.seed import Seed
from runtime.system.record_types import IMPORT_PROFILE

SEEDS: tuple[Seed, ...] = (
    Seed(
        COUNTRY,
        1,
        (
            {"refName": "PT", "code": "PT", "name": "Portugal"},
            {"refName": "GB", "code": "GB", "name": "United Kingdom"},
            {"refName": "NL", "code": "NL", "name": "Netherlands"},
            {"refName": "JP", "code": "JP", "name": "Japan"},
        ),
    ),
    Seed(
        AIRPORT,
        1,
        (
            {
                "refName": "LPPT",
                "icao": "LPPT",
                "iata": "LIS",
                "name": "Humberto Delgado Airport",
                "city": "Lisbon",
                "country": "PT",
                "elevationFt": 374,
                "latitude": 38.7813,
                "longitude": -9.13592,
                "timeZone": "Europe/Lisbon",
            },
            {
                "refName": "EGLL",
                "icao": "EGLL",
                "iata": "LHR",
                "name": "London Heathrow Airport",
                "city": "London",
                "country": "GB",
                "elevationFt": 83,
                "latitude": 51.4706,
                "longitude": -0.461941,
                "timeZone": "Europe/London",
            },
            {
                "refName": "EHAM",
                "icao": "EHAM",
                "iata": "AMS",
                "name": "Amsterdam Airport Schiphol",
                "city": "Amsterdam",
                "country": "NL",
                "elevationFt": -11,
                "latitude": 52.308601,
                "longitude": 4.76389,
                "timeZone": "Europe/Amsterdam",
            },
            {
                "refName": "RJTT",
                "icao": "RJTT",
                "iata": "HND",
                "name": "Tokyo Haneda International Airport",
                "city": "Tokyo",
                "country": "JP",
                "elevationFt": 35,
                "latitude": 35.552299,
                "longitude": 139.779999,
                "timeZone": "Asia/Tokyo",
            },
        ),
    ),
    Seed(
        CARRIER,
        1,
        (
            {"refName": "atlantic-air", "name": "Atlantic Air Cargo", "mode": "AIR", "home": "LPPT"},
            {"refName": "delta-road", "name": "Delta Road Freight", "mode": "ROAD"},
        ),
    ),
    Seed(
        CUSTOMER,
        1,
        (
            {
                "refName": "casa-das-flores",
                "name": "Casa das Flores",
                "email": "compras@casadasflores.example",
                "billing": {
                    "street": "Rua Augusta 1",
                    "postalCode": "1100-048",
                    "city": "Lisbon",
                    "country": "PT",
                },
                "credit": "2500.00",
                "since": "2024-05-17",
            },
            {
                "refName": "heath-and-sons",
                "name": "Heath & Sons",
                "email": "orders@heath.example",
                "billing": {"street": "12 Bath Road", "city": "London", "country": "GB"},
            },
        ),
    ),
    Seed(
        PRODUCT,
        1,
        (
            {
                "refName": "TULIP-RED-10",
                "sku": "TULIP-RED-10",
                "name": "Ten red tulips",
                "price": "12.90",
                "weightKg": "0.400",
                "tags": ["flowers", "red"],
            },
            {
                "refName": "ROSE-WHITE-5",
                "sku": "ROSE-WHITE-5",
                "name": "Five white roses",
                "price": "17.50",
                "weightKg": "0.350",
                "tags": ["flowers", "white"],
            },
        ),
    ),
    Seed(
        SHIPMENT,
        1,
        (
            {
                "refName": "S-1001",
                "status": "BOOKED",
                "customer": "casa-das-flores",
                "carrier": "atlantic-air",
                "origin": "EHAM",
                "destination": "LPPT",
                "weightKg": "16.000",
                "departsAt": "2026-12-01T06:30:00.000Z",
                "lines": [{"sku": "TULIP-RED-10", "quantity": 40}],
            },
        ),
    ),
    Seed(
        ORDER,
        1,
        (
            {
                "refName": "O-1001",
                "status": "PENDING",
                "customer": "casa-das-flores",
                "shipments": ["S-1001"],
                "placedAt": "2026-11-20T10:00:00.000Z",
                "items": [{"product": "TULIP-RED-10", "quantity": 40, "price": "12.90"}],
            },
        ),
    ),
    Seed(REGION, 1, ({"refName": "europe", "name": "Europe"},)),
    Seed(
        REGION,
        1,
        (
            {"refName": "iberia", "name": "Iberian Peninsula", "partOf": "europe"},
            {"refName": "low-countries", "name": "Low Countries", "partOf": "europe"},
        ),
    ),
    Seed(
        PORT,
        1,
        (
            {"refName": "PTLIS", "locode": "PTLIS", "name": "Port of Lisbon", "region": "iberia"},
            {"refName": "NLRTM", "locode": "NLRTM", "name": "Port of Rotterdam", "region": "low-countries"},
        ),
    ),
    Seed(SUPPLIER, 1, ({"refName": "tulip-growers", "name": "Tulip Growers", "port": "NLRTM"},)),
    Seed(
        SUPPLIER,
        1,
        ({"refName": "flower-exchange", "name": "Flower Exchange", "suppliers": ["tulip-growers"]},),
    ),
    Seed(
        SUPPLIER,
        1,
        (
            {
                "refName": "lisbon-bouquets",
                "name": "Lisbon Bouquets",
                "port": "PTLIS",
                "suppliers": ["flower-exchange"],
            },
        ),
    ),
    Seed(
        IMPORT_PROFILE,
        1,
        (
            {
                "refName": "legacyShipments",
                "targetType": "logistics.Shipment",
                "displayName": "Bookings of the old freight desk",
                "description": "Files of the old booking system: cells separated by semicolons, decimals with a comma, timestamps in UTC without an offset.",
                "columnMappings": [
                    {
                        "sourceColumn": "BOOKING#",
                        "targetField": "refName",
                        "transformations": {"trim": True, "case": "UPPER"},
                    },
                    {
                        "sourceColumn": "CUSTOMER*",
                        "targetField": "customer",
                        "lookup": {
                            "lookupCollection": "customers",
                            "lookupMatchField": "name",
                            "lookupReturnField": "id",
                            "onNotFound": "FAIL",
                        },
                        "transformations": {"trim": True},
                    },
                    {
                        "sourceColumn": "CARRIER?",
                        "targetField": "carrier",
                        "valueMappings": {"AA": "atlantic-air", "DR": "delta-road"},
                        "unmappedValueBehavior": "FAIL",
                        "lookup": {
                            "lookupCollection": "carriers",
                            "lookupMatchField": "refName",
                            "lookupReturnField": "id",
                            "onNotFound": "FAIL",
                        },
                    },
                    {
                        "sourceColumn": "FROM*",
                        "targetField": "origin",
                        "lookup": {
                            "lookupCollection": "airports",
                            "lookupMatchField": "iata",
                            "lookupReturnField": "id",
                            "onNotFound": "FAIL",
                        },
                        "transformations": {"trim": True, "case": "UPPER"},
                    },
                    {
                        "sourceColumn": "TO*",
                        "targetField": "destination",
                        "lookup": {
                            "lookupCollection": "airports",
                            "lookupMatchField": "iata",
                            "lookupReturnField": "id",
                            "onNotFound": "FAIL",
                        },
                        "transformations": {"trim": True, "case": "UPPER"},
                    },
                    {
                        "sourceColumn": "STATE?",
                        "targetField": "status",
                        "valueMappings": {
                            "booked": "BOOKED",
                            "on the way": "IN_TRANSIT",
                            "arrived": "DELIVERED",
                            "lost": "LOST",
                            "cancelled": "CANCELLED",
                        },
                        "unmappedValueBehavior": "FAIL",
                    },
                    {
                        "sourceColumn": "KG",
                        "targetField": "weightKg",
                        "transformations": {"trim": True, "regex": {"pattern": ",", "replacement": "."}},
                    },
                    {
                        "sourceColumn": "DEPARTURE",
                        "targetField": "departsAt",
                        "transformations": {"dateFormat": "dd.MM.yyyy HH:mm"},
                    },
                    {"sourceColumn": "REMARKS?", "targetField": "notes", "transformations": {"trim": True}},
                ],
                "intentColumn": "ACTION",
                "headerModifiers": True,
                "unmappedColumns": "IGNORE",
            },
        ),
    ),
)
