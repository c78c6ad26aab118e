"""``recordsmith migrate``: plan, run, status and undo of one record type, and a file that is written by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.cli import progress
from runtime.migrations import by_hand
from runtime.system.record_types import RECORD_MIGRATION
from tests.cli.test_references import record

Document = dict[str, Any]
Migrate = Callable[..., Any]

STEPS = [
    "Parcel.city.renamedFrom.town",
    "Parcel.place.street.renamedFrom.road",
    "Parcel.lines[].code.renamedFrom.sku",
    "Parcel.lines[].amount.integer-to-decimal",
    "Parcel.weight.integer-to-decimal",
    "Parcel.tag.to-list",
    "Parcel.status.OPEN.renamedFrom.NEW",
    "Parcel.priority.default",
]
BY_HAND = """
RECORD = "Parcel"

async def forward(records):
    for one in records:
        one["city"] = one["city"].upper()
"""
SHOUT = BY_HAND.replace("city", "tag")


@pytest.fixture
def migrate(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Migrate:
    """The JSON report of a command of a version that ends with ``code``."""
    monkeypatch.chdir(tmp_path)

    def run(version: str, *words: str, code: int = 0) -> Any:
        names = {"SERVICE_APP": f"post_{version}:create"}
        if version == "calculated":
            names["SERVICE_SEAMS"] = "post_calculated:SEAMS"
        done = command("migrate", *words, "--json", env=names)
        assert done.exit_code == code, done.output
        return json.loads(done.stdout) if done.stdout else done.output

    return run


def test_the_life_of_a_migration(
    migrate: Migrate, mongo_client: MongoClient[Document], realm: str, tmp_path: Path
) -> None:
    parcels = mongo_client[realm].parcels
    assert migrate("old", "run") == []
    old = record(
        town="Rome", weight=7, tag="red", status="NEW", secret="S-1", lines=[{"sku": "X", "amount": 1}]
    )
    parcels.insert_many([old, record(town="Oslo", status="GONE"), record("globex", weight=3)])
    (planned,) = migrate("old", "plan")
    assert planned == {
        "realm": realm,
        "byHand": [],
        "unread": [],
        "unfilled": [],
        "removedStates": [],
        "migrations": [],
    }

    (planned,) = migrate("new", "run", "--dry-run")
    (due,) = planned["migrations"]
    assert (due["name"], due["phase"], due["records"], due["losses"]) == ("Parcel.2", None, 3, {})
    assert due["steps"] == STEPS
    assert len(due["examples"]) == 3
    before, after = due["examples"][0]
    assert (before["town"], after["city"], before["tag"], after["tag"]) == ("Rome", "Rome", "red", ["red"])
    assert "S-1" not in json.dumps(planned)
    assert [one["town"] for one in parcels.find({"town": {"$exists": True}})] == ["Rome", "Oslo"]

    (done,) = migrate("new", "run")
    assert (done["name"], done["phase"], done["moved"], done["checked"]) == ("Parcel.2", "DONE", 3, 3)
    assert done["startedBy"]
    assert sorted(one.get("city", "") for one in parcels.find()) == ["", "Oslo", "Rome"]
    assert parcels.count_documents({"town": {"$exists": True}}) == 0
    assert migrate("new", "run") == []
    assert [one["name"] for one in migrate("new", "status")] == ["Parcel.2"]

    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations/0007_shout.py").write_text(BY_HAND.replace('one["city"].upper()', '"BONN"'))
    (planned,) = migrate("new", "plan")
    assert [one["name"] for one in planned["byHand"]] == ["0007_shout"]
    (done,) = migrate("new", "run")
    assert (done["name"], done["phase"], done["moved"]) == ("0007_shout", "DONE", 3)
    assert parcels.count_documents({"city": "BONN"}) == 3
    assert parcels.find_one({"_id": old["_id"]})["version"] == 2  # type: ignore[index]
    assert migrate("new", "run") == []
    error = json.dumps(migrate("new", "cancel", "0007_shout", code=2))
    assert "migrate undo" in error
    assert "did you mean" not in error

    error = migrate("new", "undo", "Parcel.3", code=2)
    assert "Parcel.2" in json.dumps(error)
    error = migrate("new", "undo", "x", code=2)["error"]
    assert error["message"].endswith("called 'x'; the migrations are 0007_shout and Parcel.2")
    (undone,) = migrate("new", "undo", "Parcel.2")
    assert (undone["phase"], undone["moved"], undone["checked"]) == ("EXPAND", 3, 3)
    assert "seconds" not in undone, "those of the run"
    assert parcels.count_documents({"town": "BONN", "city": "BONN"}) == 3
    assert migrate("old", "status")[0]["phase"] == "EXPAND"


def test_a_loss_is_accepted_by_name(
    migrate: Migrate, command: Any, mongo_client: MongoClient[Document], realm: str
) -> None:
    parcels = mongo_client[realm].parcels
    migrate("old", "run")
    ids = [ObjectId() for _ in range(2)]
    parcels.insert_many(
        [record(_id=one, status=status) for one, status in zip(ids, ["NEW", "LOST"], strict=True)]
    )
    step = "Parcel.status.to-enum"
    (planned,) = migrate("narrow", "plan")
    assert planned["migrations"][0]["losses"] == {step: 1}
    refused = migrate("narrow", "run", code=1)
    assert step in json.dumps(refused)
    assert parcels.find_one({"_id": ids[1]})["status"] == "LOST"  # type: ignore[index]
    (done,) = migrate("narrow", "run", "--accept-loss", step)
    assert done["acceptedLoss"] == [step]
    again = command("migrate", "run", "--accept-loss", step, env={"SERVICE_APP": "post_narrow:create"})
    assert (again.exit_code, again.stderr) == (0, f"--accept-loss {step}: this step is not due\n")
    assert [one.get("status") for one in parcels.find({}, sort=[("_id", 1)])] == ["NEW", None]
    assert "cannot be undone" in json.dumps(migrate("narrow", "undo", "Parcel.2", code=1))


def test_a_release_that_is_called_off(
    migrate: Migrate, command: Any, mongo_client: MongoClient[Document], realm: str
) -> None:
    parcels, migrations = mongo_client[realm].parcels, mongo_client[realm].recordMigrations
    migrate("old", "run")
    parcels.insert_one(old := record(town="Rome", weight=7))
    for words in (["users", "list"], ["doctor"]):
        done = command(*words, env={"SERVICE_APP": "post_new:create"})
        assert done.exit_code == 0, done.output
        assert migrations.count_documents({}) == 0, words
    assert "Parcel.2" in json.dumps(migrate("new", "plan"))

    migrate("new", "run")
    assert "town" not in parcels.find_one({})  # type: ignore[operator]
    error = migrate("new", "cancel", "Parcel.3", code=2)
    assert "no migration that can be cancelled" in json.dumps(error)
    assert "with that version first" in json.dumps(migrate("old", "cancel", "Parcel.2", code=1))
    (done,) = migrate("new", "cancel", "Parcel.2")
    assert (done["name"], done["phase"]) == ("Parcel.2", "UNDONE")
    assert {name: value for name, value in parcels.find_one({}).items() if name != "priority"} == old  # type: ignore[union-attr]
    assert migrate("old", "run") == []


def test_an_interrupted_run_goes_on(
    migrate: Migrate, command: Any, mongo_client: MongoClient[Document], realm: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    parcels = mongo_client[realm].parcels
    parcels.insert_many([record(tag="red"), record(tag="green")])
    (tmp_path / "migrations").mkdir()
    stop = "await __import__('asyncio').Future()"
    waiting = (
        SHOUT
        + f"    if any(one['tag'] == 'GREEN' for one in records):\n        INTERRUPT()\n        {stop}\n"
    )
    waiting = waiting.replace("INTERRUPT()", "__import__('signal').raise_signal(2)")
    (tmp_path / "migrations/0007_shout.py").write_text(waiting)
    monkeypatch.setattr(by_hand, "_BATCH", 1)
    done = command("migrate", "run", env={"SERVICE_APP": "post_old:create"})
    assert done.exit_code == 130
    advice = f"0007_shout in realm {realm} was interrupted; nothing is lost: run the same command again"
    assert advice in " ".join(done.stderr.split())
    assert [one["tag"] for one in parcels.find()] == ["RED", "green"]
    (tmp_path / "migrations/0007_shout.py").write_text(SHOUT)
    (report,) = migrate("old", "run")
    assert (report["phase"], report["moved"]) == ("DONE", 2)
    assert [one["tag"] for one in parcels.find()] == ["RED", "GREEN"]


@pytest.mark.parametrize(("word", "shown"), [("undo", "3 of 3 records"), ("cancel", "6 of 6 records")])
def test_the_way_back_of_an_interrupted_run_counts_all_records(
    migrate: Migrate, command: Any, mongo_client: MongoClient[Document], realm: str, word: str,
    shown: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    mongo_client[realm].parcels.insert_many([record(town="Rome"), record(town="Oslo"), record(town="Bonn")])
    migrate("new", "run")
    notes = mongo_client[realm][RECORD_MIGRATION.collection]
    assert notes.update_one({}, {"$set": {"phase": "MOVE", "moved": 1}}).modified_count == 1
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", -1.0)
    done = command("migrate", word, "Parcel.2", env={"SERVICE_APP": "post_new:create"})
    assert done.exit_code == 0, done.output
    assert shown in done.stderr.splitlines()[-1]


def test_an_expression_that_fails_ends_a_run(
    migrate: Migrate, mongo_client: MongoClient[Document], realm: str, tmp_path: Path
) -> None:
    parcels = mongo_client[realm].parcels
    parcels.insert_many([record(weight=7, status="NEW"), wrong := record(weight=0, status="NEW")])
    stored = list(parcels.find())
    (tmp_path / "migrations").mkdir()
    by_hand = BY_HAND.replace('one["city"] = one["city"].upper()', 'one["town"] = "BONN"')
    (tmp_path / "migrations/0007_shout.py").write_text(by_hand)
    error = migrate("calculated", "run", code=1)["error"]
    assert error == {
        "code": "service.misconfigured",
        "message": f"Parcel {wrong['_id']} ({wrong['refName']}): tag cannot be calculated, since the expression share "
        "raises ZeroDivisionError: integer division or modulo by zero (post_calculated.py, line 22)",
    }
    assert list(parcels.find()) == stored


WRONG = {
    "one record": (
        SHOUT,
        "Parcel {id} ({refName}): 0007_shout raises KeyError: 'tag' (0007_shout.py, line 6)",
    ),
    "the whole batch": (
        SHOUT.replace("tag", "town").replace("for one", "assert len(records) < 2, 'too many'\n    for one"),
        "Parcel {first} to {id}, together: 0007_shout raises AssertionError: too many (0007_shout.py, line 5)",
    ),
    "the whole batch, which fails in another way alone": (
        SHOUT.replace("for one", "records[1]['nope']\n    for one"),
        "Parcel {first} to {id}, together: 0007_shout raises KeyError: 'nope' (0007_shout.py, line 5)",
    ),
    "deeper": (
        SHOUT.replace('one["tag"].upper()', '__import__("json").loads(one["town"])'),
        "Parcel {first} ({firstRef}): 0007_shout raises JSONDecodeError: "
        "Expecting value: line 1 column 1 (char 0) (0007_shout.py, line 6)",
    ),
    "a list without a record": (
        SHOUT.replace("for one in records", "for one in [records.pop(0)]"),
        "0007_shout: change the records in their list, which it has to leave as it is",
    ),
    "no syntax": (SHOUT + "    oops(\n", "migrations/0007_shout.py cannot be imported: SyntaxError: '('"),
    "an exit": (
        SHOUT + "raise SystemExit(3)\n",
        "migrations/0007_shout.py cannot be imported: SystemExit: 3 (0007_shout.py, line 7)",
    ),
    "no name": (
        SHOUT + "oops\n",
        "migrations/0007_shout.py cannot be imported: "
        "NameError: name 'oops' is not defined (0007_shout.py, line 7)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_fails_is_reported_with_record_and_line(
    migrate: Migrate, mongo_client: MongoClient[Document], realm: str, tmp_path: Path, name: str
) -> None:
    parcels, (text, reported) = mongo_client[realm].parcels, WRONG[name]
    first, wrong = record(town="Rome", tag="red", status="NEW"), record(town="Oslo", status="NEW")
    parcels.insert_many([first, wrong])
    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations/0007_shout.py").write_text(text)
    error = migrate("old", "run", code=1)["error"]
    named = {"id": wrong["_id"], "refName": wrong["refName"]}
    named |= {"first": first["_id"], "firstRef": first["refName"]}
    assert error["code"] == "service.misconfigured"
    assert error["message"].startswith(reported.format(**named))
    assert list(parcels.find()) == [first, wrong]


REFUSED = {
    "a change": SHOUT.replace('one["tag"].upper()', '"x" if one["town"] == "Rome" else 7'),
    "a created record": SHOUT.replace("(records)", "(records, related)").replace(
        'one["tag"] = one["tag"].upper()',
        'await related.save("Parcel", {"weight": "x"}, of=records[1], part="a")',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_write_is_reported_with_its_record(
    migrate: Migrate, mongo_client: MongoClient[Document], realm: str, tmp_path: Path, name: str
) -> None:
    parcels = mongo_client[realm].parcels
    first, wrong = record(town="Rome", status="NEW"), record(town="Oslo", status="NEW")
    parcels.insert_many([first, wrong])
    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations/0007_shout.py").write_text(REFUSED[name])
    error = migrate("old", "run", code=1)["error"]
    assert error["code"] == "record.invalid"
    assert error["message"].endswith(f" (record {wrong['_id']} {wrong['refName']}, in 0007_shout)")
    assert list(parcels.find()) == [first, wrong]
