"""Examples of the gateway: those of all its bodies are about one record type, whatever the project has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.folders import SYSTEM_SPECS
from generator.load import load
from generator.openapi import document, tool_schemas
from generator.resolve import resolve


def list_gateway_examples(document: dict[str, Any]) -> dict[str, Any]:
    """The example of each body of the gateway, by its path."""
    return {
        path: operations["post"]["requestBody"]["content"]["application/json"]["example"]
        for path, operations in document["paths"].items()
        if path.startswith("/api/query/")
        and "post" in operations
        and "example" in operations["post"]["requestBody"]["content"]["application/json"]
    }


PLAIN = """
record: {name}
roles: [{roles}]
endpoints: [{endpoints}]
fields:
  title: {{type: string, required: true, example: "Lamp, tall"}}
  size: {{enum: [S, M]}}
  maker: {{reference: {name}}}
"""
EVERY = "list, save, delete, import"


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        pytest.param((EVERY, "user, admin"), (EVERY, "user, admin"), "Lamp", id="the first"),
        pytest.param(("", "user, admin"), ("list", "user, admin"), "Shade", id="the first with routes"),
        pytest.param(("list", "user, admin"), (EVERY, "user, admin"), "Shade", id="the first that can be written"),
        pytest.param((EVERY, "clerk"), (EVERY, "user, admin"), "Shade", id="the first of the usual roles"),
    ],
)  # fmt: skip
def test_the_examples_of_the_gateway_are_about_one_record_type(
    tmp_path: Path, first: tuple[str, str], second: tuple[str, str], shown: str
) -> None:
    files = {
        f"shop/{name.lower()}.yaml": PLAIN.format(name=name, endpoints=endpoints, roles=roles)
        for name, (endpoints, roles) in {"Lamp": first, "Shade": second}.items()
    }
    files["service.yaml"] = "title: Shop\nversion: 1.0.0\nroles: [clerk]\nareas: {shop: A shop.}\n"
    (tmp_path / "shop").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    model = resolve(load(tmp_path, SYSTEM_SPECS))
    found = document(model)
    examples = list_gateway_examples(found)
    assert {one["rootType"] for one in examples.values() if "rootType" in one} == {f"shop.{shown}"}
    assert "logistics" not in json.dumps([examples, found["paths"]["/api/query/rootTypes"]])
    everything = json.dumps(found)
    assert not [
        word for word in ("logistics", "Airport", "Shipment", "shipment", "Carrier") if word in everything
    ]
    name = f"{shown.upper()}-1"
    assert examples["/api/query/save"]["entity"] == {"refName": name, "title": "Lamp, tall"}
    analysis = examples["/api/query/import/analyze"]
    assert (analysis["columns"], analysis["csv"]) == (
        ["refName", "title"], f'refName,title\n{name},"Lamp, tall"\n',
    )  # fmt: skip
    assert examples["/api/query/plan"]["query"] == "refName:A* && expand(maker)"
    assert examples["/api/query/aggregate"]["groupBy"][0] == "size"
    assert "predicate" not in examples["/api/query/relationships"]  # the project has none
    assert examples["/api/query/export"]["columns"] == ["refName", "displayName"]
    assert "logistics" not in json.dumps([tool.arguments for tool in tool_schemas(model).values()])
