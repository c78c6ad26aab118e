"""Bodies that cannot be taken, and the problem bodies that say so."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError, create_model

from runtime.contract.writes import Bulk, BulkSet
from runtime.errors import (
    InternalFault,
    MalformedRequest,
    NotFound,
    RequestError,
    UnknownMember,
    ValidationFailed,
    leaves,
)
from runtime.model.formats import FORMAT_EXAMPLES, FORMAT_PATTERNS
from runtime.model.problems import build_problem_body, findings_of, refusal_of, validate_body, wire_path
from runtime.model.record import Strict
from runtime.system.models.query_delete_many_request import QueryDeleteManyRequest
from runtime.system.models.query_find_request import QueryFindRequest

from .conftest import WidgetInput

REFERENCE = '{"entityId": "<the id>"}'


class Saving(Strict):
    root_type: str | None = None
    entity: dict[str, Any] | None = None
    dry_run: bool = False


class Nothing(Strict):
    pass


class OnlyName(Strict):
    name: str | None = None


def _violations(body: Any) -> Any:
    with pytest.raises(ValidationFailed) as caught:
        validate_body(WidgetInput, json.dumps(body).encode())
    return caught.value.details["violations"]


class TestChecked:
    def test_a_good_body_becomes_the_model(self) -> None:
        widget = validate_body(WidgetInput, b'{"refName": "x", "lines": [{"sku": "A"}]}')

        assert widget.ref_name == "x"
        assert widget.lines is not None
        assert widget.lines[0].sku == "A"

    @pytest.mark.parametrize(
        "body",
        [
            pytest.param(b"", id="nothing"),
            pytest.param(b"{", id="unfinished"),
            pytest.param(b"{} x", id="more behind it"),
            pytest.param(b"{'refName': 1}", id="single quotes"),
            pytest.param(b'{"refName": 01}', id="leading zero"),
            pytest.param(b'\xef\xbb\xbf{"refName": "x"}', id="byte order mark"),
            pytest.param(b'{"refName": "\xff"}', id="not UTF-8"),
            pytest.param(b'{"refName": "\\ud800"}', id="half a surrogate pair"),
            pytest.param(b'{"refName": "a\nb"}', id="bare line break in a text"),
            pytest.param(b"[" * 100_000, id="deep"),
            pytest.param(b'{"extra":' + b"[" * 5_000 + b"]" * 5_000 + b"}", id="deep and closed"),
            pytest.param(b'{"count": ' + b"9" * 10_000 + b"}", id="number without end"),
            pytest.param(b'{"extra": ' + b"9" * 10_000 + b"}", id="free-form number without end"),
        ],
    )
    def test_what_is_not_json_is_malformed_and_says_where(self, body: bytes) -> None:
        with pytest.raises(MalformedRequest, match=r"the body is not JSON: .+ at line \d+ column \d+$"):
            validate_body(WidgetInput, body)

    @pytest.mark.parametrize(
        ("model", "body", "says"),
        [
            (Bulk, b'{"operations": []}', "operations: Array should have at least 1 item, not 0"),
            (
                BulkSet,
                b'{"filter": "a:1", "values": {}}',
                "values: Object should have at least 1 item, not 0",
            ),
        ],
        ids=["a list", "an object"],
    )
    def test_a_wrong_number_of_items_is_reported_in_words_of_json(
        self, model: type[Strict], body: bytes, says: str
    ) -> None:
        with pytest.raises(ValidationFailed) as caught:
            validate_body(model, body)
        assert caught.value.message == says

    @pytest.mark.parametrize("body", [b"[]", b"1", b"null", b'"x"', b"true"])
    def test_json_that_is_no_object_breaks_the_body_itself(self, body: bytes) -> None:
        with pytest.raises(ValidationFailed) as caught:
            validate_body(WidgetInput, body)
        assert [violation["path"] for violation in caught.value.details["violations"]] == ["body"]

    @pytest.mark.parametrize(
        ("body", "member", "hint"),
        [
            ({"refname": "x"}, "refname", "; did you mean refName"),
            ({"ref_name": "x"}, "ref_name", "; did you mean refName"),
            ({"_id": "x"}, "_id", ""),
            ({"zzzz": 1}, "zzzz", ""),
            (
                {"lines": [{"sku": "A"}, {"sku": "B", "quantty": 1}]},
                "lines[1].quantty",
                "; did you mean quantity",
            ),
            ({"dataDomain": {"tenant": "x"}}, "dataDomain.tenant", "; did you mean tenantId"),
            ({"profile": {"a b.c": 1}}, "profile.a b.c", ""),
            ({"": 1}, "", ""),
        ],
        ids=str,
    )
    def test_an_unknown_member_is_named(self, body: Any, member: str, hint: str) -> None:
        with pytest.raises(UnknownMember) as caught:
            validate_body(WidgetInput, json.dumps(body).encode())

        assert caught.value.details == {"member": member or "body"}
        assert caught.value.message.startswith(f"unknown member {member or 'body'}{hint}")

    @pytest.mark.parametrize("hidden", ["dataDomain", "dataDomain.tenantId"])
    def test_what_is_hidden_is_not_suggested(self, hidden: str) -> None:
        with pytest.raises(ValidationError) as caught:
            WidgetInput.model_validate({"dataDomain": {"tenant": "x"}})
        refusal = refusal_of(WidgetInput, findings_of(caught.value), {hidden})
        assert "tenantId" not in refusal.message

    def test_the_known_members_are_named_where_none_is_near(self) -> None:
        with pytest.raises(UnknownMember) as caught:
            validate_body(Saving, b'{"record": {}}')
        assert caught.value.message == "unknown member record; the members are dryRun, entity and rootType"

    @pytest.mark.parametrize(
        ("model", "advice"),
        [(Nothing, "; there are no members"), (OnlyName, "; the only member is name")],
    )
    def test_an_object_with_hardly_any_members_says_so(self, model: type[Strict], advice: str) -> None:
        with pytest.raises(UnknownMember) as caught:
            validate_body(model, b'{"zzzz": 1}')
        assert caught.value.message == f"unknown member zzzz{advice}"

    def test_many_known_members_are_not_named(self) -> None:
        with pytest.raises(UnknownMember) as caught:
            validate_body(WidgetInput, b'{"zzzz": 1}')
        assert caught.value.message == "unknown member zzzz"

    @pytest.mark.parametrize(
        ("body", "path", "message"),
        [
            ({"supplier": "LIS"}, "supplier", f"Input should be a reference, as in {REFERENCE}"),
            ({"supplier": ["LIS"]}, "supplier", f"Input should be a reference, as in {REFERENCE}"),
            ({"supplier": {"entityRefName": "L"}}, "supplier.entityId", f"Field required, as in {REFERENCE}"),
            (
                {"lines": [{"sku": "A", "product": 1}]},
                "lines[0].product",
                f"Input should be a reference, as in {REFERENCE}",
            ),
            (
                {"lines": [{"sku": "A", "product": {}}]},
                "lines[0].product.entityId",
                f"Field required, as in {REFERENCE}",
            ),
            ({"lines": ["x"]}, "lines[0]", "Input should be an object"),
        ],
    )
    def test_a_reference_is_shown(self, body: Any, path: str, message: str) -> None:
        assert _violations(body) == [{"path": path, "message": message}]

    @pytest.mark.parametrize(
        ("body", "path", "example"),
        [
            ({"madeOn": "2026-02-30"}, "madeOn", "2026-03-27"),
            ({"seenAt": "2026-02-30T04:12:14Z"}, "seenAt", "2026-03-27T04:12:14.118Z"),
            ({"seenAt": "2026-03-27T04:12:14"}, "seenAt", "2026-03-27T04:12:14.118Z"),
        ],
        ids=str,
    )
    def test_a_date_is_shown(self, body: Any, path: str, example: str) -> None:
        (violation,) = _violations(body)
        assert violation["path"] == path
        assert violation["message"].endswith(f"; write it as in {example}")

    def test_blank_text_is_called_so(self) -> None:
        with pytest.raises(ValidationFailed, match="query: is blank: write more than white space"):
            validate_body(QueryDeleteManyRequest, b'{"rootType": "Widget", "query": " "}')

    @pytest.mark.parametrize(
        ("sort", "message"),
        [
            ('"-name"', 'sort: Input should be a valid array, as in [{"field": …, "dir": …}]'),
            ('["name"]', 'sort[0]: Input should be an object, as in {"field": …, "dir": …}'),
            (
                '[{"field": "-name"}]',
                'sort[0].field: is not one field: write it without a sign, and "dir": "DESC" to descend',
            ),
        ],
        ids=["text", "names", "a sign"],
    )
    def test_the_form_of_an_order_is_named(self, sort: str, message: str) -> None:
        with pytest.raises(ValidationFailed) as caught:
            validate_body(QueryFindRequest, f'{{"rootType": "Widget", "sort": {sort}}}'.encode())
        assert caught.value.message == message

    @pytest.mark.parametrize("name", sorted(FORMAT_PATTERNS))
    def test_a_format_is_named_and_shown(self, name: str) -> None:
        example = FORMAT_EXAMPLES[name]
        formatted = create_model(
            "Formatted", text=(Annotated[str, Field(pattern=FORMAT_PATTERNS[name])], ...)
        )
        assert validate_body(formatted, json.dumps({"text": example}).encode())
        with pytest.raises(ValidationFailed) as caught:
            validate_body(formatted, b'{"text": " "}')
        assert caught.value.message == f"text: is not of the format {name}; write it as in {example}"

    def test_another_pattern_is_shown(self) -> None:
        coded = create_model("Coded", code=(Annotated[str, Field(pattern="^A-[0-9]+$")], ...))
        with pytest.raises(ValidationFailed, match="code: String should match pattern"):
            validate_body(coded, b'{"code": "B"}')

    def test_an_unknown_member_comes_before_violations(self) -> None:
        with pytest.raises(UnknownMember, match="titel"):
            validate_body(WidgetInput, b'{"count": "many", "titel": "x"}')

    def test_violations_have_wire_paths_and_messages(self) -> None:
        with pytest.raises(ValidationFailed) as caught:
            validate_body(
                WidgetInput,
                b'{"refName": "", "count": "1", "lines": [{"sku": "A", "quantity": 0}, {}], "status": "X"}',
            )

        violations = {entry["path"]: entry["message"] for entry in caught.value.details["violations"]}
        assert set(violations) == {"refName", "count", "lines[0].quantity", "lines[1].sku", "status"}
        assert violations["lines[1].sku"] == "Field required"
        assert violations["lines[0].quantity"] == "Input should be greater than or equal to 1"
        assert "lines[1].sku: Field required" in caught.value.message

    @pytest.mark.parametrize(
        "body",
        [
            {"version": 0},
            {"version": 2**31},
            {"version": True},
            {"version": 1.5},
            {"active": "true"},
            {"active": 1},
            {"count": "1"},
            {"title": 1},
            {"madeOn": "2026-02-30"},
            {"madeOn": 0},
            {"seenAt": "2026-03-27T04:12:14"},
            {"seenAt": "2026-03-27"},
            {"seenAt": 0},
            {"activeStatus": "active"},
            {"tags": "a"},
            {"tags": [None]},
            {"lines": {"sku": "A"}},
            {"prices": {"EUR": None}},
            {"dataDomain": {"dataSegment": 2**31}},
        ],
        ids=str,
    )
    def test_nothing_is_converted_silently(self, body: Any) -> None:
        with pytest.raises(ValidationFailed):
            validate_body(WidgetInput, json.dumps(body).encode())

    @pytest.mark.parametrize(
        "body", [{"ownerKey": "65F0A1B2C3D4E5F60718293G"}, {"id": "65f0a1b2c3d4e5f60718293a\n"}], ids=str
    )
    def test_malformed_ids_are_refused_as_such(self, body: Any) -> None:
        with pytest.raises(MalformedRequest):
            validate_body(WidgetInput, json.dumps(body).encode())

    def test_many_violations_are_capped_and_the_detail_names_five(self) -> None:
        with pytest.raises(ValidationFailed) as caught:
            validate_body(WidgetInput, json.dumps({"tags": [1] * 5000}).encode())

        assert len(caught.value.details["violations"]) == 20
        assert caught.value.message.count("tags[") == 5

    def test_an_unknown_member_behind_many_violations_is_still_named(self) -> None:
        body = {"tags": [1] * 5000, 'evil "{"type":"extra_forbidden"': 1}
        with pytest.raises(UnknownMember) as caught:
            validate_body(WidgetInput, json.dumps(body).encode())
        assert caught.value.details["member"] == 'evil "{"type":"extra_forbidden"'

    @pytest.mark.parametrize(
        "name", ['{"type":"extra_forbidden"', '"},{"type":"extra_forbidden","loc":["x"]']
    )
    def test_a_map_key_does_not_pass_for_an_unknown_member(self, name: str) -> None:
        with pytest.raises(ValidationFailed) as caught:
            validate_body(
                WidgetInput, json.dumps({"prices": {f"{name}{at}": [] for at in range(50)}}).encode()
            )
        assert len(caught.value.details["violations"]) == 20

    def test_the_first_violations_are_the_same_whether_many_follow_or_none(self) -> None:
        few, many = (_violations({"tags": [1] * count, "lines": [{}]}) for count in (20, 5000))
        assert many == few[:20]

    @pytest.mark.parametrize(
        "body", [{"x" * 100_000: 1}, {"prices": {"k" * 100_000: "no"}}], ids=["member", "map key"]
    )
    def test_a_long_name_does_not_come_back_whole(self, body: Any) -> None:
        with pytest.raises(RequestError) as caught:
            validate_body(WidgetInput, json.dumps(body).encode())
        assert len(caught.value.message) + len(json.dumps(caught.value.details)) < 2000

    def test_of_a_member_given_twice_the_last_one_counts(self) -> None:
        assert validate_body(WidgetInput, b'{"title": "a", "title": "b"}').title == "b"

    def test_input_values_are_not_echoed(self) -> None:
        with pytest.raises(ValidationFailed) as caught:
            validate_body(WidgetInput, b'{"apiToken": 12345678}')
        assert "12345678" not in caught.value.message + str(caught.value.details)

    def test_an_error_raised_by_a_validator_does_not_show_its_class(self) -> None:
        class Picky(Strict):
            code: Annotated[str, Field(pattern="^[A-Z]+$")]

        with pytest.raises(ValidationFailed) as caught:
            validate_body(Picky, b'{"code": "x"}')
        assert "Picky" not in caught.value.message + str(caught.value.details)

    @given(st.binary(max_size=60))
    def test_any_bytes_are_taken_or_refused_as_a_request_error(self, body: bytes) -> None:
        with suppress(RequestError):
            assert isinstance(validate_body(WidgetInput, body), WidgetInput)


class TestProblemBody:
    def test_the_members_of_rfc_9457_and_ours(self) -> None:
        error = NotFound("no Widget has the id 1")

        assert build_problem_body(error, instance="/x", request_id="r-1") == {
            "type": "urn:recordsmith:problem:record.not_found",
            "title": "Not found",
            "status": 404,
            "detail": "no Widget has the id 1",
            "instance": "/x",
            "code": "record.not_found",
            "requestId": "r-1",
        }

    def test_details_are_members_and_none_is_left_out(self) -> None:
        error = ValidationFailed("bad", violations=[], column=None)
        body = build_problem_body(error, instance="/x", request_id="r")
        assert body["violations"] == []
        assert "column" not in body

    def test_the_cause_never_shows(self) -> None:
        error = InternalFault("internal fault", cause=ValueError("s3cret"))
        assert "s3cret" not in json.dumps(build_problem_body(error, instance="/x", request_id="r"))

    @pytest.mark.parametrize("leaf", leaves(), ids=lambda leaf: leaf.__name__)
    def test_every_leaf_has_a_body(self, leaf: Any) -> None:
        body = build_problem_body(leaf("said"), instance="/x", request_id="r")
        assert (body["status"], body["code"], body["detail"]) == (leaf.status, leaf.code, "said")
        assert json.dumps(body)


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ((), "body"),
        (("refName",), "refName"),
        (("lines", 0, "sku"), "lines[0].sku"),
        ((0,), "[0]"),
        (("a", 0, 1, "b"), "a[0][1].b"),
    ],
)
def test_a_location_is_written_as_on_the_wire(location: tuple[int | str, ...], path: str) -> None:
    assert wire_path(location) == path
