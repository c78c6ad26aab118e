"""Cursors: what they carry, what they refuse, and that going on behind a row loses and doubles none."""

from __future__ import annotations

import base64
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import cmp_to_key
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from bson import Decimal128, Int64, ObjectId
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient
from pymongo.collection import Collection

from runtime.contract.pages import MAX_CURSOR
from runtime.errors import InvalidParameter
from runtime.filter import (
    EVERYTHING,
    NOTHING,
    Predicate,
    RowOrder,
    after,
    any_of,
    parse_projection,
    row_order,
    tells_apart,
)
from runtime.model.record_type import Index
from runtime.principal import DomainScope
from runtime.records.document.cursor import Cursors, Position
from runtime.settings import Settings
from runtime.storage.access import Access, Action
from runtime.storage.wire import without
from runtime.tokens import Tokens
from tests.properties import examples
from tests.records.rows import ROW, Document, value_at

QUIET = settings(
    max_examples=examples(200, nightly=5000),
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],  # each attempt to make a failure smaller would ask the store
)
ID = ObjectId("65f0c0ffee00c0ffee00c0de")
ACCESS = Access(kind=ROW, action=Action.VIEW, database="main", domain=DomainScope("acme"))


def order_of(sort: str | None = None, access: Access = ACCESS) -> RowOrder:
    return row_order(sort, access.kind, access.hidden, in_one_tenant=access.domain.tenant_id is not None)


def cursors(
    tokens: Tokens, sort: str | None = None, filter_text: str | None = None, access: Access = ACCESS
) -> Cursors:
    return Cursors.of(tokens, access, filter_text, order_of(sort, access))


class TestCarried:
    @pytest.mark.parametrize(
        ("sort", "row", "values"),
        [
            pytest.param(None, {}, (ID,), id="the id alone"),
            pytest.param("name", {"name": "Ünï 'x'"}, ("Ünï 'x'", ID), id="text"),
            pytest.param("name", {"name": ""}, ("", ID), id="empty text"),
            pytest.param("name", {}, (None, ID), id="missing"),
            pytest.param("name", {"name": None}, (None, ID), id="null"),
            pytest.param("count", {"count": Int64(2**63 - 1)}, (2**63 - 1, ID), id="64 bits"),
            pytest.param("ratio", {"ratio": -0.1}, (-0.1, ID), id="double"),
            pytest.param("price", {"price": Decimal128("1.10")}, (Decimal128("1.10"), ID), id="decimal"),
            pytest.param("active", {"active": False}, (False, ID), id="boolean"),
            pytest.param(
                "seenAt", {"seenAt": datetime(2026, 3, 27, 4, 12, 14, 118000)},
                (datetime(2026, 3, 27, 4, 12, 14, 118000), ID), id="moment",
            ),
            pytest.param("ownerKey", {"ownerKey": ID}, (ID, ID), id="object id"),
            pytest.param("place.city", {"place": {"city": "Bern"}}, ("Bern", ID), id="inside an object"),
            pytest.param("place.city", {"place": {"floor": 1}}, (None, ID), id="missing inside an object"),
            pytest.param("-active,count", {"active": True}, (True, None, ID), id="several"),
            pytest.param("-code", {"code": "A"}, ("A",), id="no tie-break behind a unique field"),
        ],
    )  # fmt: skip
    def test_every_value_comes_back_as_it_was(
        self, tokens: Tokens, sort: str | None, row: Document, values: tuple[Any, ...]
    ) -> None:
        made = cursors(tokens, sort)
        text = made.write({"_id": ID, **row}, 50)
        assert text is not None
        position = made.read(text)
        assert position == Position(values, 50)
        assert [type(one) for one in position.values if isinstance(one, bool | str | ObjectId)] == [
            type(one) for one in values if isinstance(one, bool | str | ObjectId)
        ]

    def test_a_cursor_fits_into_a_url_or_there_is_none(self, tokens: Tokens) -> None:
        made = cursors(tokens, "name")
        longest = max(n for n in range(5900, 6200) if made.write({"_id": ID, "name": "x" * n}, 0))
        text = made.write({"_id": ID, "name": "x" * longest}, 0)
        assert text is not None
        assert len(text) <= MAX_CURSOR
        assert made.write({"_id": ID, "name": "x" * (longest + 1)}, 0) is None
        assert made.read(text).values == ("x" * longest, ID)
        assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    @pytest.mark.parametrize("value", [["a"], {"a": 1}, b"x"], ids=["list", "object", "binary"])
    def test_a_value_that_no_field_can_have_has_no_cursor(self, tokens: Tokens, value: Any) -> None:
        assert cursors(tokens, "name").write({"_id": ID, "name": value}, 0) is None

    def test_a_free_form_order_has_no_cursors(self, tokens: Tokens) -> None:
        made = cursors(tokens, "extra,name")
        assert made.write({"_id": ID, "extra": 1, "name": "a"}, 0) is None
        with pytest.raises(InvalidParameter, match="free-form field has no cursors: use skip"):
            made.read("x")


