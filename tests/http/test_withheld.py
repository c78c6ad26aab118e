"""Fields that rules withhold: no door tells them, nor what is derived from them.

Rules are read for every request here (``auth.rule-cache-seconds`` 0); each test takes its rules away again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from pymongo import MongoClient

from tests.http.test_permission_rules import ruled
from tests.http.world import Document, World, open_world

PRODUCTS = "/logistics/products"


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], key_folder: Path) -> Iterator[World]:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, rule_cache_seconds=0) as opened:
        yield opened


def withholding(domain: str, *fields: str, **members: Any) -> Document:
    """A rule that hides fields of a record type from users."""
    header = {"identity": "user", "area": "logistics", "functionalDomain": domain}
    return {
        "name": f"withhold {domain}", "effect": "ALLOW", "priority": 50, "hiddenFields": list(fields),
        "securityURI": {"header": header},
    } | members  # fmt: skip


class TestTextSearch:
    TEXT = 'text("tulips")'

    @pytest.mark.parametrize(
        "request_line",
        [
            f"GET {PRODUCTS}/list?filter=" + quote(TEXT),
            f"GET {PRODUCTS}/count?filter=" + quote(TEXT),
            f"GET {PRODUCTS}/entityref?filter=" + quote(TEXT),
            f"GET {PRODUCTS}/csv?requestedColumns=refName&filter=" + quote(TEXT),
            f"GET {PRODUCTS}/list?filter=" + quote(f"refName:~ && {TEXT}"),
        ],
    )
    def test_does_not_look_into_what_is_withheld(self, world: World, request_line: str) -> None:
        assert world.ask(request_line, "acme-user").status_code == 200
        with ruled(world, withholding("product", "details")):
            answer = world.ask(request_line, "acme-user")
            assert answer.status_code == 400
            assert "details" not in answer.text
            assert world.ask(request_line, "acme").status_code == 200, "others may search"

    def test_nor_does_a_body(self, world: World) -> None:
        with ruled(world, withholding("product", "details")):
            for request, body in (
                (f"POST {PRODUCTS}/find", {"filter": self.TEXT}),
                (f"PUT {PRODUCTS}/bulk/set", {"filter": self.TEXT, "values": {"name": "x"}}),
            ):
                answer = world.ask(request, "acme-user", json=body)
                assert (answer.status_code, answer.json()["code"]) == (400, "field.unknown")
                assert "details" not in answer.text
