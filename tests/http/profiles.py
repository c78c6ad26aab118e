"""Import profiles, files that are read by them, and what is said of their rows."""

from __future__ import annotations

import csv
from io import StringIO
from itertools import count
from typing import Any

import httpx2

from generated.record_types import CATALOG
from tests.http.world import PATHS, Document, World

PROFILES = "/integration/import-profiles"
_numbers = count(1)


def column(source: str, target: str, **members: Any) -> Document:
    return {"sourceColumn": source, "targetField": target, **members}


def made(of: str, *columns: Document, **members: Any) -> Document:
    """A profile of a record type, not saved yet."""
    return {"targetType": f"logistics.{of}", "columnMappings": list(columns), **members}


def saved(world: World, of: str, *columns: Document, caller: str = "acme", **members: Any) -> str:
    """The refName of a new profile."""
    name = f"profile-{next(_numbers)}"
    answer = world.ask(f"POST {PROFILES}", caller, json=made(of, *columns, **({"refName": name} | members)))
    assert answer.status_code == 201, answer.text
    return str(answer.json()["refName"])


def text_of(header: str, *rows: str) -> str:
    """A CSV file of lines whose cells have ``|`` between them."""
    written = StringIO()
    csv.writer(written).writerows(line.split("|") for line in (header, *rows))
    return written.getvalue()


def sent(
    world: World, of: str, profile: str, *lines: str, caller: str | None = "acme", **query: str
) -> httpx2.Response:
    """The answer to a file."""
    content = text_of(*lines) if lines else ""
    return world.ask(
        f"POST {PATHS[of]}/csv/session/profile", caller, params={"profileRefName": profile, **query},
        files={"file": ("rows.csv", content.encode(), "text/csv")},
    )  # fmt: skip


def analysed(
    world: World, of: str, profile: str, *lines: str, caller: str = "acme", **query: str
) -> Document:
    """What the analysis of a file found."""
    answer = sent(world, of, profile, *lines, caller=caller, **query)
    assert answer.status_code == 200, answer.text
    body: Document = answer.json()
    return body


def asked(world: World, of: str, session: Document, below: str, caller: str = "acme") -> httpx2.Response:
    """``asked(world, "Carrier", session, "GET rows")``"""
    method, _, rest = below.partition(" ")
    return world.ask(f"{method} {PATHS[of]}/csv/session/{session['sessionId']}/{rest}".rstrip("/"), caller)


def committed(world: World, of: str, session: Document, caller: str = "acme") -> tuple[int, ...]:
    """Inserted, updated, skipped, failed."""
    answer = asked(world, of, session, "POST commit", caller)
    assert answer.status_code == 200, answer.text
    return tuple(answer.json()[name] for name in ("inserted", "updated", "skipped", "failed"))


def imported(world: World, of: str, profile: str, *lines: str, caller: str = "acme") -> tuple[int, ...]:
    """A file analysed and committed."""
    return committed(world, of, analysed(world, of, profile, *lines, caller=caller), caller)


def counts(session: Document) -> tuple[int, ...]:
    """The same of an analysis."""
    return tuple(session[name] for name in ("insertCount", "updateCount", "skipCount", "errorRows"))


def list_findings(session: Document) -> list[tuple[int, str, str | None, str | None]]:
    """Row, code, column and value of every finding."""
    return [
        (row["rowNumber"], error["code"], error.get("column"), error.get("value"))
        for row in session["rows"]
        for error in row["errors"]
    ]


def stored(world: World, of: str, ref_name: str) -> Document:
    """The record of acme, as it is in the store."""
    known = {"refName": ref_name, "dataDomain.tenantId": "acme"}
    found = world.documents[CATALOG[of].collection].find_one(known)
    assert found is not None
    return found
