"""What an expansion may cost: bounded before it is spent, and refused with advice, whatever the page holds."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from pymongo import MongoClient

from runtime import records
from runtime.contract.pages import FindBody
from runtime.errors import StoreUnavailable, TooWide
from runtime.model.record_type import RecordType
from runtime.query import plan_query, run_plan
from runtime.records.expansion.replacing import MOST_BYTES
from runtime.storage.store.reads import Reads
from tests.query.test_from_index import record
from tests.query.ward import Document, Ward, open_ward
from tests.query.wards import CLINIC, DOCTOR, PATIENT

MOST = 60
"""References that an answer may replace, here."""


@pytest.fixture(scope="module")
def ward(
    mongo_uri: str, mongo_client: MongoClient[Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ward]:
    folder: Path = tmp_path_factory.mktemp("ward")
    with open_ward(mongo_uri, mongo_client, folder, expanded_records=MOST) as opened:
        yield opened


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The record types that pages of are read, in turn."""
    names: list[str] = []

    def note(_reads: Reads, access: Any) -> None:
        names.append(access.kind.name)

    before_pages(monkeypatch, note)
    return names


def before_pages(monkeypatch: pytest.MonkeyPatch, do: Callable[[Reads, Any], Any]) -> None:
    """Do something before each page is read, of records or of what is embedded in them."""

    def wrap(read: Callable[..., Any]) -> Callable[..., Any]:
        async def wrapped(self: Reads, access: Any, *arguments: Any, **options: Any) -> Any:
            if inspect.isawaitable(done := do(self, access)):
                await done
            return await read(self, access, *arguments, **options)

        return wrapped

    for name in ("find_page", "find_encoded"):
        monkeypatch.setattr(Reads, name, wrap(getattr(Reads, name)))


def to(*targets: Document) -> list[Document]:
    return [{"entityId": target["_id"]} for target in targets]


def circle(ward: Ward, number: int) -> Document:
    """A clinic and its head, who refer to each other, and patients whose teams are the head again and again."""
    head, clinic = record(name="Anna"), record(town="Bern")
    head["clinic"], clinic["head"] = to(clinic)[0], to(head)[0]
    ward.store(DOCTOR, [head])
    ward.store(CLINIC, [clinic])
    ward.store(PATIENT, [record(teams=[to(*[head] * number)]), record(teams=[])])
    return head


def expanded(ward: Ward, text: str, kind: RecordType[Any] = PATIENT, **page: Any) -> Any:
    async def run() -> Any:
        call = ward.call()
        return orjson.loads((await run_plan(call, plan_query(call, kind, text), FindBody(**page))).body)

    return ward.run(run())


def test_a_path_is_one_query_however_many_rows_and_elements_refer(ward: Ward, asked: list[str]) -> None:
    circle(ward, MOST - 3)
    page = expanded(ward, "expand(teams.clinic.head.clinic)")
    assert asked == ["Patient", "Doctor", "Clinic", "Doctor", "Clinic"]
    (row, _empty) = page["rows"]
    assert len(row["teams"][0]) == MOST - 3
    assert row["teams"][0][-1]["clinic"]["head"]["clinic"]["town"] == "Bern"


def test_references_are_counted_before_any_is_followed(ward: Ward, asked: list[str]) -> None:
    circle(ward, MOST + 1)
    with pytest.raises(TooWide) as caught:
        expanded(ward, "expand(teams)")
    assert asked == ["Patient"]
    assert f"at most {MOST} references" in caught.value.message
    assert "limit" in caught.value.message


def test_references_of_all_paths_and_depths_count_together(ward: Ward) -> None:
    head = circle(ward, MOST - 3)
    assert expanded(ward, "expand(teams.clinic.head.clinic)")
    ward.store(PATIENT, [record(teams=[to(*[head] * (MOST - 2))])])
    with pytest.raises(TooWide):
        expanded(ward, "expand(teams.clinic.head.clinic)")
    (one,) = to(head)
    ward.store(PATIENT, [record(teams=[to(*[head] * (MOST - 1))], contact={"doctor": one}, clinic=one)])
    with pytest.raises(TooWide):
        expanded(ward, "expand(teams) && expand(contact.doctor) && expand(clinic)")


def test_fewer_rows_are_what_the_refusal_advises(ward: Ward) -> None:
    head = circle(ward, 1)
    ward.store(PATIENT, [record(teams=[to(*[head] * 25)]) for _ in range(3)])
    with pytest.raises(TooWide):
        expanded(ward, "expand(teams)")
    page = expanded(ward, "expand(teams)", limit=2)
    rest = expanded(ward, "expand(teams)", limit=2, cursor=page["nextCursor"])
    assert [len(row["teams"][0]) for row in (*page["rows"], *rest["rows"])] == [25] * 3