class TestRefused:
    @pytest.mark.parametrize(
        ("sort", "filter_text", "changes"),
        [
            pytest.param("-name", "count:1", {}, id="another direction"),
            pytest.param("name,count", "count:1", {}, id="more keys"),
            pytest.param(None, "count:1", {}, id="another order"),
            pytest.param("name", "count:2", {}, id="another filter"),
            pytest.param("name", None, {}, id="no filter"),
            pytest.param("name", "count:1", {"database": "other"}, id="another database"),
            pytest.param("name", "count:1", {"domain": DomainScope("globex")}, id="another tenant"),
            pytest.param("name", "count:1", {"domain": DomainScope("acme", "north")}, id="a narrower scope"),
            pytest.param("name", "count:1", {"domain": DomainScope()}, id="no tenant"),
            pytest.param("name", "count:1", {"kind": replace(ROW, name="Other")}, id="another record type"),
            pytest.param("name", "count:1", {"kind": replace(ROW, area="other")}, id="another area"),
        ],
    )
    def test_the_cursor_of_another_list(
        self, tokens: Tokens, sort: str | None, filter_text: str | None, changes: Document
    ) -> None:
        text = cursors(tokens, "name", "count:1").write({"_id": ID, "name": "a"}, 1)
        assert text is not None
        other = cursors(tokens, sort, filter_text, replace(ACCESS, **changes))
        with pytest.raises(InvalidParameter, match="belongs to another filter or sort"):
            other.read(text)

    def test_the_same_list_in_other_words_is_the_same_list(self, tokens: Tokens) -> None:
        text = cursors(tokens, "name", "").write({"_id": ID, "name": "a"}, 1)
        assert text is not None
        assert cursors(tokens, "+name, id", None).read(text) == cursors(tokens, "name", "").read(text)

    def test_every_changed_letter(self, tokens: Tokens) -> None:
        made = cursors(tokens, "name")
        text = made.write({"_id": ID, "name": "a"}, 1)
        assert text is not None
        for at, letter in enumerate(text):
            for other in {"A", "B", "_", "é", " ", "=", "\n"} - {letter}:
                with pytest.raises(InvalidParameter):
                    made.read(text[:at] + other + text[at + 1 :])
        for changed in (text[1:], text[:-1], text + "A", text + "=", f" {text}", f"{text}\n", text * 2):
            with pytest.raises(InvalidParameter):
                made.read(changed)

    @pytest.mark.parametrize(
        "text",
        ["", "A", "x", "AAAA", "====", "A" * 22, "A" * 8192, "\ud800", "日本", "../..", "{}", "%00", "\x00"],
        ids=lambda text: repr(text[:8]),
    )
    def test_what_never_was_a_cursor(self, tokens: Tokens, text: str) -> None:
        with pytest.raises(InvalidParameter) as caught:
            cursors(tokens).read(text)
        assert caught.value.details == {"parameter": "cursor"}

    def test_values_signed_by_nobody(self, tokens: Tokens) -> None:
        made = cursors(tokens)
        text = made.write({"_id": ID}, 0)
        assert text is not None
        payload = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))[16:]
        for signature in (b"", b"\0" * 16, b"\xff" * 32):
            with pytest.raises(InvalidParameter):
                made.read(base64.urlsafe_b64encode(signature + payload).rstrip(b"=").decode())

    def test_another_secret(self, tokens: Tokens, tmp_path: Path) -> None:
        other = {"environment": "development", "data_folder": tmp_path, "jwt_secret": "another secret" * 3}
        stranger = Tokens(Settings.read({}, **other))
        text = cursors(stranger).write({"_id": ID}, 0)
        assert text is not None
        with pytest.raises(InvalidParameter):
            cursors(tokens).read(text)

    def test_a_signature_is_good_for_one_purpose(self, tokens: Tokens) -> None:
        assert tokens.sign("a", b"x") == tokens.sign("a", b"x")
        assert (
            len({tokens.sign(purpose, data) for purpose, data in [("a", b"x"), ("b", b"x"), ("a", b"y")]})
            == 3
        )


