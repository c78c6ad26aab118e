"""The example service over a fresh database, with callers of several tenants and roles.

``world`` is made once a module: tests name their records so that they do not meet. ``play`` runs one
``Scenario`` and checks the answer and the whole realm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

import bson
import pytest
from generated.app import create
from pymongo import MongoClient
from scenario import Scenario, Snapshot, check_answer, check_store
from starlette.testclient import TestClient

from runtime.security.users import NewUser, create_user
from runtime.settings import Settings

PASSWORD = "correct horse battery"

CALLERS = {
    "acme": NewUser("admin@acme.example", PASSWORD, "acme", frozenset({"admin"})),
    "acme-user": NewUser("user@acme.example", PASSWORD, "acme", frozenset({"user"})),
    "acme-nobody": NewUser("nobody@acme.example", PASSWORD, "acme", frozenset()),
    "acme-north": NewUser("north@acme.example", PASSWORD, "acme", frozenset({"user"}), org_ref_name="north"),
    "globex": NewUser("admin@globex.example", PASSWORD, "globex", frozenset({"admin"})),
    "system": NewUser("operator@service.example", PASSWORD, "operations", frozenset({"system"})),
}

# Kept by the service itself on every login: not what a scenario is about.
NOT_WATCHED = {"loginAttempts", "refreshFamilies"}


@dataclass
class World:
    """A running service, its realm, and callers who are signed in."""

    client: TestClient
    realm: str
    documents: Any
    tokens: dict[str, str] = field(default_factory=dict)

    def headers(self, caller: str | None) -> dict[str, str]:
        """What a caller sends along; nothing for None."""
        return {} if caller is None else {"Authorization": f"Bearer {self.tokens[caller]}"}

    def ask(self, request: str, caller: str | None = "acme", **options: Any) -> Any:
        """``ask("GET /logistics/airports/list")`` as somebody; the answer as it came."""
        method, path = request.split(" ", 1)
        headers = self.headers(caller) | options.pop("headers", {})
        return self.client.request(method, path, headers=headers, **options)

    def snapshot(self) -> Snapshot:
        """Every document of the realm, as bytes."""
        return {
            (name, str(document["_id"])): bson.encode(document)
            for name in self.documents.list_collection_names()
            if name not in NOT_WATCHED
            for document in self.documents[name].find()
        }


@pytest.fixture(scope="module")
def world(
    mongo_uri: str, mongo_client: MongoClient[dict[str, object]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    realm = f"test-{uuid4().hex[:12]}"
    settings = Settings.read(
        {},
        mongodb_uri=mongo_uri,
        environment="development",
        data_folder=tmp_path_factory.mktemp("data"),
        default_realm=realm,
        bcrypt_cost=4,
        credential_cache_seconds=0,
        log_level="ERROR",
    )
    app = create(settings)
    with TestClient(app, raise_server_exceptions=False) as client:
        found = World(client, realm, mongo_client[realm])
        for caller, user in CALLERS.items():
            assert client.portal is not None
            client.portal.call(partial(create_user, app.state.service, user))
            answer = client.post("/security/login", json={"userId": user.user_id, "password": PASSWORD})
            found.tokens[caller] = answer.json()["accessToken"]
        yield found
    mongo_client.drop_database(realm)


@pytest.fixture
def play(world: World) -> Callable[[Scenario], Any]:
    """Run one scenario; the answer's JSON for what else a test wants to say of it."""

    def run(scenario: Scenario) -> Any:
        before = world.snapshot()
        options: dict[str, Any] = {"headers": dict(scenario.headers)}
        if scenario.content is not None:
            options["content"] = scenario.content
        elif scenario.body is not None:
            options["json"] = scenario.body
        answer = world.ask(scenario.request, scenario.user, **options)
        check_answer(scenario, answer.status_code, answer.headers, answer.content)
        check_store(scenario, before, world.snapshot())
        return answer.json() if answer.content else None

    return run