def test_a_large_record_cannot_be_multiplied(ward: Ward) -> None:
    """It is held once, but an answer of many megabytes is neither built nor sent."""
    head, large = circle(ward, 1), MOST_BYTES // 20
    ward.database[DOCTOR.collection].update_one({}, {"$set": {"name": "x" * large}})
    ward.store(PATIENT, [record(teams=[to(*[head] * 25)])])
    with pytest.raises(TooWide) as caught:
        expanded(ward, "expand(teams)")
    assert "16 MB" in caught.value.message
    assert expanded(ward, "expand(teams, fields:[+grade])")["rows"][0]["teams"][0][24].keys() == {"id"}
    ward.store(PATIENT, [record(teams=[to(*[head] * 15)])])
    assert len(expanded(ward, "expand(teams)")["rows"][0]["teams"][0]) == 15


def test_more_large_records_than_one_answer_of_the_store_has(ward: Ward) -> None:
    doctors = [record(name="x" * (MOST_BYTES // 10)) for _ in range(12)]
    ward.store(DOCTOR, doctors)
    ward.store(PATIENT, [record(teams=[to(*doctors)])])
    with pytest.raises(TooWide):
        expanded(ward, "expand(teams)")
    assert len(expanded(ward, "expand(teams, fields:[+refName])")["rows"][0]["teams"][0]) == 12


def test_multiplying_inside_of_records_counts_as_well(ward: Ward) -> None:
    """Large clinics inside of doctors: what is inside weighs in each place of the record around it."""
    clinic = record(town="x" * (MOST_BYTES // 20))
    doctors = [record(clinic=to(clinic)[0]) for _ in range(12)]
    ward.store(CLINIC, [clinic])
    ward.store(DOCTOR, doctors)
    ward.store(PATIENT, [record(teams=[to(*doctors)])])
    with pytest.raises(TooWide):
        expanded(ward, "expand(teams.clinic)")
    assert expanded(ward, "expand(teams.clinic, fields:[refName])")["rows"][0]["teams"][0][11]["clinic"]["id"]


@pytest.mark.parametrize("route", ["id", "list"])
def test_routes_of_records_have_the_same_limits(ward: Ward, route: str) -> None:
    head = circle(ward, 1)
    patient = record(teams=[to(*[head] * (MOST + 1))])
    ward.store(PATIENT, [patient])

    async def run() -> Any:
        call = ward.call()
        if route == "list":
            return await records.list_records(call, PATIENT, FindBody(expand="teams"))
        return await records.get_by_id(call, PATIENT, str(patient["_id"]), None, "teams")

    with pytest.raises(TooWide):
        ward.run(run())


def test_the_same_type_in_several_places_is_asked_for_once(ward: Ward, asked: list[str]) -> None:
    head = circle(ward, 1)
    visits = [{"doctor": to(head)[0], "diagnoses": [{"found": to(head)[0]}]}]
    ward.store(PATIENT, [record(teams=[to(head)], contact={"doctor": to(head)[0]}, visits=visits)])
    paths = ("teams", "contact.doctor", "visits.doctor", "visits.diagnoses.found")
    (row,) = expanded(ward, " && ".join(f"expand({path})" for path in paths))["rows"]
    assert asked == ["Patient", "Doctor"]
    found = [row["teams"][0][0], row["contact"]["doctor"], row["visits"][0]["doctor"]]
    assert [one["name"] for one in found] == ["Anna"] * 3
    assert row["visits"][0]["diagnoses"][0]["found"]["name"] == "Anna"


def test_nothing_is_asked_where_nothing_refers(ward: Ward, asked: list[str]) -> None:
    circle(ward, 0)
    expanded(ward, "expand(teams) && expand(clinic.head) && expand(visits.doctor)")
    assert asked == ["Patient"]


def test_all_paths_together_have_the_time_of_one_command(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each query is in time, and the third would be too late."""
    circle(ward, 1)
    turns = iter(range(10))

    async def wait(_reads: Reads, _access: Any) -> None:
        if next(turns) == 3:
            await asyncio.sleep(3600)

    before_pages(monkeypatch, wait)
    monkeypatch.setattr(ward.service.store._connection, "seconds", 1.0)
    with pytest.raises(StoreUnavailable) as caught:
        expanded(ward, "expand(teams.clinic.head.clinic)")
    assert "fewer paths" in caught.value.message