class TestOrder:
    @pytest.mark.parametrize(
        ("sort", "keys"),
        [
            pytest.param(None, [("_id", 1)], id="nothing"),
            pytest.param("name", [("name", 1), ("_id", 1)], id="ties"),
            pytest.param("-refName,name", [("refName", -1)], id="nothing matters after the refName"),
            pytest.param("name,code,count", [("name", 1), ("code", 1)], id="nor after a unique field"),
            pytest.param("serial", [("serial", 1), ("_id", 1)], id="many may lack a unique optional field"),
            pytest.param(
                "refName~ci", [("refName", 1), ("_id", 1)], id="unique names may differ in case alone"
            ),
            pytest.param("-code~ci", [("code", -1), ("_id", -1)], id="so may unique fields"),
        ],
    )
    def test_of_a_tenant(self, sort: str | None, keys: list[tuple[str, int]]) -> None:
        assert order_of(sort).keys == tuple(keys)

    @pytest.mark.parametrize(
        ("sort", "is_indexed"),
        [
            pytest.param(None, True, id="id"),
            pytest.param("-refName", True, id="refName"),
            pytest.param("name", True, id="an index"),
            pytest.param("active,-seenAt", True, id="both its keys"),
            pytest.param("-active,seenAt", True, id="the other way round"),
            pytest.param("seenAt", True, id="behind an equality on the first"),
            pytest.param("active", True, id="the first alone"),
            pytest.param("active,seenAt", False, id="mixed otherwise"),
            pytest.param("seenAt,active", False, id="in another order"),
            pytest.param("ratio,name", False, id="of two indexes"),
            pytest.param("ownerKey", False, id="of none"),
            pytest.param("name~ci", True, id="in the order of no language"),
            pytest.param("-name~ci", True, id="and the other way round"),
            pytest.param("name~ci:sv", False, id="in another language"),
            pytest.param("refName~ci", False, id="only by octets"),
            pytest.param("-place.city~ci:sv,count", True, id="in that of a language"),
            pytest.param("place.city~ci:sv", True, id="its first alone"),
            pytest.param("count~nullslast", True, id="with nulls at the other end"),
            pytest.param("active~nullslast,-seenAt", True, id="of the first of two fields"),
            pytest.param("active,-seenAt~nullsfirst", False, id="not of the second"),
        ],
    )
    def test_is_that_of_an_index(self, sort: str | None, is_indexed: bool) -> None:
        assert order_of(sort).is_indexed is is_indexed

    @pytest.mark.parametrize("sort", ["refName", "code"])
    def test_of_all_tenants_a_field_unique_in_one_has_ties(self, sort: str) -> None:
        everywhere = replace(ACCESS, domain=DomainScope())
        assert order_of(sort, everywhere).keys == ((sort, 1), ("_id", 1))

    def test_a_field_unique_in_the_realm_tells_all_apart(self) -> None:
        kind = replace(ROW, indexes=(Index((("code", 1),), unique=True, per_realm=True),))
        assert tells_apart(kind, {"code", "name"}, in_one_tenant=False)
        assert not tells_apart(kind, {"name"}, in_one_tenant=True)

    def test_of_two_unique_together_one_is_not_enough(self) -> None:
        kind = replace(ROW, indexes=(Index((("code", 1), ("displayName", 1)), unique=True),))
        assert tells_apart(kind, {"code", "displayName"}, in_one_tenant=True)
        assert not tells_apart(kind, {"code"}, in_one_tenant=True)


