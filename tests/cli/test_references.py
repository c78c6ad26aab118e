"""``recordsmith references``: what it finds, what it mends, and that it touches nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from runtime.records.effects import integrity

Document = dict[str, Any]
RunReferences = Callable[..., Document]


@pytest.fixture
def realm(emptied_realm: str) -> str:
    return emptied_realm


@pytest.fixture
def run_references(command: Any) -> RunReferences:
    """The JSON report of a command that ends with ``code``."""

    def run(*words: str, code: int = 0) -> Document:
        done = command("references", *words, "--json", env={"SERVICE_APP": "yard_app:create"})
        assert done.exit_code == code, done.output
        found: Document = json.loads(done.stdout)
        return found

    return run


def record(tenant: str = "acme", **members: Any) -> Document:
    """A stored record of any type."""
    record_id = ObjectId()
    return {
        "_id": record_id,
        "refName": str(record_id),
        "displayName": str(record_id),
        "dataDomain": {"tenantId": tenant, "dataSegment": 0},
        "activeStatus": "ACTIVE",
        "version": 1,
        **members,
    }


def pointing(target: Document, **members: Any) -> Document:
    """A stored reference."""
    names = {"entityRefName": target["refName"], "entityDisplayName": target["displayName"]}
    return {"entityId": target["_id"], "entityType": "Depot", **names, **members}


def everything(documents: Database[Document]) -> dict[str, list[Document]]:
    names = sorted(documents.list_collection_names())
    return {name: list(documents[name].find().sort("_id")) for name in names}


def totals(report: Document) -> Document:
    (realm,) = report["realms"]
    return {name: value for name, value in realm.items() if name not in ("realm", "findings")}


def counted(records: int, references: int, tracked: int, **others: Any) -> Document:
    words = {"mended": 0, "stale": 0, "missing": 0, "gone": 0, "foreign": 0, "sound": True}
    return {"records": records, "references": references, "tracked": tracked, **words, **others}


def test_an_empty_realm_is_sound(run_references: RunReferences, realm: str) -> None:
    report = run_references("check")
    assert report["mended"] is False
    assert [one["realm"] for one in report["realms"]] == [realm]
    assert totals(report) == counted(0, 0, 0)


@pytest.fixture
def depot(documents: Database[Document]) -> Document:
    """A record to refer to, which nothing refers to yet."""
    made = record(refName="D-1", displayName="Porto", town="Porto")
    documents["depots"].insert_one(made)
    return made


def test_right_references_are_counted_and_left_alone(
    run_references: RunReferences, documents: Database[Document], depot: Document
) -> None:
    to = pointing(depot)
    documents["crates"].insert_one(record(depot=to, others=[to, to], maker=to, legs=[{}, {"stops": [to]}]))
    run_references("check")  # its indexes make the other collections
    before = everything(documents)
    for word in ("check", "repair"):
        assert totals(run_references(word)) == counted(2, 5, 4)
    assert everything(documents) == before


@pytest.mark.parametrize(
    ("place", "path"),
    [
        pytest.param(lambda to: {"depot": to}, "depot", id="at the top"),
        pytest.param(lambda to: {"maker": to}, "maker", id="not tracked"),
        pytest.param(lambda to: {"home": {"depot": to}}, "home.depot", id="in an object"),
        pytest.param(
            lambda to: {"legs": [{}, {"stops": [to]}]}, "legs[1].stops[0]", id="in a list in a list"
        ),
    ],
)
@pytest.mark.parametrize("name", ["entityRefName", "entityDisplayName"])
def test_a_name_out_of_date_is_found_and_mended(
    run_references: RunReferences,
    documents: Database[Document],
    depot: Document,
    place: Any,
    path: str,
    name: str,
) -> None:
    crate = record(refName="C-1", **place(pointing(depot, **{name: "old"})))
    documents["crates"].insert_one(crate)

    report = run_references("check", code=1)
    assert report["realms"][0]["findings"] == [
        {
            "problem": "stale", "type": "Crate", "id": str(crate["_id"]), "refName": "C-1", "tenant": "acme",
            "path": path, "target": "Depot", "targetId": str(depot["_id"]), "tracked": path != "maker",
        }
    ]  # fmt: skip
    assert documents["crates"].find_one() == crate

    mended = run_references("repair")
    assert (mended["mended"], mended["realms"][0]["findings"]) == (True, [])
    assert (totals(mended)["mended"], totals(mended)["stale"]) == (1, 0)
    stored = documents["crates"].find_one() or {}
    assert stored["version"] == 1
    assert totals(run_references("check"))["sound"] is True


def test_a_tracked_reference_that_leads_nowhere_is_told_and_left(
    run_references: RunReferences, documents: Database[Document]
) -> None:
    crate = record(refName="C-1", others=[pointing(record())])
    documents["crates"].insert_one(crate)
    for word in ("check", "repair"):
        report = run_references(word, code=1)
        (finding,) = report["realms"][0]["findings"]
        assert (finding["problem"], finding["path"]) == ("missing", "others[0]")
        assert totals(report) == counted(1, 1, 1, missing=1, sound=False)
    assert documents["crates"].find_one() == crate


def test_one_that_is_not_tracked_may_lead_nowhere(
    run_references: RunReferences, documents: Database[Document]
) -> None:
    documents["crates"].insert_one(record(maker=pointing(record())))
    report = run_references("check")
    assert [one["problem"] for one in report["realms"][0]["findings"]] == ["gone"]
    assert totals(report) == counted(1, 1, 0, gone=1)


@pytest.mark.parametrize(("path", "tracked"), [("depot", True), ("maker", False)])
def test_a_record_of_another_tenant_is_foreign(
    run_references: RunReferences, documents: Database[Document], depot: Document, path: str, tracked: bool
) -> None:
    """As for a missing one, that is a fault where the reference is tracked. A check of one tenant reads no other."""
    documents["crates"].insert_one(record("globex", **{path: pointing(depot)}))
    report = run_references("check", code=int(tracked))
    assert totals(report) == counted(2, 1, int(tracked), foreign=1, sound=not tracked)
    (finding,) = report["realms"][0]["findings"]
    assert (finding["problem"], finding["tenant"], finding["tracked"]) == ("foreign", "globex", tracked)
    own = totals(run_references("check", "--tenant", "globex", code=int(tracked)))
    assert own["missing" if tracked else "gone"] == 1
    assert totals(run_references("check", "--tenant", "acme")) == counted(1, 0, 0)


def test_of_one_tenant_only_its_own_are_mended(
    run_references: RunReferences, documents: Database[Document], depot: Document
) -> None:
    theirs = record("globex", refName="D-1", displayName="Graz")
    documents["depots"].insert_one(theirs)
    rows = [
        record(t, maker=pointing(d, entityRefName="old")) for t, d in (("acme", depot), ("globex", theirs))
    ]
    documents["crates"].insert_many(rows)
    assert totals(run_references("repair", "--tenant", "globex"))["mended"] == 1
    assert totals(run_references("check", code=1)) == counted(4, 2, 0, stale=1, sound=False)
    assert documents["crates"].find_one({"dataDomain.tenantId": "acme"}) == rows[0]


def test_more_than_a_batch_and_more_than_is_named(
    run_references: RunReferences,
    documents: Database[Document],
    depot: Document,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(integrity, "_BATCH", 2)
    monkeypatch.setattr(integrity, "MOST_LISTED", 3)
    documents["crates"].insert_many(
        [record(maker=pointing(depot, entityRefName="old"), depot=pointing(record())) for _n in range(5)]
    )
    report = run_references("check", code=1)
    assert totals(report) == counted(6, 10, 5, stale=5, missing=5, sound=False)
    assert len(report["realms"][0]["findings"]) == 3
    assert totals(run_references("repair", code=1)) == counted(6, 10, 5, mended=5, missing=5, sound=False)


def test_for_people_each_finding_has_a_line(
    command: Any, documents: Database[Document], depot: Document, realm: str
) -> None:
    documents["crates"].insert_one(record(refName="C-1", maker=pointing(depot, entityRefName="old")))
    done = command("references", "check", env={"SERVICE_APP": "yard_app:create"})
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"stale    Crate C-1 (acme) maker -> Depot {depot['_id']}",
        f"realm {realm}: 2 records, 1 references, 0 tracked, 0 repaired, 1 stale, 0 missing, 0 gone, 0 foreign",
    ]


def test_a_realm_that_is_not_there_is_refused(run_references: RunReferences) -> None:
    assert run_references("check", "--realm", "nowhere", code=2)["error"]["code"] == "realm.unknown"


def test_a_tenant_of_which_nothing_is_stored_is_refused(
    run_references: RunReferences, documents: Database[Document], depot: Document
) -> None:
    documents["users"].insert_one(record("globex"))
    for word in ("check", "repair"):
        error = run_references(word, "--tenant", "acne", code=2)["error"]
        assert (error["code"], "nothing is stored of tenant 'acne'" in error["message"]) == (
            "tenant.unknown",
            True,
        )
        assert totals(run_references(word, "--tenant", "globex")) == counted(0, 0, 0)
