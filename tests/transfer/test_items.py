"""A list by its items: empty cells leave what is written as one, and are nothing elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.transfer.rows.items import Items

TEXT = st.sampled_from(["", "a", "b"])
MEMBERS = st.dictionaries(st.sampled_from(["x", "y"]), TEXT, max_size=2)
LISTS = st.lists(TEXT, max_size=4) | st.lists(MEMBERS, max_size=4)


def read_back(stored: list[Any]) -> Items:
    """What the file of an exported list says of it."""
    return Items(_read(one) for one in stored or [None])


def _read(item: Any) -> Any:
    if isinstance(item, dict):
        return {name: value for name, value in item.items() if value} or None
    return item or None


@given(LISTS)
def test_what_was_exported_comes_back_as_it_was(stored: list[Any]) -> None:
    assert read_back(stored).onto(stored) == (stored or None)


@given(LISTS, LISTS)
def test_a_file_says_all_that_is_not_empty(stored: list[Any], sent: list[Any]) -> None:
    """Whatever is stored: what stands in the file is there afterwards, in its order, and nothing else is
    but what is empty."""
    found = read_back(sent).onto(stored) or []
    assert [_read(one) for one in found if _read(one)] == [_read(one) for one in sent if _read(one)]


@pytest.mark.parametrize("stored", [None, "text", {"a": 1}, []], ids=str)
def test_on_what_is_no_list_empty_rows_are_nothing(stored: Any) -> None:
    assert Items([None, {"x": "a"}, None]).onto(stored) == [{"x": "a"}]
    assert Items([None]).onto(stored) is None


def test_what_is_inside_an_object_of_an_item_counts_as_well() -> None:
    stored = [{"place": {"city": "", "street": "x"}, "note": ""}]
    assert Items([{"place": {"street": "y"}}]).onto(stored) == [
        {"place": {"city": "", "street": "y"}, "note": ""}
    ]
    assert Items([{"place": {}}]).onto(stored) == [{"place": {"city": ""}, "note": ""}]


def test_an_empty_cell_clears_what_is_stored_and_says_so() -> None:
    """A member that is only left out would get its default."""
    assert Items([{"x": "a", "y": None}]).onto([{"x": "a", "y": "b"}]) == [{"x": "a", "y": None}]
    assert Items([{"x": "a", "y": None}]).onto([{"x": "a"}]) == [{"x": "a"}]