@pytest.mark.parametrize(
    ("order", "values", "matches"),
    [
        pytest.param([("_id", 1)], [1], [{"_id": {"$gt": 1}}], id="one key is one range"),
        pytest.param([("_id", -1)], [1], [{"_id": {"$lt": 1}}], id="an id is never missing"),
        pytest.param([("a", -1)], [None], [], id="nothing is behind the last null"),
        pytest.param(
            [("a", 1), ("_id", 1)], [None, 1],
            [{"a": None, "_id": {"$gt": 1}}, {"a": {"$ne": None}}],
            id="all values are behind null",
        ),
        pytest.param(
            [("a", -1), ("_id", -1)], [2, 1],
            [{"a": 2, "_id": {"$lt": 1}}, {"a": {"$lt": 2}}, {"a": None}],
            id="null is behind all values when descending",
        ),
    ],
)  # fmt: skip
def test_what_lies_behind_a_row(order: Any, values: list[Any], matches: list[Document]) -> None:
    """In turn: the ties first, then what differs in the last but one key, and so on."""
    ranges = after(tuple(order), values)
    assert [one.match for one in ranges] == matches
    assert any_of(ranges).match == (
        {"$or": matches} if len(matches) > 1 else matches[0] if matches else NOTHING.match
    )


# Against a plain sort -----------------------------------------------------------------------------

FEW: dict[str, list[Any]] = {
    "name": ["", "a", "A", "ab", "b", "é", "~"],
    "count": [-1, 0, 1, 2**40],
    "ratio": [-0.5, -0.0, 0.0, 1e300],
    "price": [Decimal128("-1"), Decimal128("1.1"), Decimal128("1.10"), Decimal128("1E+3")],
    "active": [True, False],
    "seenAt": [datetime(1969, 1, 1), datetime(2026, 1, 1), datetime(2026, 1, 1, 0, 0, 1)],
    "ownerKey": [ObjectId("0" * 24), ObjectId("f" * 24)],
    "place.city": ["Bern", "Basel"],
    "supplier.entityRefName": ["S1", "S2"],
}
"""Few values a field, so that there are many ties."""


def random_rows(seed: int) -> list[Document]:
    """Up to 25 rows whose fields have one of a few values, null, or are missing."""
    random = Random(seed)
    rows: list[Document] = []
    for _at in range(random.randrange(26)):
        row: Document = {"_id": ObjectId()}
        for path, values in FEW.items():
            value = random.choice([None, *values])
            parent, _, last = path.rpartition(".")
            if value is not None or random.random() < 0.5:
                (row.setdefault(parent, {}) if parent else row)[last] = value
        rows.append(row)
    return rows


rows_of = st.integers(0, 2**32).map(random_rows)
sorts = st.lists(st.sampled_from(sorted(FEW)), min_size=0, max_size=4, unique=True).flatmap(
    lambda names: st.tuples(*(st.sampled_from([name, f"-{name}"]) for name in names)).map(",".join)
)


