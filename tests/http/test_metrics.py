"""``/metrics``: what is counted, under which labels, and who may read it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pymongo import MongoClient

from tests.http.world import PASSWORD, Document, World, open_world
from tests.lanes import TAKES_LANE
from tests.patience import wait_until

TOKEN = "a token of sixteen or more"
CARRIERS = "/logistics/carriers"
NAME = "Atlantic Air Cargo"

pytestmark = pytest.mark.settings(metrics_token=TOKEN)


def read(world: World) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    """Sample → labels → value."""
    answer = world.ask("GET /metrics", None, headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert answer.headers["cache-control"] == "no-store"
    found: dict[str, dict[tuple[tuple[str, str], ...], float]] = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sorted(sample.labels.items()))] = sample.value
    return found


def value(world: World, name: str, **labels: str) -> float:
    return read(world).get(f"recordsmith_{name}", {}).get(tuple(sorted(labels.items())), 0.0)


def test_requests_are_counted_by_the_template_of_their_route(world: World) -> None:
    carrier = world.make("Carrier")
    route = {"method": "GET", "route": f"{CARRIERS}/id/{{id}}"}
    before = value(world, "requests_total", status="200", **route)
    for _time in range(3):
        world.read("Carrier", carrier)
    world.ask(f"GET {CARRIERS}/id/{'0' * 24}")
    assert value(world, "requests_total", status="200", **route) == before + 3
    assert value(world, "requests_total", status="404", **route) == 1
    assert value(world, "request_seconds_count", **route) == before + 4


@pytest.mark.parametrize("path", ["/live", "/ready", "/docs", "/openapi.json", "/openapi/{area}.json"])
def test_pages_are_counted_by_their_path(world: World, path: str) -> None:
    status = str(world.ask(f"GET {path.format(area='logistics')}", None).status_code)
    assert value(world, "requests_total", method="GET", route=path, status=status) >= 1


def test_store_commands_gate_connections_and_lag_are_measured(world: World) -> None:
    finds = value(world, "store_command_seconds_count", command="find")
    inserts = value(world, "store_command_seconds_count", command="insert")
    world.make("Carrier")
    world.ask(f"GET {CARRIERS}/list")
    assert value(world, "store_command_seconds_count", command="find") > finds
    assert value(world, "store_command_seconds_count", command="insert") > inserts
    world.make("Country", code="MM", name="One")
    assert world.ask("POST /logistics/countries", json={"code": "MM", "name": "Two"}).status_code == 409
    assert sum(read(world)["recordsmith_store_command_failures_total"].values()) >= 1
    if TAKES_LANE:  # the driver alone does not say
        wait_until(lambda: value(world, "store_connections", state="idle") > 0)
    assert value(world, "admission_limit") >= 4
    assert value(world, "admission_requests", state="waiting") == 0
    wait_until(lambda: value(world, "event_loop_lag_seconds_count") > 0)


def test_rows_of_imports_are_counted_by_what_became_of_them(world: World) -> None:
    def counts() -> dict[str, float]:
        names = ("inserted", "updated", "skipped", "failed")
        return {name: value(world, "import_rows_total", outcome=name) for name in names}

    before = counts()
    file = b"refName,name,mode\nrow-1,One,AIR\nrow-2,Two,AIR\nrow-3,Three,WATER\n"
    upload = {"file": ("carriers.csv", file)}
    assert (
        world.ask(f"POST {CARRIERS}/csv?requestedColumns=refName,name,mode", files=upload).status_code == 200
    )
    done = {name: number - before[name] for name, number in counts().items()}
    assert done == {"inserted": 2, "updated": 0, "skipped": 0, "failed": 1}
    session = world.ask(
        f"POST {CARRIERS}/csv/session?requestedColumns=refName,name,mode", files=upload
    ).json()
    world.ask(f"POST {CARRIERS}/csv/session/{session['sessionId']}/commit")
    done = {name: number - before[name] for name, number in counts().items()}
    assert done["inserted"] == 2, "the rows are there"


def test_failed_logins_are_counted(world: World) -> None:
    before = value(world, "login_failures_total", reason="failed")
    for password in ("wrong one here", "wrong one there"):
        login = {"userId": "admin@acme.example", "password": password}
        assert world.ask("POST /security/login", None, json=login).status_code == 401
    assert value(world, "login_failures_total", reason="failed") == before + 2
    right = {"userId": "admin@acme.example", "password": PASSWORD}
    assert world.ask("POST /security/login", None, json=right).status_code == 200
    assert value(world, "login_failures_total", reason="failed") == before + 2


def test_waiting_deliveries_are_counted(world: World) -> None:
    """The count of the store is asked for directly: it is taken every quarter of a minute."""
    assert "recordsmith_outbox_waiting" in read(world)


STRANGERS = [
    "GET /logistics/orders/list", "GET /logistics/orders/id/abc", "POST /logistics/orders", "PURGE /logistics/orders",
    "GET /nothing/here", "GET /nothing/there", "DELETE /live", "GET /security/permission/rules/list", "BREW /pot",
    "GET /%00", "OPTIONS /logistics/orders/list",
]  # fmt: skip


def test_strangers_begin_no_series(world: World) -> None:
    """Whatever is asked without a token is one series for each method and status."""
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"):
        world.ask(f"{method} /nowhere", None)
        world.ask(f"{method} {CARRIERS}/list", None)
        world.ask(f"{method} {CARRIERS}", None)
        world.ask(f"{method} /live", None)
    before = {(name, labels) for name, rows in read(world).items() for labels in rows}
    for request in STRANGERS:
        world.ask(request, None)
        world.ask(request, None, headers={"Authorization": "Bearer made-up"})
    after = {(name, labels) for name, rows in read(world).items() for labels in rows}
    assert after == before
    routes = {dict(labels)["route"] for labels in read(world)["recordsmith_requests_total"]}
    assert "unauthenticated" in routes
    assert not any("orders" in route or "rules" in route for route in routes)


def test_no_label_says_who_or_what(world: World) -> None:
    carrier = world.make("Carrier", name=NAME)
    world.ask(f'GET {CARRIERS}/list?filter=name:"{NAME}"')
    world.ask(f"GET {CARRIERS}/refName/{carrier['refName']}", headers={"X-Request-Id": "my-own-id"})
    text = world.ask("GET /metrics", None, headers={"Authorization": f"Bearer {TOKEN}"}).text
    said = [
        NAME,
        carrier["id"],
        carrier["refName"],
        "acme",
        "globex",
        "example",
        TOKEN,
        "my-own-id",
        world.realm,
    ]
    assert [word for word in said if word in text] == []
    assert set(re.findall(r'([a-z_]+)="', text)) <= {
        *("method", "route", "status", "command", "outcome", "reason", "state", "le", "policy"),
    }


@pytest.mark.parametrize(
    "headers",
    [
        {}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}, {"Authorization": TOKEN},
        {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": "Bearer \u00e9"},
    ],
    ids=str,
)  # fmt: skip
def test_others_find_nothing(world: World, headers: dict[str, str]) -> None:
    answer = world.ask(
        "GET /metrics", None, headers={name: value.encode() for name, value in headers.items()}
    )
    nowhere = world.ask("GET /metricz", None)
    assert (answer.status_code, answer.json()["code"]) == (404, "record.not_found")
    assert answer.json()["detail"] == nowhere.json()["detail"]
    assert "recordsmith_" not in answer.text


def test_signed_in_users_find_nothing(world: World) -> None:
    for caller in ("acme", "system"):
        assert world.ask("GET /metrics", caller).status_code == 404


def test_unknown_parameters_are_refused_to_those_who_may_read(world: World) -> None:
    for headers, status in (({}, 404), ({"Authorization": f"Bearer {TOKEN}"}, 400)):
        assert world.ask("GET /metrics?name=x", None, headers=headers).status_code == status


def test_without_a_token_of_its_own_nothing_is_counted(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder) as plain:
        assert plain.app.state.service.meters is None
        assert plain.ask("GET /metrics", None).status_code == 404
        assert plain.ask("GET /metrics", None, headers={"Authorization": "Bearer None"}).status_code == 404
