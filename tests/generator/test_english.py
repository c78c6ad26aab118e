"""Plurals, singulars and articles of the words people name records and lists by."""

from __future__ import annotations

import pytest

from generator.english import article, plural, singular, words

PAIRS = [
    ("country", "countries"),
    ("address", "addresses"),
    ("status", "statuses"),
    ("shipment line", "shipment lines"),
    ("box", "boxes"),
    ("batch", "batches"),
    ("cache", "caches"),
    ("warehouse", "warehouses"),
    ("price", "prices"),
    ("size", "sizes"),
    ("quiz", "quizzes"),
    ("day", "days"),
    ("refresh family", "refresh families"),
    ("analysis", "analyses"),
    ("person", "people"),
    ("child", "children"),
    ("criterion", "criteria"),
    ("half", "halves"),
    ("hero", "heroes"),
    ("photo", "photos"),
    ("epoch", "epochs"),
    ("bus", "buses"),
    ("campus", "campuses"),
    ("movie", "movies"),
    ("key", "keys"),
    ("shoe", "shoes"),
    ("use", "uses"),
    ("human", "humans"),
    ("aircraft", "aircraft"),
    ("series", "series"),
]


@pytest.mark.parametrize(("one", "many"), PAIRS, ids=[one for one, _ in PAIRS])
def test_a_word_and_its_plural(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one


@pytest.mark.parametrize("name", ["address", "status", "basis", "stock", "bus", "news", "virus", "x", "s"])
def test_what_is_no_plural_stays(name: str) -> None:
    assert singular(name) == name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gas", "ga"),
        ("gases", "gase"),
        ("lens", "len"),
        ("aliases", "aliase"),
        ("indices", "indice"),
        ("os", "o"),
        ("partS", "part"),
    ],
)
def test_schemas_of_specifications_in_use_keep_their_names(name: str, expected: str) -> None:
    assert singular(name) == expected


@pytest.mark.parametrize(
    ("name", "one"),
    [("orderLines", "orderLine"), ("shipTo", "shipTo"), ("homeAddresses", "homeAddress"), ("Boxes", "Box")],
)
def test_only_the_last_word_of_a_name_changes(name: str, one: str) -> None:
    assert singular(name) == one


@pytest.mark.parametrize("word", ["salesman", "chairwoman"])
def test_compounds_with_man_change_inside(word: str) -> None:
    assert plural(word) == f"{word[:-2]}en"


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("airport", "an"),
        ("country", "a"),
        ("user", "a"),
        ("usage", "a"),
        ("unit", "a"),
        ("unknown", "an"),
        ("unimportant note", "an"),
        ("hour", "an"),
        ("house", "a"),
        ("european order", "a"),
        ("order line", "an"),
        ("uuid", "a"),
        ("url", "a"),
        ("urgent order", "an"),
        ("OAuth client", "an"),
        ("UUID", "a"),
    ],
)
def test_the_article_follows_the_sound(phrase: str, expected: str) -> None:
    assert article(phrase) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CompletionTask", ["completion", "task"]),
        ("completion-task", ["completion", "task"]),
        ("area2RealmOverrides", ["area2", "realm", "overrides"]),
        ("HTTPServer", ["http", "server"]),
        ("", []),
    ],
)
def test_names_fall_into_words(name: str, expected: list[str]) -> None:
    assert [*words(name)] == expected