def plainly_sorted(rows: list[Document], order: RowOrder) -> list[ObjectId]:
    """What the order means, told without MongoDB: null and missing first, then by value."""

    def comparable(value: Any) -> tuple[bool, Any]:
        value = value.to_decimal() if isinstance(value, Decimal128) else value
        return (value is not None, Decimal(value) if isinstance(value, float) else value)

    def compare(left: Document, right: Document) -> int:
        for path, direction in order.keys:
            one, other = comparable(value_at(left, path)), comparable(value_at(right, path))
            if one != other:
                smaller = one[0] < other[0] or (one[0] == other[0] and one[1] < other[1])
                return -direction if smaller else direction
        return 0

    return [row["_id"] for row in sorted(rows, key=cmp_to_key(compare))]


def pages(collection: Collection[Document], made: Cursors, size: int) -> list[list[ObjectId]]:
    """The ids of every page, one cursor after the other; the ranges in turn and as one say the same."""
    found: list[list[ObjectId]] = []
    ranges: tuple[Predicate, ...] = (EVERYTHING,)
    while True:
        in_turn = [row for one in ranges for row in collection.find(one.match).sort(made.order.keys)]
        rows = list(collection.find(any_of(ranges).match).sort(made.order.keys).limit(size))
        assert rows == in_turn[:size]
        found.append([row["_id"] for row in rows])
        if len(rows) < size:
            return found
        text = made.write(rows[-1], 0)
        assert text is not None
        ranges = after(made.order.keys, made.read(text).values)


@pytest.fixture(scope="module")
def collection(mongo_client: MongoClient[Document]) -> Any:
    """Without indexes, so that order and match alone decide; the plans are test_explain.py's matter."""
    name = f"test-{uuid4().hex[:12]}"
    yield mongo_client[name]["rows"]
    mongo_client.drop_database(name)


@settings(QUIET, max_examples=examples(80, nightly=5000))  # of up to 25 pages each
@given(rows=rows_of, sort=sorts, size=st.integers(1, 5))
def test_page_by_page_is_the_whole_in_order(
    collection: Collection[Document], tokens: Tokens, rows: list[Document], sort: str, size: int
) -> None:
    collection.delete_many({})
    if rows:
        collection.insert_many(rows)
    made = cursors(tokens, sort)
    walked = [row_id for page in pages(collection, made, size) for row_id in page]
    assert walked == plainly_sorted(rows, made.order)


# Projections --------------------------------------------------------------------------------------

PATHS = ["name", "count", "place", "place.city", "place.floor", "supplier", "supplier.entityRefName", "tags"]
projections = st.dictionaries(st.sampled_from(PATHS), st.sampled_from("+-"), min_size=1).map(
    lambda signs: ",".join(f"{sign}{path}" for path, sign in signs.items())
)
KEYS = ("name", "count", "place.city", "place.floor", "supplier.entityRefName", "_id")


@QUIET
@given(
    rows=rows_of.filter(len),
    projection=projections,
    needed=st.lists(st.sampled_from(KEYS), unique=True),
    hidden=st.frozensets(st.sampled_from(["supplier.realm", "place.floor", "version"])),
)
def test_what_a_cursor_needs_beside_the_projection_is_taken_out_again(
    collection: Collection[Document],
    rows: list[Document],
    projection: str,
    needed: list[str],
    hidden: frozenset[str],
) -> None:
    collection.delete_many({})
    collection.insert_many(rows)
    needed = [path for path in needed if path not in hidden]  # nobody may sort by a hidden field
    asked = parse_projection(projection, ROW)
    wider, surplus = asked.with_fields(needed, hidden)

    alone = list(collection.find({}, asked.as_mongo(hidden)))
    more = list(collection.find({}, wider.as_mongo(hidden)))

    assert [without(row, surplus) for row in more] == alone
    for row in more:
        whole = next(one for one in rows if one["_id"] == row["_id"])
        assert [value_at(row, path) for path in needed] == [value_at(whole, path) for path in needed]
        assert all(value_at(row, path) is None for path in hidden)
