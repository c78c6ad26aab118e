"""The example's data sets: countries, and the airports of the package ``airportsdata``.

Rows are records of ``specs/logistics``; a reference is given by the refName of what it refers to, in a
member of its own (``Dataset.references``), and resolved to an id by the importer.
"""

import zoneinfo
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from runtime.cli.output import CommandFailed, ExitCode
from runtime.cli.rows import Row, Source


@dataclass(frozen=True, slots=True)
class Dataset:
    """``references``: field → type it refers to. ``needs``: data sets to import before."""

    record_type: str
    source: Source
    references: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()


DATASETS = ("airports", "countries")


def load_dataset(name: str) -> Dataset:
    """Load a data set by its name in ``DATASETS``."""
    if name == "countries":
        countries = list(_list_countries())
        return Dataset("Country", Source(name, len(countries), lambda: countries))
    airports = [_convert_airport(row) for row in _import_package().load("ICAO").values()]
    return Dataset(
        "Airport", Source(name, len(airports), lambda: airports), {"country": "Country"}, ("countries",)
    )


def _import_package() -> Any:
    try:
        return import_module("airportsdata")
    except ImportError as error:
        message = "the package airportsdata is not installed: it comes with recordsmith[example]"
        raise CommandFailed("import.dataset", message, ExitCode.USAGE) from error


def _convert_airport(row: Mapping[str, Any]) -> Row:
    """Convert the package's columns to ours. Empty ones are left out; feet are integers."""
    record = {
        "refName": row["icao"],
        "icao": row["icao"],
        "iata": row["iata"],
        "name": row["name"],
        "city": row["city"],
        "subdivision": row["subd"],
        "country": row["country"],
        "elevationFt": round(row["elevation"]),
        "latitude": row["lat"],
        "longitude": row["lon"],
        "timeZone": row["tz"],
    }
    return {name: value for name, value in record.items() if value != ""}


def _list_countries() -> Iterable[Row]:
    """List the countries of ISO 3166-1 and all that have an airport; a code replaces a missing name."""
    names = _read_country_names()
    codes = {row["country"] for row in _import_package().load("ICAO").values()} | names.keys()
    for code in sorted(codes):
        yield {"refName": code, "code": code, "name": names.get(code, code)}


def _read_country_names() -> dict[str, str]:
    """Read the names from the table of the system's time zones; Kosovo has no code in it."""
    names = {"XK": "Kosovo"}
    for folder in map(Path, zoneinfo.TZPATH):
        table = folder / "iso3166.tab"
        if table.is_file():
            lines = (line.split("\t") for line in table.read_text("utf-8").splitlines() if line[:1] != "#")
            return names | {row[0]: row[1] for row in lines}
    return names
