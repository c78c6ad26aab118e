"""``recordsmith ontology``: what it reports, and how it ends."""

from __future__ import annotations

import json
import re
import signal
from asyncio import CancelledError, Future
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.errors import StoreUnavailable
from runtime.ontology import EdgeTally, Upkeep

Document = dict[str, Any]


APP = {"SERVICE_APP": "generated.app:create"}


@pytest.fixture
def realm(emptied_realm: str) -> str:
    return emptied_realm


def region(**members: Any) -> Document:
    """A stored region, as from before the ontology was switched on."""
    own, domain = ObjectId(), {"tenantId": "acme", "dataSegment": 0}
    names = {"refName": str(own), "displayName": "R", "name": "R"}
    return {"_id": own, **names, "dataDomain": domain, "activeStatus": "ACTIVE", "version": 1, **members}


def run(command: Any, *words: str, code: int = 0) -> Document:
    done = command("ontology", *words, "--json", env=APP)
    assert done.exit_code == code, done.output
    (found,) = json.loads(done.stdout)["realms"]
    return {name: found[name] for name in ("sound", "missing", "surplus")}


def test_records_from_before(command: Any, realm: str, mongo_client: MongoClient[Document]) -> None:
    outer, records = region(), mongo_client[realm]["regions"]
    reference = {"entityId": outer["_id"], "entityType": "Region", "entityRefName": outer["refName"]}
    records.insert_many([outer, region(partOf=reference)])
    assert run(command, "check", code=1) == {"sound": False, "missing": 1, "surplus": 0}
    assert run(command, "rebuild") == {"sound": False, "missing": 1, "surplus": 0}
    assert run(command, "check") == {"sound": True, "missing": 0, "surplus": 0}
    assert "1 edge, 0 missing" in command("ontology", "check", env=APP).output
    assert run(command, "check", "--from", "Region") == {"sound": True, "missing": 0, "surplus": 0}
    assert run(command, "check", "--from", f"Region:{outer['_id']}")["sound"] is True


@pytest.mark.parametrize("place", ["Prt", "Region:zz", ":zz"])
def test_a_place_that_does_not_exist_is_a_usage_error(command: Any, realm: str, place: str) -> None:
    done = command("ontology", "rebuild", "--from", place, env=APP)
    assert (done.exit_code, done.stderr.startswith("error[ontology.place]: --from: no place")) == (2, True)


@pytest.mark.parametrize("words", [("check",), ("rebuild",), ("rebuild", "--realm", "main")], ids=" ".join)
def test_an_empty_place_is_not_the_beginning(command: Any, realm: str, words: tuple[str, ...]) -> None:
    """As ``--from "$PLACE"`` names it where the variable is unset."""
    more = [realm if word == "main" else word for word in words]
    done = command("ontology", *more, "--from", "", env=APP)
    says = "error[ontology.place]: --from: name a place"
    assert (done.exit_code, done.stderr.startswith(says)) == (2, True), done.output


def test_a_place_is_in_one_realm(
    command: Any, realm: str, mongo_client: MongoClient[Document], request: pytest.FixtureRequest
) -> None:
    other = f"{realm}-emea"
    request.addfinalizer(lambda: mongo_client.drop_database(other))
    assert command("realms", "create", "emea", "--database", other).exit_code == 0
    done = command("ontology", "rebuild", "--from", "Region", env=APP)
    assert done.exit_code == 2
    advice = f"Region is a place in one realm: write it as in {realm}/Region, or add --realm"
    assert advice in " ".join(done.stderr.split())
    assert run(command, "rebuild", "--realm", "emea", "--from", "Region")["sound"] is True
    assert run(command, "rebuild", "--from", "emea/Region")["sound"] is True
    assert run(command, "rebuild", "--realm", "emea", "--from", "emea/Region")["sound"] is True
    for words, refusal in {
        ("emae/Region",): "error[realm.unknown]: the realm 'emae' does not exist; did you mean emea?",
        (f"{realm}/Region", "--realm", "emea"): f"is a place in another realm: write --realm {realm}",
    }.items():
        done = command("ontology", "rebuild", "--from", *words, env=APP)
        assert (done.exit_code, refusal in " ".join(done.stderr.split())) == (2, True), done.stderr
    assert command("realms", "disable", "emea").exit_code == 0
    assert run(command, "rebuild", "--from", f"{realm}/Region")["sound"] is True


@pytest.mark.parametrize(("error", "code"), [(StoreUnavailable, 4), (CancelledError, 130)])
def test_an_interrupted_run_names_what_reaches_all_that_is_left(
    command: Any, realm: str, mongo_client: MongoClient[Document], monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest, error: type[BaseException], code: int,
) -> None:  # fmt: skip
    other = f"{realm}-emea"
    request.addfinalizer(lambda: mongo_client.drop_database(other))
    assert command("realms", "create", "emea", "--database", other).exit_code == 0
    complete = Upkeep.run
    mongo_client[realm]["regions"].insert_one(region())

    async def lose_store(self: Upkeep, begin: str) -> EdgeTally:
        await complete(self, begin)
        if error is CancelledError:
            signal.raise_signal(signal.SIGINT)
            await Future()
        raise error("the store cannot be reached")

    with monkeypatch.context() as patch:
        patch.setattr(Upkeep, "run", lose_store)
        done = command("ontology", "rebuild", env=APP)
    assert done.exit_code == code
    (advice,) = re.findall(r'--from ([^\s"]+)', done.stderr)
    assert advice.startswith(f"{realm}/Region:")
    done = command("ontology", "rebuild", "--from", advice, "--json", env=APP)
    assert [one["realm"] for one in json.loads(done.stdout)["realms"]] == [realm, "emea"]


def test_without_an_ontology(command: Any) -> None:
    done = command("ontology", "check", env=APP | {"ONTOLOGY_ENABLED": "false"})
    assert done.exit_code != 0
    assert "ontology.enabled" in done.output
