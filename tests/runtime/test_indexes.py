"""Indexes: what a record type asks for, and what the real MongoDB makes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.errors import OperationFailure

from runtime.errors import Duplicate, Misconfigured
from runtime.model.catalog import Catalog
from runtime.model.record_type import Index, RecordType
from runtime.storage.index_conflicts import explain_refusal
from runtime.storage.indexes import (
    apply_indexes,
    find_conflicts,
    find_missing_indexes,
    plan_index_models,
    plan_indexes,
)
from runtime.storage.store import Store
from tests.reused import take_database

from .conftest import NOTE, SUPPLIER, WIDGET, AccessTo, Document, stored_widget

pytestmark = pytest.mark.anyio

TENANT = "dataDomain.tenantId"


def _plan(kind: RecordType[Any]) -> dict[str, Document]:
    return {model.document["name"]: model.document for model in plan_index_models(kind)}


def _note(tenant: str = "acme", **members: Any) -> Document:
    return stored_widget(tenant, topic="hello world", **members)


class TestPlanned:
    def test_every_type_has_its_tenant_and_a_unique_ref_name(self) -> None:
        plan = _plan(SUPPLIER)

        assert list(plan) == ["tenant_id", "tenant_refName"]
        assert dict(plan["tenant_id"]["key"]) == {TENANT: 1, "_id": 1}
        assert dict(plan["tenant_refName"]["key"]) == {TENANT: 1, "refName": 1}
        assert plan["tenant_refName"]["unique"] is True
        assert "unique" not in plan["tenant_id"]

    def test_declared_ones_stand_behind_the_tenant_unless_they_are_of_the_realm(self) -> None:
        plan = _plan(NOTE)

        assert {name: dict(document["key"]) for name, document in plan.items()} == {
            "tenant_id": {TENANT: 1, "_id": 1},
            "tenant_refName": {TENANT: 1, "refName": 1},
            "tenant_topic_version-_id-": {TENANT: 1, "topic": 1, "version": -1, "_id": -1},
            "tenant_code": {TENANT: 1, "code": 1},
            "handle": {"handle": 1},
            "expiresAt": {"expiresAt": 1},
            "text": {"topic": "text"},
        }
        assert plan["expiresAt"]["expireAfterSeconds"] == 0

    def test_a_unique_optional_field_is_compared_where_it_is_present(self) -> None:
        plan = _plan(replace(NOTE, indexes=(Index((("topic", 1), ("code", 1)), unique=True),)))
        assert plan["tenant_topic_code"]["partialFilterExpression"] == {"code": {"$exists": True}}

    def test_a_unique_required_field_has_a_whole_index(self) -> None:
        plan = _plan(replace(NOTE, indexes=(Index((("topic", 1),), unique=True),)))
        assert "partialFilterExpression" not in plan["tenant_topic"]

    @pytest.mark.parametrize(
        "index",
        [
            Index((("refName", 1),)),
            Index((("refName", 1),), unique=True),
            Index((("_id", 1),)),
        ],
        ids=str,
    )
    def test_what_is_there_anyway_is_not_planned_twice(self, index: Index) -> None:
        assert _plan(replace(SUPPLIER, indexes=(index,))) == _plan(SUPPLIER)
        assert len(plan_index_models(replace(SUPPLIER, indexes=(index,)))) == 2

    def test_a_renamed_field_has_each_index_under_both_names(self) -> None:
        indexes = (Index((("topic", -1), ("version", 1))), Index((("seenAt", 1),), expire_after_seconds=5))
        before = _plan(replace(NOTE, indexes=indexes))
        plan = _plan(replace(NOTE, indexes=indexes, renamed={"topic": "theme"}))
        assert plan.keys() - before.keys() == {"tenant_theme-_version_id"}
        assert plan["text"]["key"] == {"topic": "text", "theme": "text"}
        supplied = _plan(replace(WIDGET, renamed={"supplier": "vendor"}))
        assert "tenant_vendor.entityId_id" in supplied

    @pytest.mark.parametrize("first_is_unique", [True, False])
    def test_of_two_over_the_same_keys_the_unique_one_is_made(self, first_is_unique: bool) -> None:
        both = tuple(Index((("topic", 1),), unique=flag) for flag in (first_is_unique, not first_is_unique))
        models = plan_index_models(replace(NOTE, indexes=both, text=()))

        assert [model.document["name"] for model in models] == ["tenant_id", "tenant_refName", "tenant_topic"]
        assert models[-1].document["unique"] is True

    def test_a_unique_field_has_one_index_and_another_to_sort_by_where_it_asks_for_it(self) -> None:
        unique = Index((("code", -1),), unique=True)
        plan = _plan(replace(NOTE, indexes=(unique,), text=()))
        assert list(plan) == ["tenant_id", "tenant_refName", "tenant_code-"]
        assert plan["tenant_code-"]["partialFilterExpression"] == {"code": {"$exists": True}}

        plan = _plan(replace(NOTE, indexes=(unique, Index((("code", -1),))), text=()))
        assert dict(plan["tenant_code-_id-"]["key"]) == {TENANT: 1, "code": -1, "_id": -1}
        assert "unique" not in plan["tenant_code-_id-"]

    def test_a_unique_reference_has_one_index(self) -> None:
        unique = Index((("supplier.entityId", 1),), unique=True)
        plan = _plan(replace(WIDGET, indexes=(unique,)))
        assert [name for name in plan if "supplier" in name] == ["tenant_supplier.entityId"]

    @pytest.mark.parametrize(
        ("keys", "name"),
        [
            pytest.param((("topic", 1), ("refName", -1)), "tenant_topic_refName-", id="with the refName"),
            pytest.param((("topic", 1), ("id", -1)), "tenant_topic_id-", id="with the id"),
            pytest.param((("topic", 1),), "tenant_topic_id", id="with neither"),
        ],
    )
    def test_the_tie_break_is_added_where_records_may_tie(
        self, keys: tuple[tuple[str, int], ...], name: str
    ) -> None:
        assert name in _plan(replace(NOTE, indexes=(Index(keys),)))

    def test_every_reference_has_one_once(self) -> None:
        plan = _plan(WIDGET)
        keys = ["supplier.entityId", "maker.entityId", "lines.product.entityId"]
        assert [list(document["key"])[1] for document in plan.values()] == ["_id", "refName", *keys]
        assert all(list(document["key"])[-1] in ("_id", "refName") for document in plan.values())
        declared = tuple(Index(((key, 1),)) for key in keys)
        assert _plan(replace(WIDGET, indexes=declared)) == plan

    def test_an_order_by_language_has_an_index_next_to_that_by_octets(self) -> None:
        by_topic = [Index((("topic", 1),), language=language) for language in (None, "en", "sv")]
        plan = _plan(replace(NOTE, indexes=(*by_topic, Index((("code", -1),), language="en"))))
        keys = {TENANT: 1, "topic": 1, "_id": 1}
        for name, language in (("", None), ("_ci_en", "en"), ("_ci_sv", "sv")):
            document = plan[f"tenant_topic_id{name}"]
            assert dict(document["key"]) == keys
            assert document.get("collation", {}).get("locale") == language
            assert document.get("collation", {}).get("strength") == (2 if language else None)
        assert dict(plan["tenant_code-_id-_ci_en"]["key"]) == {TENANT: 1, "code": -1, "_id": -1}

    def test_names_of_long_paths_differ(self) -> None:
        deep = ".".join(["aVeryLongFieldName"] * 10)
        kind = replace(NOTE, indexes=(Index(((deep, 1),)), Index(((deep, 1), ("topic", 1)))), text=())
        assert len(_plan(kind)) == len(plan_index_models(kind)) == 4


class TestApplied:
    @pytest.fixture
    async def applied(self, store: Store, realm: str) -> Store:
        await apply_indexes(store, realm, Catalog((WIDGET, SUPPLIER, NOTE)))
        return store

    async def test_the_store_has_what_was_planned_and_applying_again_changes_nothing(
        self, applied: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        catalog = Catalog((WIDGET, SUPPLIER, NOTE))
        before = {kind.name: mongo_client[realm][kind.collection].index_information() for kind in catalog}
        assert {name: set(found) - {"_id_"} for name, found in before.items()} == {
            kind.name: set(_plan(kind)) for kind in catalog
        }

        await apply_indexes(applied, realm, catalog)

        after = {kind.name: mongo_client[realm][kind.collection].index_information() for kind in catalog}
        assert after == before
        assert await find_missing_indexes(applied, realm, catalog) == []

    async def test_the_language_of_an_index_is_part_of_its_definition(
        self, applied: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        keys = (("topic", 1),)
        kind = replace(NOTE, indexes=tuple(Index(keys, language=one) for one in (None, "en", "da")))
        names = ["tenant_topic_id", "tenant_topic_id_ci_en", "tenant_topic_id_ci_da"]
        (plan,) = await plan_indexes(applied, realm, Catalog((kind,)))
        assert sorted(plan.make) == sorted(names)
        await apply_indexes(applied, realm, Catalog((kind,)))
        (plan,) = await plan_indexes(applied, realm, Catalog((kind,)))
        assert (plan.make, set(names) - set(plan.keep)) == ((), set())

        rows = mongo_client[realm]["notes"]
        rows.drop_index("tenant_topic_id_ci_da")
        indexed = [("dataDomain.tenantId", 1), ("topic", 1), ("_id", 1)]
        rows.create_index(indexed, name="by-hand", collation={"locale": "sv", "strength": 2})
        (plan,) = await plan_indexes(applied, realm, Catalog((kind,)))
        assert plan.make == ("tenant_topic_id_ci_da",)
        assert "by-hand" in plan.unknown

    async def test_an_index_of_somebody_else_is_left_alone(
        self, applied: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        mongo_client[realm]["notes"].create_index("version", name="by-hand")
        await apply_indexes(applied, realm, Catalog((NOTE,)))
        assert "by-hand" in mongo_client[realm]["notes"].index_information()

    async def test_what_is_missing_is_named(self, applied: Store, realm: str) -> None:
        more = replace(NOTE, indexes=(*NOTE.indexes, Index((("version", 1),))))
        assert await find_missing_indexes(applied, realm, Catalog((WIDGET, more))) == [
            "notes.tenant_version_id"
        ]

    async def test_images_that_are_not_as_asked_are_named(self, applied: Store, realm: str) -> None:
        followed = Catalog((replace(NOTE, changes=True), WIDGET))
        assert [plan.images for plan in await plan_indexes(applied, realm, followed)] == ["on", None]
        assert await find_missing_indexes(applied, realm, followed) == ["notes.images"]
        await apply_indexes(applied, realm, followed)
        assert [plan.images for plan in await plan_indexes(applied, realm, followed)] == [None, None]
        assert await find_missing_indexes(applied, realm, followed) == []
        (plan,) = await plan_indexes(applied, realm, Catalog((NOTE,)))
        assert plan.images == "off"
        assert await find_missing_indexes(applied, realm, Catalog((NOTE,))) == [], "nothing is missing"

    async def test_a_unique_field_is_unique_within_a_tenant(
        self, applied: Store, access_to: AccessTo
    ) -> None:
        await applied.insert(access_to(NOTE), _note(code="A"))
        await applied.insert(access_to(NOTE, "globex"), _note("globex", code="A"))
        with pytest.raises(Duplicate, match="another Note has the code A"):
            await applied.insert(access_to(NOTE), _note(code="A"))

    async def test_a_field_unique_in_the_realm_is_unique_across_tenants(
        self, applied: Store, access_to: AccessTo
    ) -> None:
        await applied.insert(access_to(NOTE), _note(handle="ann"))
        with pytest.raises(Duplicate, match="another Note has the handle ann"):
            await applied.insert(access_to(NOTE, "globex"), _note("globex", handle="ann"))

    async def test_a_unique_optional_field_may_be_absent_many_times(
        self, applied: Store, access_to: AccessTo
    ) -> None:
        assert await applied.insert_many(access_to(NOTE), [_note() for _ in range(3)]) == {}

    @pytest.mark.parametrize("language", ["klingon", "de", ""])
    async def test_a_field_called_language_is_just_a_field(
        self, language: str, applied: Store, access_to: AccessTo
    ) -> None:
        await applied.insert(access_to(NOTE), _note(language=language))

    async def test_stored_records_that_break_a_unique_index_are_a_misconfiguration(
        self, store: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        mongo_client[realm]["notes"].insert_many([_note(code="A"), _note(code="A")])

        with pytest.raises(
            Misconfigured,
            match=f"realm {realm}: the indexes of notes cannot be created: tenant_code: 1 value",
        ) as caught:
            await apply_indexes(store, realm, Catalog((WIDGET, NOTE)))

        assert caught.value.cause is not None
        assert "E11000" not in caught.value.message

    async def test_stored_duplicates_are_counted_and_shown(
        self, store: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        notes = [_note(code=code) for code in ("A", "A", "A", "A", "B", "B", "C")]
        mongo_client[realm]["notes"].insert_many([*notes, _note("globex", code="A"), _note(), _note()])

        (found,) = await find_conflicts(store, realm, NOTE)

        assert (found.index, found.values, found.records) == ("tenant_code", 2, 6)
        ids = ", ".join(sorted(str(note["_id"]) for note in notes[:3]))
        assert f'{TENANT} "acme", code "A" in 4 ({ids} …); {TENANT} "acme", code "B" in 2' in found.message
        assert '"C"' not in found.message

    async def test_a_value_that_is_hidden_is_not_shown(
        self, store: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        mongo_client[realm]["notes"].insert_many([_note(code="s3cret") for _ in range(2)])
        (found,) = await find_conflicts(store, realm, replace(NOTE, hidden=frozenset({"code"})))
        assert "code (hidden) in 2" in found.message
        assert "s3cret" not in found.message

    async def test_a_record_that_has_a_value_twice_in_a_list_is_no_duplicate(
        self, store: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        kind = replace(WIDGET, references=(), indexes=(Index((("lines.sku", 1),), unique=True),))
        lines = [{"sku": "A"}, {"sku": "A"}]
        mongo_client[realm]["widgets"].insert_many([stored_widget(lines=lines), stored_widget(lines=[])])
        assert await find_conflicts(store, realm, kind) == ()
        mongo_client[realm]["widgets"].insert_one(stored_widget(lines=[{"sku": "B"}, {"sku": "A"}]))
        (found,) = await find_conflicts(store, realm, kind)
        assert (found.values, found.records) == (1, 2)
        with pytest.raises(Misconfigured, match=r'lines\.sku "A" in 2'):
            await apply_indexes(store, realm, Catalog((kind,)))

    async def test_more_indexes_than_the_store_takes_are_explained(self, store: Store, realm: str) -> None:
        kind = replace(NOTE, indexes=tuple(Index(((f"topic{at}", 1),)) for at in range(61)), text=("topic",))
        (found,) = await find_conflicts(store, realm, kind)
        assert "would have 65 indexes" in found.message
        with pytest.raises(Misconfigured, match="would have 65 indexes with it, and MongoDB takes 64"):
            await apply_indexes(store, realm, Catalog((kind,)))
        fits = replace(kind, text=())
        assert await find_conflicts(store, realm, fits) == ()
        await apply_indexes(store, realm, Catalog((fits,)))
        with pytest.raises(OperationFailure) as refusal:
            await store.bare_database(realm)["notes"].create_index("title")
        assert "has at most 64 indexes" in explain_refusal(refusal.value.code, str(refusal.value))

    async def test_an_index_that_cannot_be_is_explained_by_the_store(self, store: Store, realm: str) -> None:
        kind = replace(NOTE, indexes=(Index((("topic", 1),), expire_after_seconds=-1),))
        with pytest.raises(Misconfigured, match="cannot be less than 0") as refusal:
            await apply_indexes(store, realm, Catalog((kind,)))
        assert "64" not in refusal.value.message.replace(realm, "")

    async def test_an_index_over_two_lists_is_explained(
        self, store: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        kind = replace(WIDGET, indexes=(Index((("tags", 1), ("lines.sku", 1))),))
        mongo_client[realm]["widgets"].insert_one(stored_widget(tags=["a"], lines=[{"sku": "A"}]))
        with pytest.raises(Misconfigured, match="widgets cannot be created: an index is over two lists"):
            await apply_indexes(store, realm, Catalog((kind,)))

    async def test_an_index_of_the_same_name_and_other_keys_is_a_misconfiguration(
        self, store: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        mongo_client[realm]["notes"].create_index("version", name="tenant_code")
        with pytest.raises(Misconfigured, match=r"notes .* another definition: .*--drop-unknown"):
            await apply_indexes(store, realm, Catalog((NOTE,)))

    async def test_a_plan_tells_what_to_make_to_keep_and_what_is_unknown(
        self, applied: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        mongo_client[realm]["notes"].create_index("version", name="by-hand")
        mongo_client[realm]["notes"].drop_index("tenant_code")
        mongo_client[realm]["notes"].create_index("topic", name="tenant_code")
        mongo_client[realm]["notes"].drop_index("text")

        (plan,) = await plan_indexes(applied, realm, Catalog((NOTE,)))

        assert plan.collection == "notes"
        assert plan.make == ("tenant_code", "text"), "another definition is not what was asked for"
        assert set(plan.unknown) == {"by-hand", "tenant_code"}
        assert {*plan.make, *plan.keep} == set(_plan(NOTE))

    @pytest.mark.parametrize(
        ("keys", "options"),
        [
            pytest.param([("version", 1)], {"name": "by-hand"}, id="of somebody else"),
            pytest.param([("version", 1)], {"name": "tenant_code"}, id="of the same name"),
            pytest.param([(TENANT, 1), ("_id", 1)], {"name": "mine"}, id="over the same keys"),
            pytest.param([("code", "text")], {"name": "words"}, id="another text index"),
            pytest.param(
                [("expiresAt", 1)], {"name": "expiresAt", "expireAfterSeconds": 9}, id="with another expiry"
            ),
        ],
    )
    async def test_unknown_ones_are_dropped_when_asked(
        self,
        store: Store,
        realm: str,
        mongo_client: MongoClient[Document],
        keys: list[tuple[str, Any]],
        options: Document,
    ) -> None:
        mongo_client[realm]["notes"].create_index(keys, **options)

        await apply_indexes(store, realm, Catalog((NOTE,)), drop_unknown=True)

        (plan,) = await plan_indexes(store, realm, Catalog((NOTE,)))
        assert (plan.make, plan.unknown) == ((), ())
        assert set(plan.keep) == set(_plan(NOTE))

    async def test_building_may_take_longer_than_a_command(
        self, mongo_uri: str, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        words = " ".join(f"word{at}" for at in range(200))
        notes = [_note(refName=str(at), text=f"{words} {at}") for at in range(4000)]
        mongo_client[realm]["notes"].insert_many(notes)
        hurried = Store(mongo_uri, timeout_ms=250)
        try:
            kind = replace(NOTE, text=("text",))
            await apply_indexes(hurried, realm, Catalog((kind,)))
            assert await find_missing_indexes(hurried, realm, Catalog((kind,))) == []
        finally:
            await hurried.close()

    @pytest.mark.parametrize("at_once", [1, 2, 5, 64])
    async def test_builds_at_the_same_time_create_the_same(
        self, store: Store, realm: str, at_once: int
    ) -> None:
        await apply_indexes(store, realm, Catalog((NOTE, WIDGET)), at_once=at_once)
        assert await find_missing_indexes(store, realm, Catalog((NOTE, WIDGET))) == []

    async def test_one_of_several_builds_that_is_refused_is_reported_once_all_have_ended(
        self, store: Store, realm: str, mongo_client: MongoClient[Document]
    ) -> None:
        mongo_client[realm]["notes"].insert_many([_note(refName="same"), _note(refName="same")])
        for at_once in (2, 64):
            with pytest.raises(Misconfigured, match="tenant_refName"):
                await apply_indexes(store, realm, Catalog((NOTE,)), at_once=at_once)
        (plan,) = await plan_indexes(store, realm, Catalog((NOTE,)))
        assert plan.make == ("tenant_refName",)


def test_a_database_that_is_used_again_is_not_of_another_client(mongo_uri: str) -> None:
    """Files with a server of their own close their client; the next file has another."""
    with MongoClient[Document](mongo_uri) as first, take_database(first, Catalog(())) as prepared:
        prepared.note_shape()
    with MongoClient[Document](mongo_uri) as second, take_database(second, Catalog(())) as prepared:
        assert prepared.client is second
