"""Names of dynamic attributes: whatever is sent comes back, and the store never sees a dot or an operator."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.filter.quoted import read_path, spell_path
from runtime.model.attribute_names import as_sent, is_marked, may_be_marked, sent_name, show_path, stored_name

signs = st.sampled_from('.$"a b:') | st.characters(
    exclude_categories=["Cs"], exclude_characters="\ufdd0\ufdd1"
)
names = st.text(signs, min_size=1, max_size=8)


@given(names)
def test_a_name_comes_back_as_it_was_sent(name: str) -> None:
    stored = stored_name(name)
    assert sent_name(stored) == name
    assert "." not in stored
    assert not stored.startswith("$")
    assert is_marked(stored) is ("." in name or name[0] == "$")


@given(names, names)
def test_two_names_are_stored_as_two(one: str, other: str) -> None:
    assert (stored_name(one) == stored_name(other)) is (one == other)


@given(st.lists(names, min_size=1, max_size=3))
def test_a_spelled_path_is_read_as_the_stored_one(steps: list[str]) -> None:
    path = ".".join(map(stored_name, steps))
    assert read_path(spell_path(path)) == path
    if is_marked(path):
        assert all(not is_marked(shown) for shown in (show_path(path), spell_path(path)))


@pytest.mark.parametrize("name", ["\ufdd0", "a\ufdd1", "\ufdd0.b"])
def test_reserved_signs_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="reserved"):
        stored_name(name)


def test_a_record_without_such_names_stays_the_same() -> None:
    for record in ({}, {"dynamicAttributes": {"a": {"b": {"type": "Object", "value": {"c": 1}}}}}):
        assert as_sent(record) is record


def test_names_inside_of_values_stay() -> None:
    value: Any = {"type": "Object", "value": {"\ufdd0": 1}}
    record = {"dynamicAttributes": {"\ufdd1x": {stored_name("a.b"): value}}}
    assert as_sent(record) == {"dynamicAttributes": {"$x": {"a.b": value}}}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("dynamicAttributes.a\ufdd0b.c\ufdd0d", True), ("dynamicAttributes.a.b.value", True),
        ("labels.a\ufdd0b", False), ("dynamicAttributes.a.b.value.c\ufdd0d", False), ("a\ufdd0b", False),
    ],
)  # fmt: skip
def test_only_names_of_sets_and_attributes_may_have_dots(path: str, expected: bool) -> None:
    assert may_be_marked(path) is expected
