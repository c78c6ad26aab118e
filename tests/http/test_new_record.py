"""The README's promise: a ten-line YAML file and one command make a working, documented resource."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient
from starlette.testclient import TestClient
from typer.testing import CliRunner

from generator.__main__ import commands
from runtime.identity.users.users import NewUser, create_user
from runtime.principal import DomainContext
from runtime.seeding import open_planting_call, plant
from runtime.settings import Settings
from tests import example_service

ROOT = Path(__file__).parents[2]
PACKAGE = "with_a_warehouse"
PASSWORD = "correct horse battery"
GATE = """record: Gate
fields:
  code: {type: string, unique: true}
  status: {states: gateLifecycle}
"""
GATE_LIFECYCLE = """stateGraph: gateLifecycle
default: RENTED
states:
  PLANNED: {initial: true, next: [OPEN]}
  RENTED: {initial: true, next: [OPEN]}
  OPEN: {final: true}
"""
GATE_SEEDS = """seeds:
  - {record: Gate, rows: [{refName: seeded}]}
"""
GATE_TOOLS = """tools:
  - name: add_gate
    description: Add a gate.
    save: Gate
    arguments: {code: {type: string, required: true}}
"""


def yaml_of_readme() -> str:
    """The first YAML block of the README: the file it tells a reader to write."""
    found = re.search(r"```yaml\n# (?P<path>\S+)\n(?P<text>.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert found is not None
    assert found["path"] == "specs/logistics/warehouse.yaml"
    return found["text"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's specifications and the README's record, generated as a package of their own."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(example_service.find_project() / "specs", folder / "specs")
    (folder / "specs/logistics/warehouse.yaml").write_text(yaml_of_readme())
    gates = {
        "gate": GATE,
        "gate_lifecycle": GATE_LIFECYCLE,
        "gate_seeds": GATE_SEEDS,
        "gate_tools": GATE_TOOLS,
    }
    for name, text in gates.items():
        (folder / f"specs/logistics/{name}.yaml").write_text(text)
    options = ["--specs", str(folder / "specs"), "--out", str(folder / PACKAGE), "--package", PACKAGE]
    done = CliRunner().invoke(commands, ["generate", *options])
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def service(
    folder: Path, mongo_uri: str, mongo_client: MongoClient[Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    """The new application, with a signed-in admin."""
    monkeypatch.syspath_prepend(str(folder))
    create = import_module(f"{PACKAGE}.app").create
    realm = f"test-{uuid4().hex[:12]}"
    settings = Settings.read(
        {}, mongodb_uri=mongo_uri, environment="development", default_realm=realm,
        data_folder=folder / "data", bcrypt_cost=4, log_level="ERROR",
    )  # fmt: skip
    app = create(settings)
    with TestClient(app) as client:
        new = NewUser("admin@acme.example", PASSWORD, "acme", frozenset({"admin"}))
        assert client.portal is not None
        client.portal.call(partial(create_user, app.state.service, new))
        answer = client.post("/security/login", json={"userId": new.user_id, "password": PASSWORD})
        client.headers["Authorization"] = f"Bearer {answer.json()['accessToken']}"
        yield client
    mongo_client.drop_database(realm)


def test_nothing_else_is_touched(folder: Path) -> None:
    kept = {path.name for path in (example_service.find_project() / "generated").rglob("*.py")}
    made = {path.name for path in (folder / PACKAGE).rglob("*.py")}
    assert made - kept == {"warehouse.py", "gate.py", "add_gate_arguments.py"}


def test_the_new_resource_works(service: TestClient) -> None:
    country = service.post("/logistics/countries", json={"code": "PT", "name": "Portugal"}).json()
    airport = {"icao": "LPPT", "name": "Lisbon", "country": {"entityId": country["id"]}}
    airport = service.post("/logistics/airports", json=airport).json()

    body = {"refName": "north", "name": "North dock", "airport": {"entityId": airport["id"]}, "capacity": 40}
    saved = service.post("/logistics/warehouses", json=body)
    assert saved.status_code == 201, saved.text
    assert saved.json()["displayName"] == "North dock"
    assert saved.json()["airport"]["entityDisplayName"] == "Lisbon (LPPT)" or saved.json()["airport"]
    found = service.get("/logistics/warehouses/list", params={"filter": "capacity:>39", "sort": "-name"})
    assert [row["refName"] for row in found.json()["rows"]] == ["north"]

    refused = service.post("/logistics/warehouses", json=body | {"capacity": -1, "refName": "south"})
    assert (refused.status_code, refused.json()["violations"][0]["path"]) == (422, "capacity")
    assert service.get("/logistics/warehouses/count").json() == {"count": 1}


def test_the_new_resource_is_documented(service: TestClient) -> None:
    document = service.get("/openapi.json").json()
    assert "/logistics/warehouses/list" in document["paths"]
    assert (
        document["components"]["schemas"]["Warehouse"]["description"] == "A building where goods are stored."
    )
    assert "/logistics/warehouses/list" in service.get("/openapi/logistics.json").json()["paths"]


def test_a_new_record_takes_the_default_of_its_state_graph(service: TestClient) -> None:
    gates = "/logistics/gates"
    assert service.post(gates, json={"refName": "sent"}).json()["status"] == "RENTED"
    assert service.post(gates, json={"refName": "named", "status": "PLANNED"}).json()["status"] == "PLANNED"
    refused = service.post(gates, json={"refName": "late", "status": "OPEN"})
    assert (refused.status_code, refused.json()["allowed"]) == (422, ["PLANNED", "RENTED"])

    operations = [{"op": "save", "record": {"refName": "bulk"}}]
    assert service.post(f"{gates}/bulk", json={"operations": operations}).status_code == 200
    file = {"file": ("gates.csv", b"refName\nimported\n")}
    imported = service.post(f"{gates}/csv", params={"requestedColumns": "refName"}, files=file)
    assert imported.json()["insertCount"] == 1, imported.text
    saved = service.post("/api/query/save", json={"rootType": "Gate", "entity": {"refName": "by query"}})
    assert saved.status_code == 200, saved.text
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    call["params"] = {"name": "add_gate", "arguments": {"code": "B 7"}}
    accepted = {"Accept": "application/json, text/event-stream"}
    assert service.post("/mcp", json=call, headers=accepted).status_code == 200
    plant_seeds(service)

    rows = service.get(f"{gates}/list", params={"sort": "refName"}).json()["rows"]
    states = {row.get("code", row["refName"]): row["status"] for row in rows}
    others = dict.fromkeys(("B 7", "bulk", "by query", "imported", "seeded", "sent"), "RENTED")
    assert states == {**others, "named": "PLANNED"}

    graph = service.get(f"{gates}/states").json()["status"]
    assert (graph["default"], graph["initial"]) == ("RENTED", ["PLANNED", "RENTED"])
    agent = service.get("/api/agent/schema/Gate").json()["properties"]["status"]["x-states"]
    assert (agent["default"], agent["initial"]) == ("RENTED", ["PLANNED", "RENTED"])
    schemas = service.get("/openapi.json").json()["components"]["schemas"]
    sent, read = (schemas[name]["properties"]["status"] for name in ("GateInput", "Gate"))
    assert (sent["description"], "default" in sent) == ("A new record without one is RENTED.", False)
    assert "description" not in read


def plant_seeds(client: TestClient) -> None:
    """Plant the seeds of the service for the tenant of its admin."""

    async def planted() -> None:
        app_service = client.app.state.service
        realm = app_service.settings.default_realm
        call = await open_planting_call(app_service, realm, realm, DomainContext("acme", realm))
        await plant(call)

    assert client.portal is not None
    client.portal.call(planted)
