"""The common fields: one spelling on the wire, nothing unknown, nothing converted."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from runtime.model.field_type import model_fields
from runtime.model.record import (
    AuditInfo,
    DataDomain,
    DynamicAttribute,
    Page,
    Record,
    RecordInput,
    Strict,
    wire_name,
)

from .conftest import Widget, WidgetInput


@pytest.mark.parametrize(
    ("python", "wire"),
    [
        ("id", "id"),
        ("ref_name", "refName"),
        ("area2_realm_overrides", "area2RealmOverrides"),
        ("realm_reg_ex", "realmRegEx"),
        ("a_1_b", "a1B"),
    ],
)
def test_a_python_name_has_one_wire_name(python: str, wire: str) -> None:
    assert wire_name(python) == wire


@given(st.from_regex(r"[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*", fullmatch=True))
def test_wire_names_are_camel_case(python: str) -> None:
    wire = wire_name(python)
    assert "_" not in wire
    assert wire.lower() == python.replace("_", "")


def test_the_common_fields_of_the_specification_are_all_there() -> None:
    common = {
        "id",
        "refName",
        "displayName",
        "dataDomain",
        "activeStatus",
        "auditInfo",
        "version",
        "references",
        "actionList",
    }
    assert set(model_fields(Record)) == set(model_fields(RecordInput)) == common
    assert set(model_fields(AuditInfo)) >= {"createdBy", "createdDate", "lastUpdatedBy", "lastUpdatedDate"}
    assert set(model_fields(DataDomain)) == {
        "tenantId",
        "orgRefName",
        "accountId",
        "ownerId",
        "dataSegment",
    }


def test_the_fields_of_a_class_are_read_once_however_many_values_are_refused() -> None:
    assert model_fields(WidgetInput) is model_fields(WidgetInput)


def test_the_list_envelope_is_that_of_the_decisions() -> None:
    assert list(model_fields(Page[Widget])) == [
        "offset",
        "limit",
        "rows",
        "rowCount",
        "totalCount",
        "filter",
        "sort",
        "nextCursor",
    ]


def test_a_record_just_read_can_be_sent_back() -> None:
    read = {
        "id": "65f0a1b2c3d4e5f60718293a",
        "refName": "W-1",
        "displayName": "W-1",
        "dataDomain": {"tenantId": "acme", "dataSegment": 0},
        "activeStatus": "ACTIVE",
        "version": 3,
        "auditInfo": {"createdBy": "ann", "createdDate": "2026-03-27T04:12:14.118Z"},
        "references": [{"referencedId": "65f0a1b2c3d4e5f60718293b", "type": "x", "refName": "y"}],
        "actionList": ["VIEW"],
        "persistentEvents": [
            {"type": "PERSIST", "date": "2026-03-27T04:12:14.118Z", "userId": "ann", "version": 3}
        ],
    }
    body = Widget.model_validate_json(json.dumps(read)).model_dump_json(exclude_none=True)

    assert WidgetInput.model_validate_json(body).version == 3


@pytest.mark.parametrize(
    "body",
    ['{"ref_name": "x"}', '{"_id": "x"}', '{"unknown": 1}', '{"dataDomain": {"tenant_id": "x"}}'],
)
def test_python_names_and_unknown_members_are_refused(body: str) -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        RecordInput.model_validate_json(body)


def test_every_structure_is_strict() -> None:
    for structure in (AuditInfo, DataDomain, DynamicAttribute, Page, Record, RecordInput):
        assert issubclass(structure, Strict)
        assert structure.model_config["extra"] == "forbid"
        assert structure.model_config["strict"] is True
