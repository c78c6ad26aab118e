"""Record types read their field types from Pydantic classes and resolve dotted paths."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AwareDatetime, Field, create_model

from runtime.errors import Misconfigured, NotFound, UnknownField
from runtime.model.catalog import Catalog
from runtime.model.field_type import FieldType, ValueKind, model_fields
from runtime.model.later import Later
from runtime.model.record import EntityReference, ObjectIdText, Strict
from runtime.model.record_type import RecordType
from runtime.model.scalars import IsAttribute
from sample_generated.models.article import Article, ArticleInput, ArticleStored

from .conftest import NOTE, SUPPLIER, WIDGET, Line, Note, NoteInput

K = ValueKind


def field_type(annotation: Any) -> FieldType:
    model = create_model("Made", __base__=Strict, some_field=(annotation, ...))
    return model_fields(model)["someField"]


class TestFieldTypes:
    @pytest.mark.parametrize(
        ("annotation", "expected"),
        [
            (str, FieldType(K.STRING)),
            (Annotated[str, Field(max_length=3)], FieldType(K.STRING)),
            (int, FieldType(K.INTEGER)),
            (bool, FieldType(K.BOOLEAN)),
            (float, FieldType(K.NUMBER)),
            (Decimal, FieldType(K.DECIMAL)),
            (Annotated[Decimal, Field(ge=0)] | None, FieldType(K.DECIMAL)),
            (date, FieldType(K.DATE)),
            (datetime, FieldType(K.DATETIME)),
            (AwareDatetime, FieldType(K.DATETIME)),
            (AwareDatetime | None, FieldType(K.DATETIME)),
            (Any, FieldType(K.JSON)),
            (Annotated[Any, IsAttribute()], FieldType(K.JSON, is_attribute=True)),
            (ObjectIdText, FieldType(K.OBJECT_ID)),
            (ObjectIdText | None, FieldType(K.OBJECT_ID)),
            (None | str, FieldType(K.STRING)),
            (list[ObjectIdText], FieldType(K.LIST, item=FieldType(K.OBJECT_ID))),
            (list[list[int]] | None, FieldType(K.LIST, item=FieldType(K.LIST, item=FieldType(K.INTEGER)))),
            (dict[str, Decimal], FieldType(K.MAP, item=FieldType(K.DECIMAL))),
            (Literal["A", "B"] | None, FieldType(K.STRING, values=("A", "B"))),
        ],
        ids=lambda value: value.kind if isinstance(value, FieldType) else "from",
    )
    def test_an_annotation_says_how_the_store_keeps_it(self, annotation: Any, expected: FieldType) -> None:
        assert field_type(annotation) == expected

    def test_an_object_has_its_fields_by_wire_name(self) -> None:
        line = field_type(list[Line]).item

        assert line is not None
        assert line.kind is K.OBJECT
        assert not line.is_reference
        assert list(line.fields) == ["sku", "quantity", "product", "due"]
        assert line.fields["due"].kind is K.DATETIME

    def test_a_reference_is_marked_and_keeps_object_ids(self) -> None:
        reference = field_type(EntityReference | None)

        assert reference.is_reference
        assert reference.fields["entityId"].kind is K.OBJECT_ID
        assert reference.fields["entityRefName"].kind is K.STRING

    @pytest.mark.parametrize("annotation", [bytes, complex, tuple[int, int]], ids=str)
    def test_a_type_the_store_has_no_place_for_is_refused(self, annotation: Any) -> None:
        with pytest.raises(Misconfigured, match="no field type"):
            field_type(annotation)


class TestFields:
    def test_common_own_and_hidden_fields_stand_side_by_side(self) -> None:
        assert {"id", "dataDomain", "version", "title", "apiToken", "score"} <= set(WIDGET.fields)

    def test_hidden_fields_are_not_visible(self) -> None:
        assert set(WIDGET.fields) - set(WIDGET.visible) == {"apiToken"}

    def test_a_hidden_field_inside_an_object_has_its_type(self) -> None:
        assert WIDGET.fields["profile"].fields["secretMargin"].kind is K.DECIMAL

    def test_required_are_the_fields_every_stored_record_has(self) -> None:
        assert NOTE.required == {"refName", "displayName", "activeStatus", "version", "topic"}

    @pytest.mark.parametrize("path", ["lines.sku", "prices.EUR", "extra.secret", "nowhere", "title.x"])
    def test_what_has_no_lasting_path_cannot_be_hidden(self, path: str) -> None:
        with pytest.raises(Misconfigured, match=f"Widget: {path} cannot be hidden"):
            _ = replace(WIDGET, hidden=frozenset({path})).fields

    def test_types_are_compared_by_identity(self) -> None:
        assert WIDGET == WIDGET
        assert replace(WIDGET) != WIDGET
        assert len({WIDGET, SUPPLIER, WIDGET}) == 2


class TestFieldAt:
    @pytest.mark.parametrize(
        ("path", "kind"),
        [
            ("title", K.STRING),
            ("id", K.OBJECT_ID),
            ("dataDomain.tenantId", K.STRING),
            ("auditInfo.createdDate", K.DATETIME),
            ("lines", K.LIST),
            ("lines.quantity", K.INTEGER),
            ("lines.product.entityId", K.OBJECT_ID),
            ("prices.EUR", K.DECIMAL),
            ("extra.any.thing", K.JSON),
            ("profile", K.OBJECT),
            ("profile.title", K.STRING),
        ],
    )
    def test_a_path_steps_through_objects_lists_maps_and_json(self, path: str, kind: ValueKind) -> None:
        assert WIDGET.field_at(path).kind is kind

    @pytest.mark.parametrize(
        ("path", "near"),
        [
            ("titel", ["title"]),
            ("lines.quantty", ["quantity"]),
            ("dataDomain.tenant", ["tenantId"]),
            ("apiToken", []),
            ("apiTokn", []),
            ("profile.secretMargin", []),
            ("profile.secretMargn", []),
            ("profile.secretMargin.x", []),
            ("title.x", []),
            ("title.", []),
            ("", []),
            (".", []),
            ("lines.0.sku", []),
            ("_id", None),
            ("$where", None),
            ("extra.$gt", []),
            ("extra.a\0b", []),
            ("prices.", []),
            ("extra" + ".x" * 100_000, []),
        ],
        ids=lambda value: repr(value)[:30],
    )
    def test_an_unknown_or_hidden_path_is_refused_alike(self, path: str, near: list[str] | None) -> None:
        with pytest.raises(UnknownField) as caught:
            WIDGET.field_at(path)

        shown = caught.value.details["nearest"]
        assert near is None or shown[: len(near)] == near
        assert not {"apiToken", "secretMargin"} & set(shown)
        said = caught.value.message.removeprefix(f"Widget has no field {path[:200]}")
        assert "apiToken" not in said
        assert "secretMargin" not in said
        assert len(caught.value.message) < 400

    def test_what_rules_take_away_is_unknown_too(self) -> None:
        assert WIDGET.field_at("title").kind is K.STRING
        with pytest.raises(UnknownField):
            WIDGET.field_at("title", hidden=frozenset({"title"}))
        with pytest.raises(UnknownField):
            WIDGET.field_at("profile.title", hidden=frozenset({"profile"}))

    @given(st.text(max_size=30))
    def test_any_text_is_a_field_or_an_unknown_one(self, path: str) -> None:
        with suppress(UnknownField):
            assert isinstance(WIDGET.field_at(path), FieldType)


class TestCatalog:
    CATALOG = Catalog((WIDGET, SUPPLIER))

    def test_types_are_found_by_simple_and_by_qualified_name(self) -> None:
        assert self.CATALOG["Widget"] is WIDGET
        assert self.CATALOG["factory.Supplier"] is SUPPLIER
        assert list(self.CATALOG) == [WIDGET, SUPPLIER]

    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("Widgt", "did you mean Widget?"),
            ("office.Widget", "did you mean Widget?"),
            ("a.factory.Widget", "did you mean"),
            (".Widget", "did you mean"),
            ("widget", ""),
            ("", ""),
            ("Zzz", ""),
        ],
    )
    def test_any_other_name_is_not_found(self, name: str, hint: str) -> None:
        with pytest.raises(NotFound, match=f"no record type {name}") as caught:
            self.CATALOG[name]
        assert hint in caught.value.message

    def test_who_refers_to_a_type_is_known_with_every_path(self) -> None:
        ((kind, references),) = self.CATALOG.referrers(SUPPLIER)
        assert (kind, [one.path for one in references]) == (WIDGET, ["supplier", "maker"])
        ((_kind, (one,)),) = self.CATALOG.referrers(WIDGET)
        assert one.key == "lines.product.entityId"
        assert Catalog((SUPPLIER,)).referrers(SUPPLIER) == ()

    def test_two_types_of_one_name_are_refused(self) -> None:
        with pytest.raises(Misconfigured, match="share a name"):
            Catalog((WIDGET, replace(WIDGET, area="office")))


@pytest.mark.parametrize(
    ("model", "sent", "stored"),
    [
        pytest.param(Note, NoteInput, None, id="by class"),
        pytest.param(Later.of(Note), NoteInput, None, id="by name"),
        pytest.param(Article, ArticleInput, ArticleStored, id="stored as another, by class"),
        pytest.param(Later.of(Article), ArticleInput, ArticleStored, id="stored as another, by name"),
        pytest.param(Line, Line, None, id="one class"),
        pytest.param(Later.of(Line), Line, None, id="one class, by name"),
    ],
)
def test_classes_are_found_next_to_the_one_that_is_read(
    model: Any, sent: type[Strict], stored: type[Strict] | None
) -> None:
    kind: RecordType[Any] = RecordType(name="Found", area="office", model=model, collection="found")
    known = Catalog((kind,)).of_input(sent)
    assert (kind.input, kind.stored, replace(kind).input) == (sent, stored, sent)
    assert kind.fields.keys() >= model_fields(stored or sent).keys()
    assert known is (None if sent is Line else kind), "by the class that is sent"


def test_what_follows_from_the_name_and_the_path_need_not_be_given() -> None:
    kind: RecordType[Any] = RecordType(name="OfficeNote", area="office", model=Note, collection="notes")
    assert (kind.domain, replace(kind, domain="memo").domain) == ("officeNote", "memo")
    assert kind.operations == frozenset()
    assert replace(kind, base_path="/office/notes", operations=NOTE.operations).operations == NOTE.operations
