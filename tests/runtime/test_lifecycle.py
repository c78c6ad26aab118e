"""What the server makes of a record on its way to the store. Pure: nothing handed in is changed."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from pydantic import Field

from runtime.errors import InvalidStateTransition, ServiceError, ValidationFailed
from runtime.model.record_type import RecordType
from runtime.principal import DomainContext
from runtime.records.document.lifecycle import (
    MOST_EVENTS,
    build_record,
    build_replacement,
    next_states,
    render_display_name,
    set_display_name,
)

from .conftest import BOSS, MOMENT, NOTE, SUPPLIER, WIDGET, Document, WidgetInput, principal

ID = ObjectId("65f0a1b2c3d4e5f60718293a")
OTHER_ID = ObjectId("65f0a1b2c3d4e5f60718293b")
LATER = MOMENT + timedelta(hours=1)
ANN = principal()

FORGED: Document = {
    "auditInfo": {"createdBy": "mallory", "createdDate": datetime(2000, 1, 1), "lastUpdatedBy": "mallory"},
    "references": [{"referencedId": ID, "type": "x", "refName": "x"}],
    "persistentEvents": [{"type": "PERSIST", "date": MOMENT, "userId": "mallory", "version": 9}],
    "version": 99,
    "actionList": ["DELETE"],
    "score": 1_000_000,
    "_id": OTHER_ID,
}
"""Every member that a client may send and the server decides."""


class RankedInput(WidgetInput):
    rank: int | None = 0
    marks: list[str] | None = Field(default_factory=lambda: ["new"])


RANKED = replace(WIDGET, input=RankedInput, server_set=frozenset({"rank", "marks", "score"}))


def made(sent: Document | None = None, kind: RecordType[Any] = WIDGET, **members: Any) -> Document:
    record = build_record(kind, {**(sent or {}), **members}, ANN, MOMENT, ID)
    set_display_name(kind, record, None)
    return record


def replaced(stored: Document, sent: Document | None = None, **members: Any) -> Document:
    record = build_replacement(WIDGET, stored, {**(sent or {}), **members}, ANN, LATER)
    set_display_name(WIDGET, record, stored)
    return record


class Unchanged:
    """Deep copies of what was handed in, compared at the end."""

    def __init__(self) -> None:
        self._pairs: list[tuple[Document, Document]] = []

    def watch(self, document: Document) -> Document:
        self._pairs.append((document, deepcopy(document)))
        return document

    def check(self) -> None:
        assert all(now == before for now, before in self._pairs)


@pytest.fixture
def unchanged() -> Iterator[Unchanged]:
    watching = Unchanged()
    yield watching
    watching.check()


class TestNewRecord:
    def test_a_bare_record_gets_all_common_fields(self) -> None:
        assert made() == {
            "_id": ID,
            "refName": str(ID),
            "displayName": str(ID),
            "activeStatus": "ACTIVE",
            "dataDomain": {
                "tenantId": "acme",
                "orgRefName": "HQ",
                "accountId": "A-1",
                "ownerId": "ann",
                "dataSegment": 0,
            },
            "status": "DRAFT",
            "version": 1,
            "auditInfo": {
                "createdBy": "ann",
                "createdDate": MOMENT,
                "lastUpdatedBy": "ann",
                "lastUpdatedDate": MOMENT,
            },
            "persistentEvents": [{"type": "PERSIST", "date": MOMENT, "userId": "ann", "version": 1}],
        }

    def test_what_a_caller_may_say_stays(self) -> None:
        own = {
            "refName": "W-1",
            "displayName": "One",
            "activeStatus": "INACTIVE",
            "title": "t",
            "serial": "S",
        }
        assert made(own).items() >= own.items()

    def test_only_the_newest_events_stay(self) -> None:
        record = made()
        for _write in range(MOST_EVENTS):
            record = replaced(record)
        assert [event["version"] for event in record["persistentEvents"]] == [*range(2, MOST_EVENTS + 2)]

    @pytest.mark.parametrize("member", FORGED)
    def test_a_member_of_the_server_cannot_be_set(self, member: str) -> None:
        assert made({member: FORGED[member]}) == made()

    @pytest.mark.parametrize("sent", [{}, {"rank": 7, "marks": ["x"]}])
    def test_a_field_of_the_server_begins_with_its_default(self, sent: Document) -> None:
        first, second = made(sent, kind=RANKED), made(sent, kind=RANKED)
        assert (first["rank"], first["marks"]) == (0, ["new"])
        assert first["marks"] is not second["marks"], "each record has a list of its own"
        assert "score" not in first

    def test_the_parts_of_a_domain_that_are_missing_are_the_callers(self) -> None:
        domain = made(dataDomain={"orgRefName": "north", "ownerId": "carl", "dataSegment": 3})["dataDomain"]
        assert domain == {
            "tenantId": "acme",
            "orgRefName": "north",
            "accountId": "A-1",
            "ownerId": "carl",
            "dataSegment": 3,
        }

    def test_a_domain_has_no_empty_parts(self) -> None:
        plain = principal(domain=DomainContext("acme", "main", data_segment=7))
        record = build_record(WIDGET, {}, plain, MOMENT, ID)
        assert record["dataDomain"] == {"tenantId": "acme", "ownerId": "ann", "dataSegment": 7}

    def test_events_are_kept_only_by_types_that_ask_for_them(self) -> None:
        assert "persistentEvents" not in made({"topic": "x"}, kind=NOTE)

    @pytest.mark.parametrize("status", ["OPEN", "SHIPPED", "NOWHERE"])
    def test_a_record_starts_in_an_initial_state(self, status: str) -> None:
        assert made(status="DRAFT")["status"] == "DRAFT"
        with pytest.raises(InvalidStateTransition):
            made(status=status)

    def test_an_impersonated_write_names_both(self) -> None:
        record = build_record(WIDGET, {}, principal(impersonator=BOSS), MOMENT, ID)
        assert (
            record["auditInfo"].items()
            >= {
                "createdBy": "ann",
                "impersonatorUserId": "bob",
                "impersonatorSubject": "s-bob",
            }.items()
        )

    def test_nothing_handed_in_is_changed(self, unchanged: Unchanged) -> None:
        sent = unchanged.watch({**FORGED, "dataDomain": {"orgRefName": "north"}, "tags": ["a"]})
        build_record(WIDGET, sent, ANN, MOMENT, ID)


class TestReplacement:
    def test_a_full_replace_drops_what_is_not_sent_and_moves_the_record_on(self) -> None:
        stored = made(title="old", count=3, refName="W-1")

        record = replaced(stored, tags=["a"])

        assert record == {
            "_id": ID,
            "refName": "W-1",
            "displayName": "W-1",
            "activeStatus": "ACTIVE",
            "dataDomain": stored["dataDomain"],
            "status": "DRAFT",
            "tags": ["a"],
            "version": 2,
            "auditInfo": {
                "createdBy": "ann",
                "createdDate": MOMENT,
                "lastUpdatedBy": "ann",
                "lastUpdatedDate": LATER,
            },
            "persistentEvents": [
                {"type": "PERSIST", "date": MOMENT, "userId": "ann", "version": 1},
                {"type": "PERSIST", "date": LATER, "userId": "ann", "version": 2},
            ],
        }

    @pytest.mark.parametrize("member", FORGED)
    def test_a_member_of_the_server_cannot_be_set(self, member: str) -> None:
        stored = made()
        assert replaced(stored, {member: FORGED[member]}) == replaced(stored)

    def test_server_members_are_carried_over(self) -> None:
        kept = {"score": 7, "references": [{"referencedId": OTHER_ID, "type": "x", "refName": "y"}]}
        stored = made() | kept

        assert replaced(stored, FORGED).items() >= kept.items()

    def test_status_and_domain_are_carried_over_and_may_be_sent(self) -> None:
        stored = made(activeStatus="INACTIVE", dataDomain={"ownerId": "carl"})

        assert replaced(stored)["activeStatus"] == "INACTIVE"
        assert replaced(stored)["dataDomain"] == stored["dataDomain"]
        assert replaced(stored, activeStatus="ACTIVE")["activeStatus"] == "ACTIVE"
        moved = replaced(stored, dataDomain={"orgRefName": "north"})["dataDomain"]
        assert moved == stored["dataDomain"] | {"orgRefName": "north"}

    def test_the_owner_stays_when_another_saves(self) -> None:
        carl = principal(user_id="carl", subject="s-carl")
        record = build_replacement(WIDGET, made(), {}, carl, LATER)

        assert record["dataDomain"]["ownerId"] == "ann"
        assert record["auditInfo"]["createdBy"] == "ann"
        assert record["auditInfo"]["lastUpdatedBy"] == "carl"

    def test_an_earlier_impersonator_is_not_blamed_for_a_later_write(self) -> None:
        stored = build_record(WIDGET, {}, principal(impersonator=BOSS), MOMENT, ID)

        audit = replaced(stored)["auditInfo"]

        assert (audit["createdBy"], audit["lastUpdatedBy"]) == ("ann", "ann")
        assert not {"impersonatorUserId", "impersonatorSubject"} & set(audit)

    @pytest.mark.parametrize(
        ("before", "sent", "after"),
        [
            ("DRAFT", None, "DRAFT"),
            ("DRAFT", "DRAFT", "DRAFT"),
            ("DRAFT", "OPEN", "OPEN"),
            ("OPEN", "SHIPPED", "SHIPPED"),
            ("SHIPPED", None, "SHIPPED"),
        ],
    )
    def test_a_state_stays_or_moves_along_the_graph(self, before: str, sent: str | None, after: str) -> None:
        stored = made() | {"status": before}
        assert replaced(stored, {} if sent is None else {"status": sent})["status"] == after

    @pytest.mark.parametrize(
        ("before", "sent"), [("DRAFT", "SHIPPED"), ("OPEN", "DRAFT"), ("SHIPPED", "OPEN")]
    )
    def test_a_state_does_not_move_otherwise(self, before: str, sent: str) -> None:
        with pytest.raises(InvalidStateTransition) as caught:
            replaced(made() | {"status": before}, status=sent)
        assert caught.value.details["from"] == before

    def test_a_record_from_before_the_graph_may_enter_it(self) -> None:
        stored = made()
        del stored["status"]

        assert replaced(stored, status="DRAFT")["status"] == "DRAFT"
        assert replaced(stored).get("status") is None
        assert "status" not in replaced(stored)

    def test_nothing_handed_in_is_changed(self, unchanged: Unchanged) -> None:
        stored = unchanged.watch(made(tags=["a"], refName="W-1") | {"score": 1})
        sent = unchanged.watch({**FORGED, "dataDomain": {"orgRefName": "x"}, "status": "OPEN"})
        build_replacement(WIDGET, stored, sent, ANN, LATER)


SUPPLIED: Document = {
    "serial": "S-1",
    "maker": {"entityId": OTHER_ID, "entityType": "Supplier", "entityRefName": "M-1"},
}


class TestImmutable:
    @pytest.mark.parametrize(
        "sent",
        [
            pytest.param(SUPPLIED, id="as read"),
            pytest.param({"serial": "S-1", "maker": {"entityId": OTHER_ID}}, id="reference by its id alone"),
            pytest.param(
                {"serial": "S-1", "maker": {"entityId": OTHER_ID, "entityRefName": "M-2"}},
                id="reference whose target was renamed",
            ),
        ],
    )
    def test_the_same_value_may_be_sent_again(self, sent: Document) -> None:
        assert replaced(made(SUPPLIED), sent)["serial"] == "S-1"

    def test_it_may_be_set_once_later(self) -> None:
        assert replaced(made(), SUPPLIED).items() >= SUPPLIED.items()

    @pytest.mark.parametrize(
        ("sent", "fields"),
        [
            ({**SUPPLIED, "serial": "S-2"}, ["serial"]),
            ({**SUPPLIED, "maker": {"entityId": ID}}, ["maker"]),
            ({"maker": SUPPLIED["maker"]}, ["serial"]),
            ({}, ["maker", "serial"]),
        ],
        ids=["changed", "other target", "left out", "all left out"],
    )
    def test_it_cannot_change_or_go(self, sent: Document, fields: list[str]) -> None:
        with pytest.raises(ValidationFailed) as caught:
            replaced(made(SUPPLIED), sent)
        assert [violation["path"] for violation in caught.value.details["violations"]] == fields


class TestDisplayName:
    @pytest.mark.parametrize(
        ("record", "shown"),
        [
            ({"city": "Oslo", "since": MOMENT}, "Oslo: 2026-03-27T04:12:14.118Z"),
            ({"city": "Oslo"}, "Oslo:"),
            ({}, "S-1"),
            ({"city": ""}, "S-1"),
            ({"city": "x" * 600}, "x" * 500),
            ({"city": "{refName}"}, "{refName}:"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_a_template_is_filled_in(self, record: Document, shown: str) -> None:
        assert render_display_name(SUPPLIER, {"refName": "S-1", **record}) == shown

    @pytest.mark.parametrize(
        ("template", "shown"),
        [
            ("{supplier.entityRefName}", "ACME"),
            ("{supplier.nothing.more}|{title}", "|Box"),
            ("{price}", "1000"),
            ("{active}", "true"),
            ("{count} x", "0 x"),
            ("{lines}", "W-1"),
            ("{extra}", "W-1"),
            ("{title", "{title"),
            ("no field at all", "no field at all"),
            ("{}{title}", "{}Box"),
        ],
    )
    def test_values_are_written_as_on_the_wire(self, template: str, shown: str) -> None:
        record = {
            "refName": "W-1",
            "title": "Box",
            "supplier": {"entityRefName": "ACME"},
            "price": Decimal128("1E+3"),
            "active": True,
            "count": 0,
            "lines": [{"sku": "A"}],
            "extra": {"a": 1},
        }
        assert render_display_name(replace(WIDGET, display=template), record) == shown

    def test_a_new_record_shows_its_template_unless_a_name_was_sent(self) -> None:
        assert made({"city": "Oslo"}, kind=SUPPLIER)["displayName"] == "Oslo:"
        assert made({"city": "Oslo", "displayName": "Mine"}, kind=SUPPLIER)["displayName"] == "Mine"

    @pytest.mark.parametrize(
        ("first", "then", "shown"),
        [
            pytest.param({"refName": "A"}, {"refName": "B"}, "B", id="automatic follows"),
            pytest.param(
                {"refName": "A"}, {"refName": "B", "displayName": "A"}, "B", id="read and sent back"
            ),
            pytest.param({"refName": "A"}, {"refName": "B", "displayName": "C"}, "C", id="chosen now"),
            pytest.param({"displayName": "C"}, {"displayName": "C"}, "C", id="chosen before, sent back"),
            pytest.param({"refName": "A", "displayName": "C"}, {}, "A", id="chosen before, left out"),
            pytest.param(
                {"refName": "A", "displayName": "C"}, {"displayName": "A"}, "A", id="chosen to be the name"
            ),
        ],
    )
    def test_a_replaced_record_keeps_a_chosen_name_only(
        self, first: Document, then: Document, shown: str
    ) -> None:
        assert replaced(made(first), then)["displayName"] == shown


class TestNextStates:
    @pytest.mark.parametrize(
        ("status", "states"),
        [("DRAFT", ("OPEN", "SCRAPPED")), ("SHIPPED", ()), (None, ("DRAFT",)), ("NOWHERE", ())],
    )
    def test_they_are_those_of_the_graph(self, status: str | None, states: tuple[str, ...]) -> None:
        assert next_states(WIDGET, {"status": status}) == {"status": states}

    def test_a_hidden_field_has_none(self) -> None:
        assert next_states(WIDGET, {"status": "DRAFT"}, {"status"}) == {}

    def test_each_is_accepted_by_a_save_and_no_other(self) -> None:
        for status in WIDGET.states["status"].states:
            stored = made() | {"status": status}
            open_now = next_states(WIDGET, stored)["status"]
            for target in WIDGET.states["status"].states:
                try:
                    replaced(stored, status=target)
                except ServiceError:
                    assert target not in open_now
                else:
                    assert target in open_now or target == status
