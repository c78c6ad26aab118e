"""``/ready``: who is told why a service is not ready, and that a worker that shall end says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from tests.http.world import Document, World, open_world
from tests.scenario import check_problem

TOKEN = "a token of sixteen or more"
REASON = {"code": "service.not_ready", "message": "this worker is about to end"}


@pytest.fixture(scope="module")
def ending(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    """A service that is about to end, and still serves."""
    with open_world(
        mongo_uri, mongo_client, data_folder=key_folder, metrics_token=TOKEN, drain_seconds=7
    ) as opened:
        assert opened.ask("GET /ready", None).status_code == 200
        assert opened.app.state.service.draining.begin() == 7
        yield opened


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer made-up"},
        {"Authorization": "Basic x"},
        {"Authorization": f"Bearer {TOKEN}x"},
    ],
    ids=str,
)
def test_strangers_learn_no_reason(ending: World, headers: dict[str, str]) -> None:
    check_silent(ending.ask("GET /ready", None, headers=headers))


@pytest.mark.parametrize("caller", ["acme-user", "acme-nobody"])
def test_users_learn_no_reason(ending: World, caller: str) -> None:
    check_silent(ending.ask("GET /ready", caller))


def check_silent(answer: Any) -> None:
    check_problem(503, answer.headers, answer.json())
    assert (answer.json()["code"], answer.json()["detail"]) == (
        "service.not_ready",
        "the service is not ready",
    )
    assert answer.headers["retry-after"] == "1"
    assert "reasons" not in answer.json()
    assert REASON["message"] not in answer.text


@pytest.mark.parametrize("caller", ["acme", "system"])
def test_admins_learn_the_reasons(ending: World, caller: str) -> None:
    answer = ending.ask("GET /ready", caller)
    check_problem(503, answer.headers, answer.json())
    assert answer.json()["reasons"] == [REASON]


def test_the_token_of_metrics_opens_the_reasons(ending: World) -> None:
    answer = ending.ask("GET /ready", None, headers={"Authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer.json()["reasons"]) == (503, [REASON])


def test_everything_else_is_served_meanwhile(ending: World) -> None:
    assert ending.ask("GET /live", None).status_code == 200
    assert ending.ask("GET /logistics/carriers/list").status_code == 200
