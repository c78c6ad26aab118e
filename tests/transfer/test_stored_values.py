"""The values and attributes of rows come out of their session as they went in."""

from __future__ import annotations

from typing import Any

import bson
from hypothesis import given
from hypothesis import strategies as st

from runtime.records.document.dynamic import Written
from runtime.transfer.rows.dynamic import Attributes
from runtime.transfer.sessions.kept_row import (
    attributes_from_stored,
    attributes_to_stored,
    from_stored,
    to_stored,
)

words = st.builds(Written, st.text(alphabet=st.characters(codec="utf-8"), max_size=8), st.booleans())
lists = st.builds(Written, st.just("[…]"), st.booleans(), st.lists(words, max_size=3).map(tuple))
plain = st.none() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8"), max_size=8)
names = st.text(alphabet="abcé $", min_size=1, max_size=5)
values = st.dictionaries(
    st.lists(names, min_size=1, max_size=3).map(".".join), plain | words | lists, max_size=4
)
typed = st.fixed_dictionaries({"type": st.just("Object"), "value": st.dictionaries(names, plain, max_size=2)})
attributes = st.dictionaries(
    names, st.dictionaries(names, typed | words | lists, min_size=1, max_size=3), max_size=3
)


def kept(entries: list[list[Any]]) -> Any:
    """What the store gives back."""
    return bson.decode(bson.encode({"entries": entries}))["entries"]


@given(values)
def test_values_are_read_back(told: dict[str, Any]) -> None:
    assert from_stored(kept(to_stored(told))) == told


@given(attributes)
def test_attributes_are_read_back(told: Attributes) -> None:
    assert attributes_from_stored(kept(attributes_to_stored(told))) == told
