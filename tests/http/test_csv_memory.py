"""Memory does not grow with a file: a served worker takes in 30 MB of CSV, and gives them out again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.http.world import CALLERS, PASSWORD, Document, World
from tests.serving import serving

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="the peak of a process is Linux's"
)

FIRST = 1500
"""Rows that are imported before, three batches: as many as are ever under way."""

ROWS = 6000
CELL = 5000
"""Characters of ``details``, the most that it takes: few rows make a large file."""

MOST_MB = 12
"""Beyond what the first rows took; the file has 30 MB, a batch of 500 rows 2.5."""

COLUMNS = "refName,sku,name,price,details"
BOUNDARY = "rows"


def form(rows: range) -> Iterator[bytes]:
    """An upload, made while it is sent."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\n\r\n'
    yield f"{head}{COLUMNS}\r\n".encode()
    for number in rows:
        yield f"m-{number},SKU-{number:05d},Name {number},{number}.90,{'x' * CELL}\r\n".encode()
    yield f"\r\n--{BOUNDARY}--\r\n".encode()


def imported(client: httpx2.Client, rows: range) -> Document:
    answer = client.post(
        "/logistics/products/csv",
        params={"requestedColumns": COLUMNS},
        headers={"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"},
        content=form(rows),
    )
    assert answer.status_code == 200, answer.text
    found: Document = answer.json()
    return found


def exported(client: httpx2.Client) -> tuple[int, int]:
    """Lines and bytes."""
    lines = size = 0
    query = {"requestedColumns": COLUMNS, "length": "-1"}
    with client.stream("GET", "/logistics/products/csv", params=query) as answer:
        assert answer.status_code == 200
        for piece in answer.iter_bytes():
            lines, size = lines + piece.count(b"\n"), size + len(piece)
    return lines, size


@contextmanager
def growing_at_most(pid: int, most_mb: float) -> Iterator[None]:
    """The largest process below ``pid``, or itself, holds at no moment much more than before."""
    before = {one: kilobytes(one, "VmRSS") for one in tree(pid)}
    for one in before:
        Path(f"/proc/{one}/clear_refs").write_text("5")  # the peak begins anew
    yield
    growth = max(kilobytes(one, "VmHWM") - held for one, held in before.items()) / 1024
    assert growth <= most_mb, f"{growth:.1f} MB"


def kilobytes(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def tree(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        for task in os.listdir(f"/proc/{parent}/task"):
            found += map(int, Path(f"/proc/{parent}/task/{task}/children").read_text().split())
    return found


def test_neither_import_nor_export_holds_a_file(world: World, mongo_uri: str, key_folder: Path) -> None:
    user = {"userId": CALLERS["acme"].user_id, "password": PASSWORD}
    with serving(mongo_uri, world.realm, key_folder) as (process, url):
        token = httpx2.post(f"{url}/security/login", json=user, timeout=60).json()["accessToken"]
        headers = {"Authorization": f"Bearer {token}"}
        with httpx2.Client(base_url=url, headers=headers, timeout=120) as client:
            assert imported(client, range(ROWS, ROWS + FIRST))["insertCount"] == FIRST
            exported(client)
            with growing_at_most(process.pid, MOST_MB):
                assert imported(client, range(ROWS))["insertCount"] == ROWS
            with growing_at_most(process.pid, MOST_MB):
                lines, size = exported(client)
            assert (lines, size > ROWS * CELL) == (ROWS + FIRST, True)
