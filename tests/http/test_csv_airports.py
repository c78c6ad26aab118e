"""The airports of the world, exported and imported as they are: nothing changes.

``AIRPORTS=30000`` takes them all (a minute); the suite takes some of them.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import httpx2
import pytest

from generated.record_types import CATALOG
from runtime.cli.airports import load_dataset
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.record import ADDED_ON_READING
from tests.http.world import PATHS, Document, World

MOST = int(os.environ.get("AIRPORTS", "500"))
AIRPORTS = PATHS["Airport"]
KIND = CATALOG["Airport"]
FIELDS = (
    *("refName", "icao", "iata", "name", "city", "subdivision", "country.entityRefName", "elevationFt"),
    *("latitude", "longitude", "timeZone"),
)


@pytest.fixture(scope="module")
def number(world: World) -> int:
    """How many there are now; some keep an empty text where others keep nothing."""
    countries, airports = (load_dataset(name).source for name in ("countries", "airports"))
    told = imported(world, PATHS["Country"], ("refName", "code", "name"), countries.rows())
    assert (told["insertCount"], told["failedCount"]) == (countries.count, 0)
    some = islice(airports.rows(), 0, None, max(1, airports.count // MOST))
    told = imported(
        world, AIRPORTS, FIELDS, ({**row, "country.entityRefName": row["country"]} for row in some)
    )
    assert told["failedCount"] == 0, told["rows"][:3]
    absent = {"city": {"$exists": False}, "latitude": {"$gt": 0}}
    assert world.documents["airports"].update_many(absent, {"$set": {"city": ""}}).modified_count > 0
    return int(told["insertCount"])


def imported(world: World, path: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> Document:
    """The answer of a direct import."""
    out = io.StringIO(newline="")
    table = csv.writer(out)
    table.writerow(columns)
    table.writerows([row.get(name, "") for name in columns] for row in rows)
    told: Document = sent(world, f"{path}/csv", ",".join(columns), out.getvalue().encode()).json()
    return told


def sent(world: World, path: str, columns: str, content: bytes, **query: str) -> httpx2.Response:
    answer = world.ask(
        f"POST {path}", params={"requestedColumns": columns, **query},
        files={"file": ("airports.csv", content, "text/csv")},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    return answer


NO_COLUMNS = KIND.hidden | ADDED_ON_READING


def leaves(fields: Mapping[str, FieldType], prefix: str = "") -> list[str]:
    """Every column that a single value may have; lists and maps are one cell each."""
    found: list[str] = []
    for name, kind in fields.items():
        path = f"{prefix}{name}"
        inner = leaves(kind.fields, f"{path}.") if kind.kind is ValueKind.OBJECT else []
        found += [] if path in NO_COLUMNS else inner or [path]
    return found


SPREADSHEET = {
    "charsetEncoding": "UTF-16-with-BOM",
    "fieldSeparator": ";",
    "quotingStrategy": "QUOTE_ALL_COLUMNS",
}


@pytest.mark.parametrize(
    ("columns", "dialect"),
    [(leaves(KIND.fields), {}), ([name for name in KIND.fields if name not in NO_COLUMNS], SPREADSHEET)],
    ids=["a column for each value", "a column for each field, as a spreadsheet writes it"],
)
def test_what_was_exported_changes_nothing(
    world: World, number: int, columns: list[str], dialect: dict[str, str]
) -> None:
    before = world.snapshot()
    names = ",".join(columns)
    query = {"requestedColumns": names, "length": "-1", "prependHeaderRow": "true", **dialect}
    content = world.ask(f"GET {AIRPORTS}/csv", params=query).content
    found = sent(world, f"{AIRPORTS}/csv/session", names, content, **dialect).json()
    told = {
        name: found[name] for name in ("totalRows", "insertCount", "updateCount", "skipCount", "errorRows")
    }
    assert told == {
        "totalRows": number, "insertCount": 0, "updateCount": 0, "skipCount": number, "errorRows": 0,
    }, [row for row in found["rows"] if row["errors"] or row["intent"] != "SKIP"][:3]  # fmt: skip
    answer = world.ask(f"POST {AIRPORTS}/csv/session/{found['sessionId']}/commit")
    done = {"sessionId": found["sessionId"], "inserted": 0, "updated": 0, "skipped": number, "failed": 0}
    assert answer.json() == done
    assert world.snapshot() == before


def test_a_change_beside_an_empty_text_leaves_it(world: World, number: int) -> None:
    """Neither does a row that changes something else make it a null."""
    assert number
    kept = world.documents["airports"].find_one({"city": ""})
    assert kept is not None
    columns = "refName,city,subdivision"
    content = f"{columns}\r\n{kept['refName']},,Elsewhere\r\n".encode()
    assert sent(world, f"{AIRPORTS}/csv", columns, content).json()["updateCount"] == 1
    now = world.documents["airports"].find_one({"_id": kept["_id"]})
    assert now is not None
    assert (now["city"], now["subdivision"], now["version"]) == ("", "Elsewhere", kept["version"] + 1)
