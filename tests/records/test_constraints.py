"""Constraints of a record type: what breaks them is refused, or stored and marked."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from runtime.errors import ValidationFailed
from runtime.model.record_type import Constraint, RecordType
from runtime.records.document.constraints import find_violations, require_sound
from tests.records.parcels import LENIENT, PARCEL, stored

URGENT = {"path": "count", "message": "more than 100 only when urgent"}
QUANTITY = {"path": "lines.quantity", "message": "a line has a quantity"}


def constrained(*constraints: str) -> RecordType[Any]:
    return replace(PARCEL, constraints=tuple(Constraint(one, f"not {one}") for one in constraints))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        pytest.param({"count": 5}, [], id="in order"),
        pytest.param({"count": 100, "urgent": True}, [], id="by the other side"),
        pytest.param({"count": 100}, [URGENT], id="one broken"),
        pytest.param({"count": 5, "lines": [{"sku": "A", "quantity": 0}]}, [QUANTITY], id="in a list"),
        pytest.param({"lines": [{"sku": "A", "quantity": 0}]}, [URGENT, QUANTITY], id="two broken"),
    ],
)
def test_violations(members: dict[str, Any], expected: list[dict[str, str]]) -> None:
    assert find_violations(PARCEL, stored(**members)) == expected


@pytest.mark.parametrize(
    ("when", "path"),
    [
        ("count:>5", "count"),
        ("place.city:Rome && label:x", "place.city"),
        ("!!(born:~ || label:Lamp)", "born"),
        ("customer:~", "customer"),
        ("tags:^[a,b]", "tags"),
        ("lines:{sku:A && quantity:>1}", "lines.sku"),
        ("id:000000000000000000000000", "id"),
    ],
)
def test_the_path_is_the_first_field_named(when: str, path: str) -> None:
    assert find_violations(constrained(when), stored()) == [{"path": path, "message": f"not {when}"}]


class TestVariables:
    """A constraint may speak of the caller."""

    KIND = constrained("dataDomain.tenantId:${pTenantId}", "seenBy:!${principalId}")

    def test_with_their_values(self) -> None:
        caller = {"pTenantId": "acme", "principalId": "ann"}
        assert find_violations(self.KIND, stored(), caller) == []
        assert find_violations(self.KIND, stored(seenBy="ann"), caller) != []
        assert find_violations(self.KIND, stored(), {**caller, "pTenantId": "globex"}) != []

    def test_one_without_a_value_breaks_it(self) -> None:
        """What cannot be decided is refused, however it is negated."""
        assert len(find_violations(self.KIND, stored())) == 2
        assert len(find_violations(self.KIND, stored(), {"pTenantId": "acme", "principalId": None})) == 1


def test_a_strict_type_refuses_with_all_violations() -> None:
    found = {"path": "title", "message": "too long"}
    with pytest.raises(ValidationFailed, match="title: too long; count: more") as error:
        require_sound(PARCEL, stored(count=200), [found])
    assert error.value.details["violations"] == [found, URGENT]


def test_a_lenient_type_marks_the_record() -> None:
    found = {"path": "label", "message": "Field required"}
    record = stored(count=200)
    require_sound(LENIENT, record, [found])
    assert record == stored(count=200, invalid=True, violations=[found, URGENT])


@pytest.mark.parametrize("kind", [PARCEL, LENIENT], ids=["strict", "lenient"])
def test_the_marks_go_when_the_record_is_in_order(kind: RecordType[Any]) -> None:
    record = stored(count=5, invalid=True, violations=[URGENT])
    require_sound(kind, record)
    assert record == stored(count=5)


def test_a_client_cannot_mark_a_record() -> None:
    record = stored(count=200, invalid=False, violations=[])
    require_sound(LENIENT, record)
    assert record["invalid"] is True
    assert record["violations"] == [URGENT]


def test_the_number_of_stored_violations_is_bounded() -> None:
    record = stored(count=5)
    require_sound(LENIENT, record, [URGENT] * 1000)
    assert len(record["violations"]) == 100


def test_checking_changes_nothing() -> None:
    record = stored(count=200)
    before = deepcopy(record)
    find_violations(PARCEL, record)
    assert record == before
